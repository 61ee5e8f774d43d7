import Glibc

/// Paths as text: put together without asking the system, so that a missing file has one too.
enum FilePath {
  /// The folder that a path stands in: `""` for a bare name, `/` for what stands in the root.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// `path` as seen from `folder`: itself when it is absolute.
  static func join(_ folder: String, _ path: String) -> String {
    if path.hasPrefix("/") || folder.isEmpty { return path }
    return folder.hasSuffix("/") ? folder + path : folder + "/" + path
  }

  /// The path from the root, without `.` and doubled slashes. `..` stays: where it leads depends
  /// on links.
  static func absolute(_ path: String) -> String {
    let whole = join(workingFolder, path)
    let parts = whole.utf8.split(separator: UInt8(ascii: "/")).lazy.map { Substring($0) }
    return "/" + parts.filter { $0 != "." }.joined(separator: "/")
  }

  /// The path by which the system finds the file, as it is written.
  static func place(of path: String) -> String {
    path.isEmpty ? "" : join(workingFolder, path)
  }

  /// That of the first question: a relative path goes on to mean the same when somebody moves the
  /// folder, so that another one in its place is read.
  private static let workingFolder: String = {
    // getcwd with no buffer allocates one as long as it needs, which is ours to free.
    guard let text = getcwd(nil, 0) else { return "/" }
    defer { free(text) }
    return String(cString: text)
  }()
}
