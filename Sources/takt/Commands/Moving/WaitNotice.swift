import Glibc
import TaktCore
import TaktImport
import TaktSystem

/// Names the file that a command waits for, if its file system does not answer.
enum WaitNotice {
  private static let seconds: UInt32 = 3

  /// Watches from a thread of its own, which ends with the process.
  static func watch(_ mark: ReadingMark) {
    try? Thread.start(name: "takt-wait") {
      var last = mark.current.number
      while true {
        sleep(seconds)
        let (path, number) = mark.current
        if !path.isEmpty, number == last {
          Console.error("takt: \(path.printable) does not answer; still waiting, Ctrl-C ends it")
          return
        }
        last = number
      }
    }
  }
}
