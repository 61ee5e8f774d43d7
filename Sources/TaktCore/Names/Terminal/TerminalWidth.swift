/// The number of columns that a text takes on a terminal.
package enum TerminalWidth {
  static func of(_ utf8: ArraySlice<UInt8>) -> Int {
    String(decoding: utf8, as: UTF8.self).reduce(0) { $0 + of($1) }
  }

  /// The beginning of a text that takes at most so many columns.
  package static func prefix(of text: String, upTo width: Int) -> (text: String, width: Int) {
    var (shown, taken) = ("", 0)
    for character in text {
      let next = taken + of(character)
      if next > width { break }
      shown.append(character)
      taken = next
    }
    return (shown, taken)
  }

  private static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.value < 0x300 { return 1 }
    if wide.contains(where: { $0.contains(first.value) }) || first.properties.isEmojiPresentation {
      return 2
    }
    // U+FE0F asks for the coloured form, which is wide.
    if character.unicodeScalars.contains("\u{fe0f}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }

  /// Characters that East Asian fonts draw two columns wide (Unicode Standard Annex 11, classes W
  /// and F), except emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0xa4cf,
    0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f,
    0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18cff, 0x1aff0...0x1b2ff, 0x1f200...0x1f2ff,
    0x20000...0x3fffd,
  ]
}
