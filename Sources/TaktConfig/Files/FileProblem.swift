import Glibc
import TaktCore
import TaktSystem

enum FileProblem: Error, Equatable {
  /// The system's error number.
  case system(Int32)
  /// The path is a folder, a pipe or a device.
  case notAFile(FileType)
  case tooLarge(bound: Int)
  /// Its file system has not answered for seconds.
  case unresponsive
  /// Another user could have put the file there, or changed it.
  case distrusted(Distrust)
  /// A text from a client may not open this file.
  case beyondReach

  init(_ problem: Distrust) {
    self =
      if case .wrongType(let type) = problem.reason { .notAFile(type) } else {
        .distrusted(problem)
      }
  }
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
    case .notAFile(let type):
      (.unreadable, "this is \(type.words), not a file", "name a file")
    case .tooLarge(let bound):
      (.tooLarge, "the file is larger than \(bound >> 20) MB", "split it")
    case .unresponsive:
      (.unreadable, "its file system does not respond", "check for a hung mount")
    case .distrusted(let problem): (.unsafePermissions, problem.sentence, problem.hint)
    case .beyondReach:
      (
        .notPermitted, "not a file of the jobs file that is running, as it was loaded",
        "a text that is sent over TCP opens no other file; use the Unix socket"
      )
    }
  }
}
