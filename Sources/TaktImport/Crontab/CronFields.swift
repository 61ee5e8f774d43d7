import TaktCore
import TaktTime

/// The five time fields of a crontab, with cron's meaning, as an expression with the same meaning
/// in takt.
struct CronFields {
  /// A field that cron refuses, or for which takt has no notation.
  struct Refusal: Error, Equatable {
    /// Counted from 0.
    var field: Int
    var sentence: String
    /// False if cron accepts it and only takt has no notation.
    var isByCron = true
  }

  private(set) var expression: String
  /// The value of `days`; nil for the default.
  private(set) var days: CronDayRule?
  /// The reason why no time ever matches; nil if some do.
  private(set) var emptiness: Refusal?
  /// Fields, counted from 0, whose text differs from the source, with the reasons.
  private(set) var changes: [(field: Int, sentence: String)] = []

  init(_ texts: [String], dialect: CronDialect) throws(Refusal) {
    var written: [String] = []
    for (number, (text, field)) in zip(texts, CronField.allCases.dropFirst()).enumerated() {
      let reader = try CronFieldReader(text, field, number: number, dialect: dialect)
      if reader.values.isEmpty {
        emptiness =
          emptiness
          ?? Refusal(
            field: number, sentence: "this range runs backwards, and so its time never comes",
            isByCron: false)
        written.append("*")
        continue
      }
      var candidate = ["*", "*", "*", "*", "*"]
      candidate[number] = reader.text ?? ""
      if let own = reader.text, (try? CronExpression(candidate.joined(separator: " "))) != nil {
        written.append(own)
        if reader.isRandom {
          changes.append(
            (number, "'\(own)': a random value that stays the same; cron draws one when it starts"))
        }
        continue
      }
      guard !reader.isRandom else {
        throw Refusal(
          field: number, sentence: "takt has no list of random values", isByCron: false)
      }
      let list = field.list(of: reader.values)
      written.append(list)
      changes.append((number, Self.sentence(of: reader, list)))
    }
    expression = written.joined(separator: " ")
    guard emptiness == nil, let read = try? CronExpression(expression) else { return }
    // A day must match both fields if either starts with a star.
    let rule: CronDayRule = texts[2].hasPrefix("*") || texts[4].hasPrefix("*") ? .all : .any
    if read.hasBothDayFields {
      let isDefault = CronDayRule.cron.settled(for: read) == rule
      // `takt check` asks if the star is intended.
      days = !isDefault ? rule : rule == .all ? .cron : nil
    }
    if read.next(after: WallInstant(milliseconds: 0), in: .utc, days: rule) == nil {
      emptiness = Refusal(
        field: 2, sentence: "no date matches all of the fields, and so the time never comes",
        isByCron: false)
    }
  }

  private static func sentence(of reader: CronFieldReader, _ list: String) -> String {
    guard !reader.ignored.isEmpty else { return "written as '\(list)', the same values" }
    let random =
      reader.ignored.hasPrefix("~") && reader.values.count == 1
      ? "; for a random value write 'H(\(list)-\(reader.ignored.dropFirst()))', or import with "
        + "--dialect cronie" : ""
    return "Debian's cron passes over '\(reader.ignored)', and so this is '\(list)'\(random)"
  }

  /// Nil for a name that cron does not know.
  static func expression(named name: String) -> String? {
    GoSchedule.names.contains(name) ? name : nil
  }
}
