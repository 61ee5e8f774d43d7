import ArgumentParser
import Glibc
import Synchronization
import TaktSystem

/// Reads the lines of a client. A line that is too long takes no more memory than the longest
/// allowed one.
struct MCPInput {
  enum Item: Equatable {
    /// Without its end. The last line may lack it.
    case line([UInt8])
    /// The line is skipped.
    case tooLong
    /// The system's error number.
    case failed(Int32)
  }

  static let lineBytesMax = 1 << 20
  private static let chunkBytes = 1 << 16

  private let descriptor: Int32
  private var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
  /// The bytes that were not returned yet, without those of a skipped line.
  private var waiting: [UInt8] = []
  /// The number of bytes that contain no line end.
  private var searchedBytes = 0
  private var isPassingOver = false
  private var isOver = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// The next line that is not blank; nil at the end.
  mutating func next() -> Item? {
    while true {
      if let item = nextWaiting() { return item }
      if isOver { return nil }
      let count = read(descriptor, &chunk, chunk.count)
      let number = errno
      if count > 0 {
        waiting += chunk[..<count]
      } else if count == 0 {
        isOver = true
      } else if number == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, -1)
      } else if number != EINTR {
        (waiting, searchedBytes, isOver) = ([], 0, true)
        return .failed(number)
      }
    }
  }

  private mutating func nextWaiting() -> Item? {
    while let end = waiting[searchedBytes...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(waiting[..<end])
      waiting.removeFirst(end + 1)
      searchedBytes = 0
      if let item = item(of: line) { return item }
    }
    searchedBytes = waiting.count
    if isOver, !waiting.isEmpty {
      let line = waiting
      (waiting, searchedBytes) = ([], 0)
      return item(of: line)
    }
    guard waiting.count > Self.lineBytesMax else { return nil }
    (waiting, searchedBytes) = ([], 0)
    if isPassingOver { return nil }
    isPassingOver = true
    return .tooLong
  }

  /// Nil for a blank line, and for the rest of a skipped one.
  private mutating func item(of line: [UInt8]) -> Item? {
    if isPassingOver {
      isPassingOver = false
      return nil
    }
    if line.count > Self.lineBytesMax { return .tooLong }
    return line.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 } ? nil : .line(line)
  }
}

/// Writes answers, a line each. Safe from any thread.
final class MCPOutput: Sendable {
  private let descriptor: Int32
  private let isBusy = Mutex(())

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Writes a line; ends the program on failure.
  func write(_ line: [UInt8]) {
    isBusy.withLock { _ in
      guard let number = (line + [UInt8(ascii: "\n")]).write(to: descriptor).number else { return }
      if number == EPIPE { _exit(ExitCode.success.rawValue) }
      Console.error("takt: cannot write: \(SystemError.text(number))")
      _exit(ExitCode.unwritable.rawValue)
    }
  }
}
