import TaktTime

/// The treatment of slots whose time passed while nothing could serve them.
package struct MissedPolicy: Hashable, Sendable {
  package enum Choice: String, CaseIterable, Hashable, Sendable {
    case skip
    /// The newest one, which covers the others.
    case last
    /// All of them, one after the other.
    case all
  }

  /// Default `last`.
  package var choice = Choice.last
  /// The greatest age of a slot that still runs; nil (the default) for the job's interval, the time
  /// up to the next slot of the clock, or a day if there is neither.
  package var within: Duration?
  /// The most that run under `all`, the newest ones. Default 100.
  package var countMax = 100
  /// The only times in which they may start late; nil (the default) for any time.
  package var times: Shared<CalendarRules>?

  var words: String? {
    JobKey.list([
      choice.rawValue, within.map { "within \(DurationText.format($0))" },
      choice == .all ? "max \(countMax)" : nil,
      times.map { "only_on \($0.value.onlyOnWords.joined(separator: " or "))" },
    ])
  }

  /// The greatest age of a slot of this schedule that still runs.
  func within(_ schedule: Schedule, of slot: WallInstant?) -> Duration {
    let day = Duration.seconds(86_400)
    if let within { return within }
    if schedule.rules.isEmpty { return schedule.every?.interval ?? day }
    guard let slot, let next = schedule.rules.compactMap({ $0.next(after: slot) }).min() else {
      return day
    }
    return next - slot
  }
}
