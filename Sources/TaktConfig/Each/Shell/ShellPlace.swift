import TaktCore

/// The place of a value in a text, which determines its quoting.
enum ShellPlace: Hashable {
  /// In a text that no shell reads.
  case plain
  /// Outside quotes: a word, or a part of one.
  ///
  /// - Parameter isAlwaysQuoted: true if even plain characters could have a meaning there, such as
  ///   the name of a keyword, or the number of a descriptor.
  case word(isAlwaysQuoted: Bool)
  case singleQuotes
  /// - Parameter isApart: true if it directly follows the name of a variable.
  case doubleQuotes(isApart: Bool)
  /// A place where a shell could run a value, or that is not known, with the reason for people.
  case refused(String)

  /// The value with the quoting for its place.
  func text(of value: String) -> String {
    switch self {
    case .plain, .refused: value
    case .word(let isAlwaysQuoted):
      isAlwaysQuoted || !value.isPlainShellWord ? value.singleQuoted : value
    case .singleQuotes: value.withinSingleQuotes
    // Backslashes are unsafe in a character set in which one may be the second byte of a character.
    case .doubleQuotes(let isApart):
      isApart || !value.isPlainShellWord ? "\"\(value.singleQuoted)\"" : value
    }
  }
}

extension String {
  /// True if a shell takes it literally in a word.
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
