/// Texts as JSON writes them.
package enum JSONText {
  /// Appends a text in quotes, with what JSON does not allow in it escaped.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
      case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
      case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
      case 0..<32, 127:
        bytes += (byte < 16 ? #"\u000"# : #"\u00"#).utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
