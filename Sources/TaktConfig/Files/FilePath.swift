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

/// Who may put files into a folder whose files takt believes.
final class FolderRights {
  private let isChecking: Bool
  private var checked: Set<String> = []

  /// Checks nothing unless `isChecking`, which is for root.
  init(isChecking: Bool) {
    self.isChecking = isChecking
  }

  /// Throws where others than its owner may write to the folder at an absolute path.
  ///
  /// In a sticky folder, such as `/tmp`, others may add files but neither replace nor remove those
  /// of root; that is enough where one file of root's own is read by its name (`isForOneFile`).
  func check(_ folder: String, isForOneFile: Bool = false) throws(FileProblem) {
    guard isChecking, !checked.contains(folder) else { return }
    var status = stat()
    // What is not there has nothing in it that could be believed.
    guard stat(folder, &status) == 0 else { return }
    if status.st_mode & 0o022 != 0 {
      if isForOneFile, status.st_mode & S_ISVTX != 0, status.st_uid == 0 { return }
      throw .folderWritableByOthers(mode: status.st_mode & 0o7777, path: folder)
    }
    checked.insert(folder)
  }

  /// Checks the folder that a file is in, and where the path is a link also that of its target.
  func check(folderOf path: String, owner: UInt32) throws(FileProblem) {
    guard isChecking else { return }
    try check(FilePath.folder(of: path), isForOneFile: owner == 0)
    guard let target = realpath(path, nil) else { return }
    defer { free(target) }
    try check(FilePath.folder(of: String(cString: target)), isForOneFile: owner == 0)
  }
}
