/// The printable form of text that somebody else wrote: the name of a file, an answer, a line of a
/// file. Every text for people passes here, and nothing else decides what is hidden.
///
/// A character that would control the terminal, or show a text in another order or on other lines
/// than it has, becomes U+FFFD: control characters, DEL, C1, the marks of bidirectional text, and
/// the separators of lines and paragraphs. So does anything that is not UTF-8, where it is decoded.
extension Unicode.Scalar {
  /// True if a terminal may do something else than show it.
  @inlinable package var steersTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true
    case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// True for a space that only people recognize, such as the no-break space, and for the byte
  /// order mark.
  package var isForeignSpace: Bool { value > 0x7F && properties.isWhitespace || value == 0xFEFF }

  /// True if it cannot be seen, or looks like a plain space; a copy from a page or a chat brings
  /// such characters along.
  package var isInvisible: Bool {
    switch value {
    case 0xAD, 0x200B, 0x2060: true
    default: isForeignSpace
    }
  }

  /// `U+00A0`
  package var code: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension String {
  /// The text on one line, with U+FFFD for characters that control a terminal.
  package var printable: String { shown { $0.steersTerminal } }

  /// The same of a text that may have several lines, and tabs in them.
  package var printableLines: String { shown { $0.steersTerminal && $0 != "\n" && $0 != "\t" } }

  /// The text with the codes of invisible characters in their place: `<U+00A0>`.
  package var withoutInvisible: String {
    guard unicodeScalars.contains(where: \.isInvisible) else { return self }
    return unicodeScalars.map { $0.isInvisible ? "<\($0.code)>" : String(Character($0)) }.joined()
  }

  /// Advice about the first invisible character in it; nil without one.
  package var invisibleHint: String? {
    guard let scalar = unicodeScalars.first(where: \.isInvisible) else { return nil }
    return scalar.properties.generalCategory == .spaceSeparator
      ? "\(scalar.code) is not a plain space; write one instead" : "remove \(scalar.code)"
  }

  private func shown(_ isHidden: (Unicode.Scalar) -> Bool) -> String {
    // Nearly all texts need no change.
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
