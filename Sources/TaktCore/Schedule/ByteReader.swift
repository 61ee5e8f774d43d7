/// Reads a text from the left, byte by byte; the places it speaks of are offsets in UTF-8.
struct ByteReader {
  let bytes: [UInt8]
  /// The offset of the next byte.
  var position: Int
  /// The offset after the last byte that may be read.
  let end: Int

  init(_ text: String) {
    bytes = Array(text.utf8)
    position = 0
    end = bytes.count
  }

  init(bytes: [UInt8], from position: Int, to end: Int) {
    self.bytes = bytes
    self.position = position
    self.end = end
  }

  var isAtEnd: Bool { position >= end }

  /// The next byte, which stays; nil at the end.
  var next: UInt8? { position < end ? bytes[position] : nil }

  /// Goes past the sign when it comes next; a letter is given small and found in either case.
  mutating func consume(_ sign: Unicode.Scalar) -> Bool {
    guard let next, Self.small(next) == UInt8(ascii: sign) else { return false }
    position += 1
    return true
  }

  /// Goes past the word when it comes next, in either case; it is given in small letters.
  mutating func consume(word: String) -> Bool {
    let wanted = word.utf8
    guard position + wanted.count <= end else { return false }
    for (index, byte) in wanted.enumerated()
    where Self.small(bytes[position + index]) != byte {
      return false
    }
    position += wanted.count
    return true
  }

  /// Decimal digits as a number; nil when none come next, `.max` for more than fifteen.
  mutating func number() -> Int? {
    let start = position
    var value = 0
    while let next, Self.isDigit(next) {
      value = value > 99_999_999_999_999 ? .max : value * 10 + Int(next - 0x30)
      position += 1
      if value == .max { skip(while: Self.isDigit) }
    }
    return position == start ? nil : value
  }

  /// Letters; empty when none come next.
  mutating func letters() -> String {
    let start = position
    while let next, Self.isLetter(next) { position += 1 }
    return text(from: start, to: position)
  }

  mutating func skip(while isWanted: (UInt8) -> Bool) {
    while let next, isWanted(next) { position += 1 }
  }

  func text(from start: Int, to end: Int) -> String {
    String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// The character at an offset, whole; empty at the end.
  func character(at offset: Int) -> String {
    guard offset < end else { return "" }
    return String(decoding: bytes[offset..<end], as: UTF8.self).first.map(String.init) ?? ""
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
  static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a }
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func small(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
  }
}
