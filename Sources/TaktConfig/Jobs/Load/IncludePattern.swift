import Glibc

/// The files that match a pattern with `*`, `?` or `[…]`, found folder by folder.
struct IncludePattern {
  /// Sorted by their bytes.
  private(set) var matches: [String] = []
  /// The folders that were listed: a new file in one of them may match, too.
  private(set) var folders: [String] = []
  /// The first folder that could not be listed, with the error number.
  private(set) var failure: (folder: String, error: Int32)?

  /// True if the pattern is too long, or leads through too many folders. Then there are no matches.
  private(set) var isTooLarge = false

  /// More than any layout of jobs has; links to a folder above multiply them.
  static let foldersMax = 100_000

  static func isPattern(_ path: String) -> Bool {
    path.utf8.contains { "*?[".utf8.contains($0) }
  }

  /// Searches for `pattern` from `folder`. Gathers at most `bound` + 1 matches.
  ///
  /// Goes level by level, so that neither the names of a pattern nor the depth of a tree use the
  /// stack.
  init(
    _ pattern: String, in folder: String, bound: Int,
    foldersMax: Int = IncludePattern.foldersMax
  ) {
    // The system accepts no longer path.
    guard pattern.utf8.count < Int(PATH_MAX) else {
      isTooLarge = true
      return
    }
    var parts = pattern.split(separator: "/").map(String.init)[...]
    var places = [pattern.hasPrefix("/") ? "/" : folder]
    while let part = parts.popFirst(), !places.isEmpty {
      guard Self.isPattern(part) else {
        places = places.map { FilePath.join($0, part) }
        if parts.isEmpty {
          places = places.filter { access(FilePath.place(of: $0), F_OK) == 0 }
        }
        continue
      }
      let limit = parts.isEmpty ? bound + 1 : foldersMax
      var next: [String] = []
      for place in places where next.count < limit {
        guard folders.count < foldersMax else {
          isTooLarge = true
          return
        }
        for name in names(in: place) where next.count < limit {
          if fnmatch(part, name, FNM_PERIOD) == 0 { next.append(FilePath.join(place, name)) }
        }
      }
      if next.count == limit, !parts.isEmpty {
        isTooLarge = true
        return
      }
      places = next
    }
    matches = Array(places.prefix(bound + 1))
  }

  private mutating func names(in folder: String) -> [String] {
    let path = folder.isEmpty ? "." : folder
    folders.append(path)
    guard let directory = opendir(FilePath.place(of: path)) else {
      // A missing folder, or a file, has no matches.
      if errno != ENOENT, errno != ENOTDIR, failure == nil { failure = (path, errno) }
      return []
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // The system ends d_name with a NUL; it is read in place because names may outgrow the field.
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
      let name = UnsafeRawPointer(entry) + offset
      names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
