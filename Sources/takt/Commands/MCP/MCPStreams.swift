import ArgumentParser
import Glibc
import Synchronization
import TaktSystem

/// The lines that a client sends. A line that is too long takes no more memory than the longest one
/// that is read.
struct MCPInput {
  enum Item: Equatable {
    /// Without its end. The last line may lack it.
    case line([UInt8])
    /// It is passed over.
    case tooLong
    /// The system's error number.
    case failed(Int32)
  }

  static let lineBytesMax = 1 << 20
  private static let chunkBytes = 1 << 16

  private let descriptor: Int32
  private var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
  /// What came and was not returned yet, without the part of a line that is passed over.
  private var waiting: [UInt8] = []
  /// So many bytes of it have no end of a line in them.
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

  /// Nil for a line that says nothing.
  private mutating func item(of line: [UInt8]) -> Item? {
    if isPassingOver {
      isPassingOver = false
      return nil
    }
    if line.count > Self.lineBytesMax { return .tooLong }
    return line.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 } ? nil : .line(line)
  }
}

/// Where answers go, a line each. Safe from any thread.
final class MCPOutput: Sendable {
  private let descriptor: Int32
  private let isBusy = Mutex(())

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Writes a line; ends the program where that cannot be done.
  func write(_ line: [UInt8]) {
    isBusy.withLock { _ in
      guard let number = (line + [UInt8(ascii: "\n")]).write(to: descriptor).number else { return }
      if number == EPIPE { _exit(ExitCode.success.rawValue) }
      Console.error("takt: cannot write: \(SystemError.text(number))")
      _exit(ExitCode.unwritable.rawValue)
    }
  }
}
