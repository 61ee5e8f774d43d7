import Glibc

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
