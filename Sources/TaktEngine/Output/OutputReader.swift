import CTaktSystem
import Glibc

/// Reads one of a child's pipes and hands what comes to the attempt's output. It keeps nothing.
struct OutputReader {
  let descriptor: Int32
  let stream: StandardStream
  private let output: AttemptOutput

  init(_ descriptor: Int32, _ stream: StandardStream, to output: AttemptOutput) {
    self.descriptor = descriptor
    self.stream = stream
    self.output = output
  }

  /// How much there is to read.
  var readyBytes: Int { Int(csystem_pipe_bytes(descriptor)) }

  /// Reads what is there, `limitBytes` at most, piece by piece into `buffer`. Says how much that was,
  /// and whether the stream has not ended.
  ///
  /// - Parameter isToEnd: whether to go on until nothing is left, where more may come meanwhile.
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

  /// The stream has ended, or nobody waits for more of it.
  func flush() {
    output.end(stream)
  }
}
