import TaktCore
import TaktTime

/// The time fields of a crontab, with supercronic's meaning, as an expression with the same meaning
/// in takt.
struct SupercronicFields {
  private(set) var expression: String
  /// The value of `days`; nil for the default.
  private(set) var days: CronDayRule?
  /// Each field in takt's notation.
  private(set) var written: [String]

  /// - Parameter texts: five fields; six with a year at the end; or seven, also with seconds at the
  ///   start.
  init(_ texts: [String]) throws(CronFields.Refusal) {
    let kinds = CronField.allCases.dropFirst(texts.count == 7 ? 0 : 1)
    var fields: [Field] = []
    for (number, (text, kind)) in zip(texts, kinds).enumerated() {
      fields.append(try Field(text, kind, number: number))
    }
    let month = texts.count == 7 ? 3 : 2
    let week = month + 2
    // Without a star in a day field, a day may match either field, so that one with all values
    // means every day.
    if !fields[month].isStar, !fields[week].isStar, fields[month].isFull || fields[week].isFull {
      fields[month].text = "*"
      fields[week].text = "*"
    }
    written = fields.map(\.text)
    // The last of six fields is the year, but takt reads the first of six as seconds.
    expression = (texts.count == 6 ? ["0"] + written : written).joined(separator: " ")
    guard let read = try? CronExpression(expression) else {
      throw CronFields.Refusal(
        field: 0, sentence: "takt does not read these times", isByCron: false)
    }
    if read.hasBothDayFields, CronDayRule.cron.settled(for: read) != .any { days = .any }
    guard read.next(after: WallInstant(milliseconds: 0), in: .utc, days: .any) != nil else {
      throw CronFields.Refusal(field: 0, sentence: "these times never come", isByCron: false)
    }
  }

  private struct Field {
    /// In takt's notation.
    var text: String
    /// True if one of its parts is a lone star.
    private(set) var isStar = false
    /// True if it lists all values.
    private(set) var isFull = false

    init(_ source: String, _ kind: CronField, number: Int) throws(CronFields.Refusal) {
      var parts: [String] = []
      var values: Set<Int> = []
      text = "*"
      for part in source.split(separator: ",").map(String.init) {
        if part == "*" || part == "?" {
          isStar = true
          continue
        }
        guard let read = Part(part.lowercased(), kind) else {
          throw CronFields.Refusal(
            field: number, sentence: "supercronic refuses '\(part)' in the \(kind.rawValue)")
        }
        values.formUnion(read.values)
        if !read.text.isEmpty { parts.append(read.text) }
      }
      guard isStar || !parts.isEmpty else {
        throw CronFields.Refusal(
          field: number,
          sentence: source.contains { $0 != "," }
            ? "this range runs backwards, and so its time never comes"
            : "supercronic refuses this \(kind.rawValue)",
          isByCron: !source.contains { $0 != "," })
      }
      isFull = values.count == (kind == .dayOfWeek ? 7 : kind.supercronicValues.count)
      if !isStar { text = parts.joined(separator: ",") }
    }
  }

  private struct Part {
    /// In takt's notation; empty for no value at all.
    var text: String
    /// Days of the week from 0 to 6; empty for a day that depends on the month.
    var values: Set<Int> = []

    /// Nil for a part that supercronic refuses.
    init?(_ source: String, _ kind: CronField) {
      text = source
      if Self.isSpecial(source, kind) {
        text = source.uppercased()
        return
      }
      let parts = source.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      guard parts.count <= 2, ends.count <= 2 else { return nil }
      let last = kind == .dayOfWeek ? 6 : kind.supercronicValues.upperBound
      var (low, high) = (kind.supercronicValues.lowerBound, last)
      if parts[0] != "*" {
        guard let first = Self.value(ends[0], kind) else { return nil }
        low = first
        if ends.count == 2 {
          guard let second = Self.value(ends[1], kind) else { return nil }
          high = second
        } else if parts.count == 1 {
          high = first
        }
      }
      var step = 1
      if parts.count == 2 {
        guard let given = Self.number(parts[1], bytesMax: 2),
          (1...min(last, 59)).contains(given)
        else { return nil }
        step = given
      } else if low > high {
        return nil
      }
      values = Set(stride(from: low, through: high, by: step))
      // takt knows no long names, counts Sunday at both ends of the week, and has another first
      // year.
      let isPlain = ends.allSatisfy { kind.shortNames.contains($0) || Int($0) != nil || $0 == "*" }
      let hasOtherEnds = kind == .dayOfWeek || kind == .year
      if !isPlain || values.isEmpty || hasOtherEnds && parts.count == 2
        || kind == .dayOfWeek && parts[0].contains("7")
      {
        text = values.sorted().map(String.init).joined(separator: ",")
      }
    }

    /// True for `L`, `LW` and `15W` of a month, `5L` and `5#3` of a week.
    private static func isSpecial(_ text: String, _ kind: CronField) -> Bool {
      if kind == .dayOfMonth {
        return text == "l" || text == "lw"
          || text.hasSuffix("w") && value(String(text.dropLast()), kind) != nil
      }
      guard kind == .dayOfWeek else { return false }
      if text.hasSuffix("l") { return value(String(text.dropLast()), kind) != nil }
      let parts = text.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
      return parts.count == 2 && value(parts[0], kind) != nil
        && ["1", "2", "3", "4", "5"].contains(parts[1])
    }

    /// Reads a number or a name, long names of days and months too; Sunday is 0.
    private static func value(_ text: String, _ kind: CronField) -> Int? {
      let long = kind == .dayOfWeek ? longDays : kind.names.isEmpty ? [] : longMonths
      if let index = kind.shortNames.firstIndex(of: text) ?? long.firstIndex(of: text) {
        return kind.values.lowerBound + index
      }
      guard let value = number(text, bytesMax: kind == .year ? 4 : 2),
        kind.supercronicValues.contains(value)
      else { return nil }
      return kind == .dayOfWeek ? value % 7 : value
    }

    private static func number(_ text: String, bytesMax: Int) -> Int? {
      guard text.utf8.count <= bytesMax, text.utf8.allSatisfy({ $0 > 0x2f && $0 < 0x3a })
      else { return nil }
      return Int(text)
    }

    private static let longDays = [
      "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
    private static let longMonths = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september",
      "october", "november", "december",
    ]
  }
}

extension CronField {
  fileprivate var supercronicValues: ClosedRange<Int> { self == .year ? 1970...2099 : values }

  fileprivate var shortNames: [String] { names.map { $0.lowercased() } }
}
