/// Splits the output of a container into its two streams: each frame has a header of eight bytes,
/// with the stream and the length.
///
/// A frame may be cut anywhere, and may claim 4 GB: none of it is buffered.
package struct ContainerFrames {
  /// The input has no frames.
  package struct Flaw: Error {}

  private static let headerBytes = 8
  private var header: [UInt8] = []
  private var stream = StandardStream.stdout
  private var left = 0

  package init() {}

  package var isWithinFrame: Bool { left > 0 || !header.isEmpty }

  /// Passes the parts of the streams to `body`, in order.
  package mutating func feed(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (_ stream: StandardStream, _ part: UnsafeRawBufferPointer) -> Void
  ) throws(Flaw) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if left > 0 {
        let part = rest.prefix(left)
        left -= part.count
        rest = rest.dropFirst(part.count)
        body(stream, UnsafeRawBufferPointer(rebasing: part))
        continue
      }
      let part = rest.prefix(Self.headerBytes - header.count)
      header += part
      rest = rest.dropFirst(part.count)
      if header.count == Self.headerBytes { try beginFrame() }
    }
  }

  private mutating func beginFrame() throws(Flaw) {
    // 0 is the input, which some engines show as output; 3 is a message of the engine itself.
    guard header[0] <= 3, header[1...3].allSatisfy({ $0 == 0 }) else { throw Flaw() }
    stream = header[0] >= 2 ? .stderr : .stdout
    left = header[4...7].reduce(0) { $0 << 8 | Int($1) }
    header.removeAll(keepingCapacity: true)
  }
}
