import TaktCore
import TaktTime

/// The five time fields of a crontab as classic cron reads them, as an expression that takt reads in
/// the same way.
struct CronFields {
  /// What cron says to a field that it refuses.
  struct Refusal: Error, Equatable {
    /// From 0.
    var field: Int
    var sentence: String
  }

  /// For `cron`.
  private(set) var expression: String
  /// For `days`; nil where the default is right.
  private(set) var days: String?
  /// False for a day that no year has, such as 30 February.
  private(set) var occurs = true
  /// Fields whose text is another than in the source, from 0, each with the reason.
  private(set) var changes: [(field: Int, sentence: String)] = []

  private struct Field {
    var name: String
    var range: ClosedRange<Int>
    var names: [String] = []
    var firstName = 0
  }

  private static let fields = [
    Field(name: "minute", range: 0...59), Field(name: "hour", range: 0...23),
    Field(name: "day of month", range: 1...31),
    Field(
      name: "month", range: 1...12,
      names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
      firstName: 1),
    Field(
      name: "day of week", range: 0...7,
      names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
  ]

  init(
    _ texts: [String], dialect: CronDialect, features: ImportFeatures
  ) throws(Refusal) {
    var written: [String] = []
    for (number, text) in texts.enumerated() {
      let field = Self.fields[number]
      let values = try Self.values(of: text, field, number, dialect)
      guard text.contains("~") == false else {
        written.append(Self.hashed(text, field))
        changes.append(
          (number, "a random value that stays the same, where cron draws one at its start"))
        continue
      }
      var candidate = ["*", "*", "*", "*", "*"]
      candidate[number] = text
      if (try? CronExpression(candidate.joined(separator: " "))) != nil {
        written.append(text)
      } else {
        let list = Self.list(of: values, field)
        written.append(list)
        changes.append((number, "written as '\(list)', the same values"))
      }
    }
    expression = written.joined(separator: " ")
    // The rule of classic cron: a day must match both fields if one of them begins with a star.
    let isEither = !texts[2].hasPrefix("*") && !texts[4].hasPrefix("*")
    let read = try? CronExpression(expression)
    if !features.hasCronDays, !isEither, read?.hasBothDayFields == true {
      days = CronDayRule.all.rawValue
    }
    occurs =
      read?.next(
        after: WallInstant(milliseconds: 0), in: .utc, days: isEither ? .any : .all) != nil
  }

  private static func list(of values: [Int], _ field: Field) -> String {
    if values.count == field.range.count { return "*" }
    return values.map(String.init).joined(separator: ",")
  }

  /// `H`, `H(a-b)`: a value that is derived from the name of the job.
  private static func hashed(_ text: String, _ field: Field) -> String {
    let bounds = text.split(separator: "~", omittingEmptySubsequences: false)
    let low = Int(bounds[0]) ?? field.range.lowerBound
    let high = Int(bounds.count > 1 ? bounds[1] : "") ?? field.range.upperBound
    return "H(\(low)-\(high))"
  }

  // MARK: Reading as cron does

  private static func values(
    of text: String, _ field: Field, _ number: Int, _ dialect: CronDialect
  ) throws(Refusal) -> [Int] {
    if text.contains("~") {
      return try random(text, field, number, dialect)
    }
    var values: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let range: ClosedRange<Int>
      if halves[0] == "*" {
        range = field.range
      } else {
        let bounds = halves[0].split(
          separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let low = try value(of: bounds[0], field, number)
        var high = low
        if bounds.count == 2 {
          high = try value(of: bounds[1], field, number)
          // cronie reads a Sunday at the end as the seventh day.
          if high == 0, low > 0, field.range.upperBound == 7, dialect == .cronie { high = 7 }
        } else if halves.count == 2 {
          throw Refusal(field: number, sentence: "cron refuses a step without a range")
        }
        guard low <= high else {
          throw Refusal(field: number, sentence: "cron refuses a range that runs backwards")
        }
        range = low...high
      }
      var step = 1
      if halves.count == 2 {
        guard let given = Self.number(halves[1]), given > 0 else {
          throw Refusal(field: number, sentence: "cron refuses this step")
        }
        step = given
      }
      for value in stride(from: range.lowerBound, through: range.upperBound, by: step) {
        values.insert(field.range.upperBound == 7 ? value % 7 : value)
      }
    }
    return values.sorted()
  }

  private static func value(
    of text: Substring, _ field: Field, _ number: Int
  ) throws(Refusal) -> Int {
    if let value = Self.number(text) {
      guard field.range.contains(value) else {
        throw Refusal(
          field: number,
          sentence:
            "cron refuses this \(field.name): \(value) is outside \(field.range.lowerBound) to "
            + "\(field.range.upperBound)")
      }
      return value
    }
    if let index = field.names.firstIndex(of: text.lowercased()) { return index + field.firstName }
    throw Refusal(field: number, sentence: "cron refuses this \(field.name)")
  }

  /// Decimal, with any number of zeros in front.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ $0 > 0x2f && $0 < 0x3a })
    else { return nil }
    return Int(text)
  }

  private static func random(
    _ text: String, _ field: Field, _ number: Int, _ dialect: CronDialect
  ) throws(Refusal) -> [Int] {
    let bounds = text.split(separator: "~", omittingEmptySubsequences: false)
    guard dialect == .cronie else {
      throw Refusal(
        field: number,
        sentence:
          "Debian's cron refuses '~'; write '\(hashed(text, field))' in takt, or import with "
          + "--dialect cronie")
    }
    guard bounds.count == 2 else {
      throw Refusal(field: number, sentence: "cron refuses this range")
    }
    let low = bounds[0].isEmpty ? field.range.lowerBound : try value(of: bounds[0], field, number)
    let high = bounds[1].isEmpty ? field.range.upperBound : try value(of: bounds[1], field, number)
    guard low <= high else {
      throw Refusal(field: number, sentence: "cron refuses a range that runs backwards")
    }
    return Array(low...high)
  }

  // MARK: Names

  /// `@daily` and the others; nil for one that cron does not know.
  static func expression(named name: String) -> String? {
    ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]
      .contains(name) ? name : nil
  }
}
