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
    case .writableByOthers(let mode):
      (
        .unsafePermissions,
        "others than its owner may write to this file (mode 0\(String(mode, radix: 8))), and takt "
          + "runs as root",
        "chmod go-w"
      )
    }
  }
}
