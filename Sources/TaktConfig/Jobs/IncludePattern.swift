import Glibc

/// The files that a pattern with `*`, `?` or `[…]` names, found folder by folder.
struct IncludePattern {
  /// The files that match, in the order of their bytes.
  private(set) var matches: [String] = []
  /// The folders that were listed: a file that appears in one of them may match too.
  private(set) var folders: [String] = []
  /// The first folder that could not be listed, with the error number.
  private(set) var failure: (folder: String, error: Int32)?

  static func isPattern(_ path: String) -> Bool {
    path.utf8.contains { "*?[".utf8.contains($0) }
  }

  /// Looks for `pattern` as seen from `folder`. At most `bound` + 1 matches are gathered.
  init(_ pattern: String, in folder: String, bound: Int) {
    let parts = pattern.split(separator: "/").map(String.init)
    expand(parts[...], in: pattern.hasPrefix("/") ? "/" : folder, bound: bound)
  }

  private mutating func expand(_ parts: ArraySlice<String>, in folder: String, bound: Int) {
    guard let part = parts.first else { return }
    let rest = parts.dropFirst()
    guard Self.isPattern(part) else {
      let path = FilePath.join(folder, part)
      if !rest.isEmpty {
        expand(rest, in: path, bound: bound)
      } else if access(FilePath.place(of: path), F_OK) == 0 {
        matches.append(path)
      }
      return
    }
    for name in names(in: folder) where matches.count <= bound {
      guard fnmatch(part, name, FNM_PERIOD) == 0 else { continue }
      let path = FilePath.join(folder, name)
      if rest.isEmpty { matches.append(path) } else { expand(rest, in: path, bound: bound) }
    }
  }

  private mutating func names(in folder: String) -> [String] {
    let path = folder.isEmpty ? "." : folder
    folders.append(path)
    guard let directory = opendir(FilePath.place(of: path)) else {
      // What is not there, or is a file, has nothing that could match.
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
