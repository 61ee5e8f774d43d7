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
    emit(partial[...])
    partial = []
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      guard sink.hasRoom else { return skip(rest) }
      append(rest[..<end])
      emit(partial[...])
      partial.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    append(rest)
  }

  /// The log is full: only line ends are counted, which is much faster than the child can write.
  private mutating func skip(_ bytes: Slice<UnsafeRawBufferPointer>) {
    let lines = bytes.count { $0 == UInt8(ascii: "\n") }
    partial.removeAll(keepingCapacity: true)
    if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) { append(bytes[(end + 1)...]) }
    sink.drop(lines: lines)
  }

  private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
    var rest = bytes
    while partial.count + rest.count > Self.lineBytesMax {
      let piece = Self.lineBytesMax - partial.count
      partial.append(contentsOf: rest.prefix(piece))
      if sink.hasRoom { emit(partial[...]) } else { sink.drop(lines: 1) }
      partial.removeAll(keepingCapacity: true)
      rest = rest.dropFirst(piece)
    }
    partial.append(contentsOf: rest)
  }

  private func emit(_ line: ArraySlice<UInt8>) {
    sink.output(facts + [LogField(.line, .bytes(Array(line)))])
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
