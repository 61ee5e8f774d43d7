import TaktTime

/// Recognizes durations in the notation of other tools: `5 min`, `1:30`, `2 years`.
enum MeantDuration {
  private static let units: [String: String] = [
    "ms": "ms", "msec": "ms", "msecs": "ms", "millisecond": "ms", "milliseconds": "ms", "s": "s",
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "m": "m", "min": "m", "mins": "m",
    "minute": "m", "minutes": "m", "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "d": "d", "day": "d", "days": "d", "w": "w", "wk": "w", "week": "w", "weeks": "w",
  ]
  private static let years: Set<String> = ["y", "yr", "yrs", "year", "years"]

  /// The text in takt's notation; nil if the intention is unclear.
  static func of(_ text: String) -> String? {
    let meant = text.contains(":") ? clock(text) : period(text) ?? words(text)
    guard let meant, (try? DurationText.parse(meant)) != nil else { return nil }
    return meant
  }

  /// Parses `1:30` and `1:30:00`.
  private static func clock(_ text: String) -> String? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return nil }
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == parts.count, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    let meant = zip(numbers, ["h", "m", "s"]).filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
    return meant.isEmpty ? nil : meant.joined()
  }

  /// Parses `PT5M` and `P1DT12H` of ISO 8601; months and years have no fixed length.
  private static func period(_ text: String) -> String? {
    guard text.first == "P" else { return nil }
    let parts = text.dropFirst().split(separator: "T", omittingEmptySubsequences: false)
    guard parts.count <= 2, let days = parts.first else { return nil }
    let time = parts.count == 2 ? parts[1] : ""
    guard !days.contains("M"), !days.contains("Y") else { return nil }
    return (days + time).lowercased()
  }

  /// Removes blanks and thousands separators; any other comma is a decimal point.
  private static func plain(_ text: String) -> String {
    let text = text.filter { !" _".contains($0) }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let isThousands = parts.dropFirst().allSatisfy { $0.prefix { $0.isNumber }.count == 3 }
    return parts.joined(separator: isThousands ? "" : ".")
  }

  private static func words(_ text: String) -> String? {
    var rest = plain(text)[...]
    var meant = ""
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      rest = rest[number.endIndex...]
      let word = rest.prefix { $0.isLetter }
      rest = rest[word.endIndex...]
      guard !number.isEmpty, !word.isEmpty else { return nil }
      if let unit = units[word.lowercased()] {
        meant += "\(number)\(unit)"
      } else if years.contains(word.lowercased()), let count = Int(number), count <= 100 {
        meant += "\(count * 365)d"
      } else {
        return nil
      }
    }
    return meant
  }
}
