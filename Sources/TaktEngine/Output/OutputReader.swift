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

  /// Reads what is there, `limitBytes` at most, piece by piece into `buffer`. False at the end of the
  /// stream.
  func read(limitBytes: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var left = limitBytes
    while left > 0 {
      let (count, isOpen) = readChunk(into: buffer)
      guard isOpen else { return false }
      guard count > 0 else { return true }
      left -= count
    }
    return true
  }

  private func readChunk(
    into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, isOpen: Bool) {
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
