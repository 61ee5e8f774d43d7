import TaktTime

/// Times in the words of robfig/cron, which programs in Go read: Kubernetes, Ofelia and Dkron.
package struct GoSchedule: Sendable {
  package enum Times: Sendable {
    /// A name or an expression, and the rule for its two day fields.
    case cron(String, days: CronDayRule?, rule: CronDayRule)
    case every(Duration)
    /// By hand alone: a name for that, or fields that no date matches.
    case manual
  }

  package let times: Times
  /// Of `CRON_TZ=` before the fields.
  package let zone: String?

  /// Nil where the programs do not read it, or takt does not.
  ///
  /// - Parameter manual: the program's names for a job that starts by hand.
  package init?(_ text: String, allowsSeconds: Bool, manual: Set<String> = []) {
    var fields = text.split { $0 == " " || $0 == "\t" }.map(String.init)
    if let first = fields.first, first.hasPrefix("TZ=") || first.hasPrefix("CRON_TZ=") {
      zone = String(first[first.index(after: first.firstIndex(of: "=") ?? first.startIndex)...])
      fields.removeFirst()
    } else {
      zone = nil
    }
    if fields.count == 2, fields[0] == "@every" {
      guard let every = try? DurationText.parse(fields[1]), every >= .seconds(1) else { return nil }
      times = .every(every)
      return
    }
    let schedule = fields.joined(separator: " ")
    if manual.contains(schedule) {
      times = .manual
      return
    }
    guard
      fields.count == 5 || allowsSeconds && fields.count == 6
        || Self.names.contains(schedule),
      let expression = try? CronExpression(schedule)
    else { return nil }
    guard expression.next(after: WallInstant(milliseconds: 0), in: .utc) != nil else {
      times = .manual
      return
    }
    // A star with a step is a choice of days here, and not a star.
    let rule = Self.plainStarRule(Array(fields.suffix(5)))
    let isOther = expression.hasBothDayFields && CronDayRule.cron.settled(for: expression) != rule
    times = .cron(schedule, days: isOther ? rule : nil, rule: rule)
  }

  /// The names for expressions that cron and these programs know.
  package static let names: Set<String> = [
    "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
  ]

  /// To these programs only a lone star means every day: days match either field if both name some.
  private static func plainStarRule(_ fields: [String]) -> CronDayRule {
    guard fields.count >= 5 else { return .any }
    let hasStar = [fields[2], fields[4]].contains { field in
      field.split(separator: ",").contains { ["*", "?", "*/1"].contains($0) }
    }
    return hasStar ? .all : .any
  }
}
