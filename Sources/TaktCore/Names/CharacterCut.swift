/// Places at which bytes that are probably UTF-8 can be cut: the one rule for every bound on a
/// text.
extension BidirectionalCollection<UInt8> {
  /// The number of bytes at the end that start a character whose rest is missing: at most three.
  package var cutCharacterBytes: Int {
    for (place, byte) in reversed().prefix(3).enumerated() where byte & 0xC0 != 0x80 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > place + 1 ? place + 1 : 0
    }
    return 0
  }

  /// The number of bytes at the start that end a character whose start is missing: at most three.
  package var continuationBytes: Int { prefix(3).prefix { $0 & 0xC0 == 0x80 }.count }
}
