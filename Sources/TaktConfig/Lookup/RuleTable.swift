import TaktCore
import TaktTime

/// The cron and calendar expressions of a load: each is read, and checked for doubtful forms, once
/// however many jobs have it.
final class RuleTable {
  /// Everything that an answer depends on.
  struct Question: Hashable, Sendable {
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

  /// A rule that occurs, in an array that all jobs share.
  struct Answer: Sendable {
    var rules: [ClockRule]
    var warnings: [CronWarning] = []
    /// True if all of its times have passed.
    var isOver = false
  }

  /// The shortest gap between instants of rules, as far as it matters to a length.
  struct Gap: Hashable, Sendable {
    var rules: [ClockRule]
    var length: Duration
  }

  private(set) var answers: [Question: Answer] = [:]
  private(set) var gaps: [Gap: Duration?] = [:]

  subscript(question: Question) -> Answer? {
    get { answers[question] }
    set { if question.isOfAnyJob { answers[question] = newValue } }
  }

  /// The shortest gap between instants of the rules, as far as it matters to a length; `search`
  /// finds it the first time.
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
  /// Few questions with the same text differ in the rest, which is slow to hash.
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// True if the job's name does not matter, as it does to `H`.
  var isOfAnyJob: Bool {
    kind != .cron || text.utf8.first == UInt8(ascii: "@")
      || !text.utf8.contains { $0 | 0x20 == UInt8(ascii: "h") }
  }
}

extension [ClockRule] {
  /// The most slots that are examined; all of them only if the first gaps are not much longer than
  /// the length.
  private static var slotsMax: Int { 200 }
  private static var slotsFirst: Int { 12 }

  /// The shortest time between two instants after a start, as far as it matters to a length.
  func shortestGap(for length: Duration, from start: WallInstant) -> Duration? {
    var shortest: Duration?
    var last: WallInstant?
    var instant = start
    for number in 0..<Self.slotsMax {
      if number > Self.slotsFirst, let shortest, shortest > length * 8 { break }
      guard let next = compactMap({ $0.next(after: instant) }).min() else { break }
      if let last { shortest = Swift.min(shortest ?? next - last, next - last) }
      last = next
      instant = next
    }
    return shortest
  }
}
