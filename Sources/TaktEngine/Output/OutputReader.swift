import CTaktSystem
import Glibc

/// Reads one of a child's pipes and passes the bytes to the attempt's output. Buffers nothing.
struct OutputReader {
  let descriptor: Int32
  let stream: StandardStream
  private let output: AttemptOutput

  init(_ descriptor: Int32, _ stream: StandardStream, to output: AttemptOutput) {
    self.descriptor = descriptor
    self.stream = stream
    self.output = output
  }

  var readyBytes: Int { Int(csystem_pipe_bytes(descriptor)) }

  /// Reads the present bytes, at most `limitBytes`, piece by piece into `buffer`. Returns their
  /// number, and false if the stream has ended.
  ///
  /// - Parameter isToEnd: true to continue until nothing is left, even if more arrives meanwhile.
  func read(
    limitBytes: Int, into buffer: UnsafeMutableRawBufferPointer, isToEnd: Bool
  ) -> (bytes: Int, isOpen: Bool) {
    var done = 0
    while done < limitBytes {
      let piece = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<min(buffer.count, limitBytes - done)])
      let (count, isOpen) = readChunk(into: piece)
      done += count
      guard isOpen else { return (done, false) }
      if count == 0 || count < piece.count && !isToEnd { break }
    }
    return (done, true)
  }

  private func readChunk(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isOpen: Bool) {
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 {
      output.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), from: stream)
      return (count, true)
    }
    let isEnd = count == 0 || (errno != EAGAIN && errno != EINTR)
    return (0, !isEnd)
  }

  /// Called when the stream has ended, or is no longer waited for.
  func flush() {
    output.end(stream)
  }
}
