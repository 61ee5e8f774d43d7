import ArgumentParser
import Glibc
import TaktCore
import TaktEngine
import TaktSystem

struct LogFile {
  private let path: String
  private let descriptor: Int32

  /// Opens the file, or ends the program; `-` is standard input.
  init(_ path: String) throws {
    self.path = path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable() }
  }

  /// Replays all transitions. A last line that is cut off, as by a crash, is skipped and noted; any
  /// other line that does not belong to a log ends the program.
  func replay() throws -> (replay: TransitionReplay, notes: [String]) {
    defer { if path != "-" { close(descriptor) } }
    var log = LogReplay()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable() }
      do throws(LogReplay.NoLog) {
        if count == 0 { return try log.finish() }
        try log.feed(chunk[..<count])
      } catch {
        Console.error("takt: \(path):\(error.line): not a line of a JSON log")
        throw ExitCode.invalidData
      }
    }
  }

  private func unreadable() -> ExitCode {
    Console.error("takt: \(path): \(SystemError.text())")
    return .configuration
  }
}
