/// What a terminal may be given of a text that somebody else wrote: the name of a file, an answer, a
/// line of a file. Every text for people passes here, and nothing else decides what is hidden.
///
/// What would steer the terminal, or show a text in another order or on other lines than it has,
/// becomes U+FFFD: control characters, DEL, C1, the marks of bidirectional text, and the separators
/// of lines and paragraphs. So does what is not UTF-8, where it is decoded.
extension Unicode.Scalar {
  /// Whether a terminal may do something else than show it.
  @inlinable package var steersTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true
    case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// The text on one line, with everything visible that would steer a terminal.
  package var printable: String { shown { $0.steersTerminal } }

  /// The same of a text that may have several lines, and tabs in them.
  package var printableLines: String { shown { $0.steersTerminal && $0 != "\n" && $0 != "\t" } }

  private func shown(_ isHidden: (Unicode.Scalar) -> Bool) -> String {
    // Nearly all texts are as they are.
    guard unicodeScalars.contains(where: isHidden) else { return self }
    return String(
      String.UnicodeScalarView(unicodeScalars.map { isHidden($0) ? "\u{FFFD}" : $0 }))
  }

  /// The same of a text in JSON, whose strings keep their values: each such character is written as
  /// its number.
  package var printableJSON: String {
    guard unicodeScalars.contains(where: { $0.steersTerminal && $0 != "\n" }) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.steersTerminal, scalar != "\n", scalar != "\t", scalar != "\r" {
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        text.unicodeScalars.append(scalar == "\r" ? " " : scalar)
      }
    }
    return text
  }
}

/// A stream of bytes for a terminal, whose characters may be cut into two parts.
package struct PrintableStream: Sendable {
  private var rest: [UInt8] = []

  package init() {}

  /// The next part, with everything visible that would steer a terminal.
  package mutating func add(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = rest + bytes
    let cut = Self.cutBytes(at: bytes)
    rest = Array(bytes.suffix(cut))
    bytes.removeLast(cut)
    return Array(String(decoding: bytes, as: UTF8.self).printableLines.utf8)
  }

  /// How many bytes at the end are the begin of a character.
  private static func cutBytes(at bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > count ? count : 0
    }
    return 0
  }
}
