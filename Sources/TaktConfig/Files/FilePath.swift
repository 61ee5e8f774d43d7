import Glibc

/// Paths as text: composed without the file system, so that missing files have them, too.
enum FilePath {
  /// The folder of a path: `""` for a bare name, `/` for a file in the root.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// Resolves `path` from `folder`; an absolute path stays.
  static func join(_ folder: String, _ path: String) -> String {
    if path.hasPrefix("/") || folder.isEmpty { return path }
    return folder.hasSuffix("/") ? folder + path : folder + "/" + path
  }

  /// The path from the root, without `.` and doubled slashes. `..` stays: its target depends on
  /// links.
  static func absolute(_ path: String) -> String {
    let whole = join(workingFolder, path)
    let parts = whole.utf8.split(separator: UInt8(ascii: "/")).lazy.map { Substring($0) }
    return "/" + parts.filter { $0 != "." }.joined(separator: "/")
  }

  /// The path for calls to the system, otherwise as it is written.
  static func place(of path: String) -> String {
    path.isEmpty ? "" : join(workingFolder, path)
  }

  /// The folder at the first call: a relative path keeps its meaning if somebody moves the folder,
  /// so that another one in its place is read.
  private static let workingFolder: String = {
    // Without a buffer, getcwd allocates one of the needed size, which the caller frees.
    guard let text = getcwd(nil, 0) else { return "/" }
    defer { free(text) }
    return String(cString: text)
  }()
}
