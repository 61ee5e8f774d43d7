import Glibc
import TaktCore

/// The reason why a file cannot be read.
enum FileProblem: Error, Equatable {
  /// The system said no, with its error number.
  case system(Int32)
  /// The path is not a file but a folder, a pipe or a device.
  case notAFile(kind: String)
  case tooLarge(bound: Int)
  /// Its file system has not answered for seconds.
  case unresponsive
  case writableByOthers(mode: UInt32, path: String)
  case folderWritableByOthers(mode: UInt32, path: String)
  /// A file of root's to which another user may have led.
  case foreignLink
}

extension FileProblem {
  var sentence: (code: Diagnostic.Code, message: String, hint: String?) {
    switch self {
    case .system(ENOENT):
      (
        .unreadable, "there is no such file",
        "check the path; relative paths start at the folder of the jobs file"
      )
    case .system(let number):
      (.unreadable, "cannot read the file: \(SystemError.text(number))", nil)
    case .notAFile(let kind): (.unreadable, "this is \(kind), not a file", "name a file")
    case .tooLarge(let bound):
      (.tooLarge, "the file is larger than \(bound >> 20) MB", "split it")
    case .unresponsive:
      (.unreadable, "its file system does not respond", "check for a hung mount")
    case .writableByOthers(let mode, let path):
      (
        .unsafePermissions,
        "group- or world-writable (mode 0\(String(mode, radix: 8))), refused because takt runs as "
          + "root",
        "run: chmod go-w \(path)"
      )
    case .folderWritableByOthers(let mode, let path):
      (
        .unsafePermissions,
        "the folder '\(path)' is group- or world-writable (mode 0\(String(mode, radix: 8))), refused "
          + "because takt runs as root",
        "run: chmod go-w \(path)"
      )
    case .foreignLink:
      (
        .unsafePermissions,
        "owned by root, but reached by a link that another user may have made, refused because takt "
          + "runs as root",
        "name the file itself"
      )
    }
  }
}

/// The system's errors as people read them.
enum SystemError {
  /// `No such file or directory`
  static func text(_ number: Int32) -> String {
    // The text is the thread's own or constant, and copied at once.
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
  }
}
