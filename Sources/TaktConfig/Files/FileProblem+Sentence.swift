import Glibc
import TaktCore

extension FileProblem {
  /// What a person reads.
  var sentence: (code: Diagnostic.Code, message: String, hint: String?) {
    switch self {
    case .system(ENOENT):
      (.unreadable, "there is no such file", "check the path, and the folder it is seen from")
    case .system(let number):
      (.unreadable, "the file cannot be read: \(SystemError.text(number))", nil)
    case .notAFile(let kind): (.unreadable, "this is \(kind), not a file", "name a file")
    case .tooLarge(let bound):
      (.tooLarge, "the file is larger than \(bound >> 20) MB", "split it")
    case .writableByOthers(let mode, let path):
      (
        .unsafePermissions,
        "group- or world-writable (mode 0\(String(mode, radix: 8))), refused because takt runs as "
          + "root",
        "chmod go-w \(path)"
      )
    case .folderWritableByOthers(let mode, let path):
      (
        .unsafePermissions,
        "the folder '\(path)' is group- or world-writable (mode 0\(String(mode, radix: 8))), refused "
          + "because takt runs as root",
        "chmod go-w \(path)"
      )
    }
  }
}
