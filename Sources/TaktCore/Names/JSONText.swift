package import TaktTime

package enum JSONText {
  /// Appends a text in quotes, with escapes for the characters that JSON forbids in it.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(utf8: $0, to: &bytes) }
  }

  /// Appends bytes that are probably text; parts that are not UTF-8 become U+FFFD.
  static func append(_ raw: [UInt8], to bytes: inout [UInt8]) {
    if raw.allSatisfy({ $0 < 128 }) {
      // The pointer does not leave the call.
      raw.withUnsafeBufferPointer { append(utf8: $0, to: &bytes) }
    } else {
      append(String(decoding: raw, as: UTF8.self), to: &bytes)
    }
  }

  /// Appends an instant in UTC, in quotes.
  package static func append(_ instant: WallInstant, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    instant.appendRFC3339(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Copies text without escapes in long pieces.
  private static func append(utf8 text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    var index = plainWords(in: text)
    while index < text.count {
      if needsEscape(text[index]) {
        bytes.append(contentsOf: text[start..<index])
        appendEscaped(text[index], to: &bytes)
        start = index + 1
      }
      index += 1
    }
    bytes.append(contentsOf: text[start...])
    bytes.append(UInt8(ascii: "\""))
  }

  /// The number of bytes at the start that need no escape, checked by eights: nearly all texts are
  /// plain. Without it the gate's `log`, `status` and `plan` take more.
  private static func plainWords(in text: UnsafeBufferPointer<UInt8>) -> Int {
    let raw = UnsafeRawBufferPointer(text)
    let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
    var index = 0
    // Each load is of eight bytes that lie within the buffer.
    while index + 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let (quotes, slashes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5c))
      // A top bit for a byte below 32, for a zero byte, that is a hit, and for one of 127 or above.
      let hits =
        (word &- ones &* 32) | (quotes &- ones) | (slashes &- ones) | (word &+ ones) | word
      if hits & tops != 0 { return index }
      index += 8
    }
    return index
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 32 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 127
  }

  private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case UInt8(ascii: "\n"): bytes.append(utf8: #"\n"#)
    case UInt8(ascii: "\t"): bytes.append(utf8: #"\t"#)
    case UInt8(ascii: "\r"): bytes.append(utf8: #"\r"#)
    default:
      bytes.append(utf8: byte < 16 ? #"\u000"# : #"\u00"#)
      bytes.append(utf8: String(byte, radix: 16))
    }
  }
}
