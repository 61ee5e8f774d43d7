/// Cuts a stream of bytes into lines, and a longer line into pieces. It keeps one piece at most.
struct LineSplitter {
  /// A longer line is cut into pieces of this size.
  static let lineBytesMax = 8192

  private var partial: [UInt8] = []

  /// Hands each line that ends within `bytes`, without its end, to `body`. Once `body` answers false
  /// the lines of this call are only counted, the refused one among them, which is much faster than
  /// a child can write; returns how many those were.
  mutating func feed(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    var rest = bytes
    var skipped = 0
    while let end = rest.firstIndex(ofByte: 10) {
      let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      if skipped > 0 {
        skipped += 1
        continue
      }
      if partial.isEmpty, line.count <= Self.lineBytesMax {
        if !body(line) { skipped = 1 }
      } else {
        append(line, &skipped, body)
        if skipped == 0, !partial.withUnsafeBytes(body) { skipped = 1 }
      }
      partial.removeAll(keepingCapacity: true)
    }
    append(rest, &skipped, body)
    return skipped
  }

  /// Hands over an unfinished last line; returns how many lines were refused.
  mutating func finish(_ body: (UnsafeRawBufferPointer) -> Bool) -> Int {
    defer { partial = [] }
    return partial.isEmpty || partial.withUnsafeBytes(body) ? 0 : 1
  }

  private mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ skipped: inout Int,
    _ body: (UnsafeRawBufferPointer) -> Bool
  ) {
    var rest = bytes
    while partial.count + rest.count > Self.lineBytesMax {
      let piece = Self.lineBytesMax - partial.count
      partial.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<piece]))
      if skipped > 0 || !partial.withUnsafeBytes(body) { skipped += 1 }
      partial.removeAll(keepingCapacity: true)
      rest = UnsafeRawBufferPointer(rebasing: rest[piece...])
    }
    partial.append(contentsOf: rest)
  }
}
