import TaktTime

/// The times in which a job's slots may start late.
struct LateTimes {
  enum Start {
    case inTurn
    case at(MonotonicInstant)
    case never
  }

  private let within: Duration
  private let now: Now
  private let isOpen: Bool
  /// The start of the next of these times; nil for none that is soon enough for any slot.
  private let opening: WallInstant?

  init(_ policy: MissedPolicy, within: Duration, at now: Now) {
    self.within = within
    self.now = now
    isOpen = policy.times.map { !$0.value.contains(ScheduleInstant(now.wall)) } ?? true
    opening =
      isOpen ? nil : policy.times?.value.opening(after: now.wall, before: now.wall + within)
  }

  func start(ofAge age: Duration) -> Start {
    if isOpen { return .inTurn }
    guard let opening, age + (opening - now.wall) < within else { return .never }
    return .at(now.monotonic + (opening - now.wall))
  }
}

extension CalendarRules {
  /// The most changes examined to find the first time that is not left out.
  private static let edgesMax = 1000

  /// The first instant that is not left out after one that is; nil where there is none before `end`.
  fileprivate func opening(after instant: WallInstant, before end: WallInstant) -> WallInstant? {
    var instant = ScheduleInstant(instant)
    for _ in 0..<Self.edgesMax {
      guard let edge = self.end(after: instant), edge < ScheduleInstant(end) else { return nil }
      if !contains(edge) { return WallInstant(edge) }
      instant = edge
    }
    return nil
  }
}
