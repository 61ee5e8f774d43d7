import TaktCore
import TaktTime

/// Times in the words of robfig/cron, which programs in Go read: Kubernetes, Ofelia and Dkron.
struct GoSchedule {
  enum Times {
    /// A name or an expression, and the rule for its two day fields.
    case cron(String, days: CronDayRule?, rule: CronDayRule)
    case every(Duration)
    /// By hand alone: a name for that, or fields that no date matches.
    case manual
  }

  let times: Times
  /// Of `CRON_TZ=` before the fields.
  let zone: String?

  /// Nil where the programs do not read it, or takt does not.
  ///
  /// - Parameter manual: the program's names for a job that starts by hand.
  init?(_ text: String, allowsSeconds: Bool, manual: Set<String> = []) {
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
        || CronFields.expression(named: schedule) != nil,
      let expression = try? CronExpression(schedule)
    else { return nil }
    guard expression.next(after: WallInstant(milliseconds: 0), in: .utc) != nil else {
      times = .manual
      return
    }
    // A star with a step is a choice of days here, and not a star.
    let rule = CronFields.plainStarRule(Array(fields.suffix(5)))
    let isOther = expression.hasBothDayFields && CronDayRule.cron.settled(for: expression) != rule
    times = .cron(schedule, days: isOther ? rule : nil, rule: rule)
  }

  /// Writes the times.
  func set(in draft: inout JobDraft) {
    switch times {
    case .every(let every): draft[.every] = .word(DurationText.format(every))
    case .cron(let text, let days, let rule):
      draft[.cron] = .text(text)
      if let days { draft[.days] = .word(days.rawValue) }
      // The oracle reads five fields.
      if text.hasPrefix("@") || text.split(separator: " ").count == 5 {
        draft.times = [.cron(text, rule: rule)]
      }
    case .manual: draft[.on] = .word(Schedule.manualWord)
    }
  }
}
