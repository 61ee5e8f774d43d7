import TaktCore
import TaktTime

/// The cron and calendar expressions that a load has met: each is read, and searched for what is
/// doubtful in it, once however many jobs have it.
final class RuleTable {
  /// All that an answer depends on.
  struct Question: Hashable {
    var text: String
    var kind: Kind
    var zone: Zone
    var days: CronDayRule
    var dst: DSTChoice
    var filter: DayFilter

    enum Kind {
      case cron, calendar, rrule
    }
  }

  /// A rule that occurs, as the only one of a list that all jobs share.
  struct Answer {
    var rules: [ClockRule]
    var warnings: [CronWarning] = []
    /// Whether all of its times have passed.
    var isOver = false
  }

  private struct Gap: Hashable {
    var rules: [ClockRule]
    var length: Duration
  }

  private var answers: [Question: Answer] = [:]
  private var gaps: [Gap: Duration?] = [:]

  subscript(question: Question) -> Answer? {
    get { answers[question] }
    set { if question.isOfAnyJob { answers[question] = newValue } }
  }

  /// What `search` finds to be the shortest gap between instants of the rules, as far as that
  /// matters to a length.
  func shortestGap(
    of rules: [ClockRule], for length: Duration, _ search: () -> Duration?
  ) -> Duration? {
    let gap = Gap(rules: rules, length: length)
    if let known = gaps[gap] { return known }
    let found = search()
    gaps[gap] = .some(found)
    return found
  }
}

extension RuleTable.Question {
  /// Whether the job's name makes no difference: it does to `H`.
  fileprivate var isOfAnyJob: Bool {
    kind != .cron || text.utf8.first == UInt8(ascii: "@")
      || !text.utf8.contains { $0 | 0x20 == UInt8(ascii: "h") }
  }
}
