import FoundationEssentials
import Glibc
import TaktTime

enum MailHeader {
  /// True for a text that cannot start another header.
  static func isAllowed(_ text: String) -> Bool {
    !text.unicodeScalars.contains { ($0.value < 0x20 && $0.value != 9) || $0.value == 0x7f }
  }

  /// A text in a line: unchanged if it is short and plain, otherwise in encoded words.
  static func text(_ text: String) -> String {
    let isPlain =
      text.utf8.count <= 60 && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
      && !text.contains("=?")
    return isPlain ? text : encoded(text)
  }

  /// Encoded words, short enough for a line with the header's name, and split only between
  /// characters.
  static func encoded(_ text: String) -> String {
    var words: [[UInt8]] = [[]]
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
      words[words.count - 1] += bytes
    }
    return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
  }

  /// `Mon, 21 Sep 2026 14:13:20 +0000`, whatever the locale.
  static func date(_ instant: WallInstant) -> String {
    let civil = Zone.utc.civilTime(at: instant)
    return "\(civil.weekdayName.prefix(3)), \(civil.day.padded(2)) \(civil.monthName.prefix(3)) "
      + "\(civil.year.padded(4)) \(civil.timeOfDay.prefix(8)) +0000"
  }
}
