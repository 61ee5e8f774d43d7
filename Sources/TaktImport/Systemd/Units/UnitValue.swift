import TaktCore
import TaktTime

enum UnitValue {

  private static let units: [(names: [String], microseconds: Double)] = [
    (["usec", "us", "µs", "μs"], 1), (["msec", "ms"], 1e3),
    (["seconds", "second", "sec", "s", ""], 1e6), (["minutes", "minute", "min", "m"], 6e7),
    (["hours", "hour", "hr", "h"], 3.6e9), (["days", "day", "d"], 8.64e10),
    (["weeks", "week", "w"], 6.048e11), (["months", "month", "M"], 2.6298e12),
    (["years", "year", "y"], 3.15576e13),
  ]

  enum Span: Equatable {
    case infinite
    /// In whole milliseconds, rounded up; at most a hundred years.
    case duration(Duration)
  }

  /// `5min 20s`, `90`, `infinity`; nil for another text.
  static func span(_ text: String) -> Span? {
    if text == "infinity" { return .infinite }
    var rest = Array(text.unicodeScalars)[...]
    var microseconds = 0.0
    var isEmpty = true
    func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }
    skipBlanks()
    while !rest.isEmpty {
      let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
      guard let number = Double(String(String.UnicodeScalarView(digits))) else { return nil }
      rest = rest.dropFirst(digits.count)
      skipBlanks()
      let letters = rest.prefix { $0.properties.isAlphabetic }
      rest = rest.dropFirst(letters.count)
      let name = String(String.UnicodeScalarView(letters))
      guard let unit = units.first(where: { $0.names.contains(name) }) else { return nil }
      microseconds += number * unit.microseconds
      isEmpty = false
      skipBlanks()
    }
    guard !isEmpty, microseconds.isFinite else { return nil }
    let milliseconds = min(microseconds / 1000, Double(DurationText.maximumMilliseconds))
    return .duration(.milliseconds(Int64(milliseconds.rounded(.up))))
  }

  /// `512M`, in bytes; nil for another text and for `infinity`.
  static func bytes(_ text: String) -> Int? {
    let scales: [(Character, Int)] = [
      ("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40), ("B", 1),
    ]
    var digits = text[...]
    var scale = 1
    if let last = text.last, let found = scales.first(where: { $0.0 == last }) {
      digits = digits.dropLast()
      scale = found.1
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 > 0x2f && $0 < 0x3a }),
      let number = Int(digits)
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: scale)
    return overflow ? nil : bytes
  }

  /// Splits a value as systemd does: blanks, both kinds of quotes, and backslashes; nil if a quote
  /// is not closed.
  static func words(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\" {
        var current = word ?? .init()
        guard let escaped = escape(&rest) else { return nil }
        current.append(contentsOf: escaped)
        word = current
      } else if let open = quote {
        if scalar == open { quote = nil } else { word?.append(scalar) }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
        word = word ?? .init()
      } else if scalar == " " || scalar == "\t" || scalar == "\n" {
        if let done = word { words.append(String(done)) }
        word = nil
      } else {
        var current = word ?? .init()
        current.append(scalar)
        word = current
      }
    }
    guard quote == nil else { return nil }
    if let word { words.append(String(word)) }
    return words
  }

  /// Resolves backslashes; nil for one at the end.
  static func unescaped(_ text: String) -> String? {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\" {
        guard let escaped = escape(&rest) else { return nil }
        result.append(contentsOf: escaped)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  private static func escape(
    _ rest: inout Substring.UnicodeScalarView
  ) -> String.UnicodeScalarView? {
    guard let sign = rest.popFirst() else { return nil }
    let plain: [Unicode.Scalar: Unicode.Scalar] = [
      "a": "\u{7}", "b": "\u{8}", "f": "\u{c}", "n": "\n", "r": "\r", "t": "\t", "v": "\u{b}",
      "\\": "\\", "\"": "\"", "'": "'", "s": " ",
    ]
    var result = String.UnicodeScalarView()
    if let scalar = plain[sign] {
      result.append(scalar)
      return result
    }
    let (count, radix) =
      switch sign {
      case "x": (2, 16)
      case "u": (4, 16)
      case "U": (8, 16)
      case "0"..."7": (3, 8)
      default: (0, 0)
      }
    guard count > 0 else {
      // Not an escape: the backslash stays.
      result.append("\\")
      result.append(sign)
      return result
    }
    var digits = radix == 8 ? String(Character(sign)) : ""
    while digits.utf8.count < count, let digit = rest.popFirst() {
      digits.unicodeScalars.append(digit)
    }
    guard digits.utf8.count == count, let value = UInt32(digits, radix: radix), value != 0,
      let scalar = Unicode.Scalar(value)
    else { return nil }
    result.append(scalar)
    return result
  }

  /// Quotes a word for a shell.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy {
        ($0 | 0x20 > 0x60 && $0 | 0x20 < 0x7b) || ($0 > 0x2f && $0 < 0x3a)
          || "/._-+:=,@%".utf8.contains($0)
      }
    return isPlain ? word : word.singleQuoted
  }
}
