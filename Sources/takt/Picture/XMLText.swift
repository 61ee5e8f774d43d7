/// Text made fit for XML, whatever it holds.
enum XMLText {
  /// The text with the characters of markup escaped and those that XML forbids replaced.
  static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy(isPlain) { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return result
  }

  /// The text on one line: every control character a space, for labels.
  static func oneLine(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isBreak =
        scalar == "\n" || scalar == "\r" || scalar == "\t" || scalar == "\u{2028}"
        || scalar == "\u{2029}"
      result.unicodeScalars.append(isBreak ? " " : isAllowed(scalar) ? scalar : "\u{FFFD}")
    }
    return result
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      return false
    default: return byte >= 0x20 && byte < 0x7F
    }
  }

  // A carriage return is allowed but a reader may turn it into something else; nobody misses it.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: return true
    case ..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: return false
    default: return true
    }
  }
}
