import TaktCore

/// Where a value stands in a text, and so how it is written there.
enum ShellPlace: Hashable {
  /// In a text that no shell reads.
  case plain
  /// Outside quotes: a word, or a part of one.
  ///
  /// - Parameter isAlwaysQuoted: whether even plain characters could mean something there, such as the
  ///   name of a keyword, or the number of a descriptor.
  case word(isAlwaysQuoted: Bool)
  case singleQuotes
  /// - Parameter isApart: whether it directly follows the name of a variable.
  case doubleQuotes(isApart: Bool)
  /// Where a shell could run a value, or where that is not known; why, for people.
  case refused(String)

  /// The value as it is written there.
  func text(of value: String) -> String {
    switch self {
    case .plain, .refused: value
    case .word(let isAlwaysQuoted):
      isAlwaysQuoted || !value.isPlainShellWord ? value.singleQuoted : value
    case .singleQuotes: value.withinSingleQuotes
    // Backslashes would not hold in a character set in which one may be the second byte of a character.
    case .doubleQuotes(let isApart):
      isApart || !value.isPlainShellWord ? "\"\(value.singleQuoted)\"" : value
    }
  }
}

extension String {
  /// Whether a shell takes it as it stands in a word.
  fileprivate var isPlainShellWord: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "_./:@%+,-".utf8.contains(byte)
        }
      }
  }
}
