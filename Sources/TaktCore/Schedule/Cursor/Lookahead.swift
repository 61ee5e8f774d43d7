/// The next instants of a schedule with one trigger, remembered so that a slot costs one search.
///
/// It is derived from the schedule and the marks of a cursor. It is for one schedule: the cursor
/// forgets it with everything that may change the next instant, and with the job's old spec.
struct Lookahead: Sendable {
  /// The only trigger of a schedule that names instants.
  enum Trigger: UInt8 {
    /// There are several, or the next instant is not known.
    case unknown
    /// A grid on the job's own clock.
    case clockGrid
    /// A fixed delay, whose instant the cursor itself keeps.
    case delay
    case wallGrid
    case cron, calendar, rrule
    case localGrid
    /// Single instants; perhaps none.
    case instants
  }

  static let never = ScheduleInstant.max
  private static let unsearched = ScheduleInstant.min

  /// The first instant after the mark, or `never`.
  private(set) var next = never
  /// The instant after the next, `never`, or `unsearched`. In a grid it may be beyond its bound.
  private var later = unsearched
  private(set) var trigger = Trigger.unknown
  /// True if there is a last instant.
  private var isBounded = false

  /// Nothing is known.
  init() {}

  /// Searches for the first instant after a mark; `unknown` where there are several triggers.
  init(_ schedule: Schedule, after mark: ScheduleInstant, anchor: ScheduleInstant) {
    trigger = schedule.onlyTrigger
    isBounded = schedule.until != nil
    guard trigger != .unknown, trigger != .delay else { return }
    next = search(schedule, after: mark, anchor: anchor)
    if isGrid, next != Self.never, let every = schedule.every {
      later = next + every.intervalMilliseconds
    }
  }

  private var isGrid: Bool { trigger == .clockGrid || trigger == .wallGrid }

  /// True if its instants are readings of the job's own clock.
  var isOnClock: Bool { trigger == .clockGrid || trigger == .delay }

  var causes: SlotCauses {
    switch trigger {
    case .unknown: SlotCauses()
    case .clockGrid, .delay, .wallGrid, .localGrid: SlotCauses(.every)
    case .cron: SlotCauses(.cron)
    case .calendar: SlotCauses(.calendar)
    case .rrule: SlotCauses(.rrule)
    case .instants: SlotCauses(.at)
    }
  }

  /// The instant after the next, or `never`.
  mutating func instantAfterNext(_ schedule: Schedule) -> ScheduleInstant {
    if next == Self.never || trigger == .delay { return Self.never }
    if later == Self.unsearched { later = search(schedule, after: next, anchor: 0) }
    return later
  }

  /// The next instant is decided, and the one after it is the next.
  mutating func advance(_ schedule: Schedule) {
    if trigger == .delay { return }
    let passed = next
    next = instantAfterNext(schedule)
    guard isGrid else {
      later = Self.unsearched
      return
    }
    later = next + (next - passed)
    if isBounded, let until = schedule.until, next > ScheduleInstant(until) { next = Self.never }
  }

  private func search(_ schedule: Schedule, after mark: ScheduleInstant, anchor: ScheduleInstant)
    -> ScheduleInstant
  {
    let mark = schedule.notBefore.map { max(mark, ScheduleInstant($0) - 1) } ?? mark
    let found = schedule.instant(of: trigger, after: mark, anchor: anchor) ?? Self.never
    guard let until = schedule.until else { return found }
    return found <= ScheduleInstant(until) ? found : Self.never
  }
}

extension Schedule {
  /// True if any of its slots are readings of the job's own clock.
  var isOnJobClock: Bool { every.map { $0.origin != .epoch } ?? false }

  /// The only trigger that names instants; `unknown` where there are several.
  fileprivate var onlyTrigger: Lookahead.Trigger {
    guard let every else {
      if rules.isEmpty { return .instants }
      guard rules.count == 1, at.isEmpty else { return .unknown }
      return switch rules[0].cause {
      case .rrule: .rrule
      case .calendar: .calendar
      case .every: .localGrid
      case .cron, .at, .start, .boot, .reload, .after, .watch: .cron
      }
    }
    guard rules.isEmpty, at.isEmpty else { return .unknown }
    return switch every.origin {
    case .start: .clockGrid
    case .end: .delay
    case .epoch: .wallGrid
    }
  }

  fileprivate func instant(
    of trigger: Lookahead.Trigger, after mark: ScheduleInstant, anchor: ScheduleInstant
  ) -> ScheduleInstant? {
    switch trigger {
    case .unknown, .delay: return nil
    case .clockGrid, .wallGrid:
      return every.map {
        let origin = trigger == .clockGrid ? anchor : $0.wallOrigin
        return InstantSet.Grid(origin: origin, interval: $0.intervalMilliseconds).next(after: mark)
      }
    case .cron, .calendar, .rrule, .localGrid: return rules[0].next(after: mark)
    case .instants: return at.first { ScheduleInstant($0) > mark }.map { ScheduleInstant($0) }
    }
  }
}
