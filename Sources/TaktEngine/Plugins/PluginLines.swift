/// Cuts what a plugin says into lines, none of them longer than the protocol allows.
struct PluginLines {
  /// The most bytes of a line, without its end.
  static let lineBytesMax = 65_536

  private var partial: [UInt8] = []

  /// Hands over each line that ends within `bytes`, without its end. False when one is too long; then
  /// nothing more is to be taken.
  mutating func take(
    _ bytes: UnsafeRawBufferPointer, _ body: ([UInt8]) -> Void
  ) -> Bool {
    var rest = bytes
    while let end = rest.firstIndex(ofByte: 10) {
      guard partial.count + end <= Self.lineBytesMax else { return false }
      let line = partial + rest[..<end]
      partial.removeAll(keepingCapacity: true)
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      body(line)
    }
    guard partial.count + rest.count <= Self.lineBytesMax else { return false }
    partial.append(contentsOf: rest)
    return true
  }
}
