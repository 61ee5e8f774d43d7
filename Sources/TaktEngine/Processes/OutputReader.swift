import Glibc
import TaktCore

/// Reads one of a child's pipes and hands its lines to the log. It never keeps more than one line,
/// and never makes the child wait for the log: what the log has no room for is counted.
struct OutputReader {
  enum Stream: String {
    case stdout, stderr
  }

  /// A longer line is cut into pieces of this size.
  static let lineBytesMax = 8192
  private static let chunkBytes = 65_536

  let descriptor: Int32
  private let stream: Stream
  private let sink: any OutputSink
  private let facts: [LogField]
  private var partial: [UInt8] = []

  init(_ descriptor: Int32, _ stream: Stream, of request: AttemptRequest, to sink: any OutputSink) {
    self.descriptor = descriptor
    self.stream = stream
    self.sink = sink
    facts = [
      LogField(.job, .text(request.spec.name.text)),
      LogField(.run, .number(Int64(request.run.number))),
      LogField(.attempt, .number(Int64(request.attempt))),
      LogField(.stream, .text(stream.rawValue)),
    ]
  }

  /// Reads what is there, `limitBytes` at most. False at the end of the stream.
  mutating func read(limitBytes: Int) -> Bool {
    var left = limitBytes
    while left > 0 {
      let (count, isOpen) = readChunk()
      guard isOpen else { return false }
      guard count > 0 else { return true }
      left -= count
    }
    return true
  }

  private mutating func readChunk() -> (count: Int, isOpen: Bool) {
    withUnsafeTemporaryAllocation(byteCount: Self.chunkBytes, alignment: 1) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 {
        take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return (count, true)
      }
      let isEnd = count == 0 || (errno != EAGAIN && errno != EINTR)
      return (0, !isEnd)
    }
  }

  /// Hands over an unfinished last line.
  mutating func flush() {
    guard !partial.isEmpty else { return }
    emit(partial)
    partial = []
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while let end = rest.lineEnd {
      guard sink.hasRoom else { return skip(rest) }
      append(UnsafeRawBufferPointer(rebasing: rest[..<end]))
      emit(partial)
      partial.removeAll(keepingCapacity: true)
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
    }
    append(rest)
  }

  /// The log is full: only line ends are counted, which is much faster than the child can write.
  private mutating func skip(_ bytes: UnsafeRawBufferPointer) {
    partial.removeAll(keepingCapacity: true)
    var lines = 0
    var rest = bytes
    while let end = rest.lineEnd {
      lines += 1
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
    }
    sink.drop(lines: lines)
    append(rest)
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while partial.count + rest.count > Self.lineBytesMax {
      let piece = Self.lineBytesMax - partial.count
      partial.append(contentsOf: rest.prefix(piece))
      if sink.hasRoom { emit(partial) } else { sink.drop(lines: 1) }
      partial.removeAll(keepingCapacity: true)
      rest = rest.dropFirst(piece)
    }
    partial.append(contentsOf: rest)
  }

  private func emit(_ line: [UInt8]) {
    sink.output(facts + [LogField(.line, .bytes(line))])
  }
}

extension UnsafeRawBufferPointer {
  /// Where the first line ends, by the C library's search, which looks at many bytes at once. The
  /// pointer that it returns lies within the buffer.
  fileprivate var lineEnd: Int? {
    guard let start = baseAddress, let end = memchr(start, 10, count) else { return nil }
    return UnsafeRawPointer(end) - start
  }
}

/// Where the lines of runs go.
///
/// Safe from any thread; never blocks.
public protocol OutputSink: Sendable {
  /// Whether a line would be taken now.
  var hasRoom: Bool { get }

  /// Takes one line with its facts.
  func output(_ fields: [LogField])

  /// Counts lines that were not handed over.
  func drop(lines: Int)
}
