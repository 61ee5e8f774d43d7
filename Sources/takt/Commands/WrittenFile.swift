import ArgumentParser
import Glibc
import TaktSystem

enum WrittenFile {
  static func write(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    let number = descriptor < 0 ? errno : Array(text.utf8).write(to: descriptor).number
    guard number == nil, close(descriptor) == 0 else {
      Console.error("takt: cannot write \(path): \(SystemError.text(number ?? errno))")
      throw ExitCode.unwritable
    }
  }
}
