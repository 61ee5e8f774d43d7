import TaktCore

/// Keeps the beginning and the end of an output within a bound, and counts what goes between them.
struct KeptOutputBuffer {
  private let headBytesMax: Int
  private let tailBytesMax: Int
  private var head: [UInt8] = []
  /// A ring once it is full: the oldest byte is at `start`.
  private var tail: [UInt8] = []
  private var start = 0
  private var droppedBytes = 0

  /// Keeps `keepBytes` at most: the first half of them from the beginning, the rest from the end.
  init(keepBytes: Int) {
    headBytesMax = max(0, keepBytes) / 2
    tailBytesMax = max(0, keepBytes) - headBytesMax
  }

  /// What is kept, in order.
  var kept: KeptOutput {
    KeptOutput(head: head, tail: Array(tail[start...] + tail[..<start]), droppedBytes: droppedBytes)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let forHead = min(headBytesMax - head.count, bytes.count)
    head.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<forHead]))
    appendToTail(UnsafeRawBufferPointer(rebasing: bytes[forHead...]))
  }

  private mutating func appendToTail(_ bytes: UnsafeRawBufferPointer) {
    let excess = max(0, tail.count + bytes.count - tailBytesMax)
    droppedBytes += excess
    // What would not stay is not even copied.
    var rest = bytes[max(0, bytes.count - tailBytesMax)...]
    let room = tailBytesMax - tail.count
    tail.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest.prefix(room)))
    rest = rest.dropFirst(room)
    while !rest.isEmpty {
      let piece = min(rest.count, tail.count - start)
      tail.withUnsafeMutableBytes { ring in
        UnsafeMutableRawBufferPointer(rebasing: ring[start..<(start + piece)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(piece)))
      }
      start = (start + piece) % tail.count
      rest = rest.dropFirst(piece)
    }
  }
}
