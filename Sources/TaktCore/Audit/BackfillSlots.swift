package import TaktTime

/// Slots of a job in a range of the past, for runs that fill it in.
package struct BackfillSlots {
  /// The most slots of a range.
  package static let countMax = 100_000

  private var spec: JobSpec
  private let from: WallInstant
  private let through: WallInstant

  /// The slots of a schedule from one instant through another.
  ///
  /// - Parameter anchor: the start of the grid of `every`.
  package init(
    of job: JobName, _ schedule: Schedule, anchor: ScheduleInstant, from: WallInstant,
    through: WallInstant
  ) {
    self.from = from
    self.through = through
    var own = schedule
    // Events have no slots in the past, and bounds on numbers are for the present.
    (own.on, own.after, own.afterAll, own.watch, own.limit) = ([], [], nil, [], nil)
    if let every = own.every {
      switch every.origin {
      case .end: own.every = nil
      case .epoch: break
      case .start: own.every?.first = Self.distance(to: anchor, every, after: from.justBefore)
      }
    }
    spec = JobSpec(name: job, timing: Timing(schedule: own), action: .argv([]))
  }

  /// True if the schedule names any instants.
  package var isTimed: Bool { spec.timing.schedule.isTimed }

  /// Nil for more than `countMax`.
  package var scheduled: [WallInstant]? {
    scheduled(from: from, through: through, countMax: Self.countMax)
  }

  /// The slots that the ledger has as missed or skipped; nil for more than `countMax`.
  package func missing(in records: [VerdictRecord]) -> [WallInstant]? {
    var slots: Set<WallInstant> = []
    for record in records where record.slots.last >= from && record.slots.first <= through {
      guard record.verdict.isMissing else { continue }
      slots.formUnion(instants(of: record.slots).filter { from <= $0 && $0 <= through })
      if slots.count > Self.countMax { return nil }
    }
    return slots.sorted()
  }

  private func instants(of series: SlotSeries) -> [WallInstant] {
    guard series.count > 1 else { return [series.first] }
    // All slots without a gap: of the schedule, or of an even grid if the schedule was another.
    var own = self
    if let every = own.spec.timing.schedule.every, every.origin == .start {
      own.spec.timing.schedule.every?.first = Self.distance(
        to: ScheduleInstant(series.first), every, after: series.first.justBefore)
    }
    own.spec.timing.schedule.exclusions = []
    let scheduled = own.scheduled(
      from: series.first, through: series.last, countMax: series.count)
    if let scheduled, scheduled.count == series.count { return scheduled }
    let length = series.last.milliseconds - series.first.milliseconds
    guard length % Int64(series.count - 1) == 0 else {
      return scheduled ?? [series.first, series.last]
    }
    let step = length / Int64(series.count - 1)
    let first = max(0, (from.milliseconds - series.first.milliseconds) / max(1, step))
    let last = min(Int64(series.count - 1), first + Int64(Self.countMax) + 1)
    guard first <= last else { return [] }
    return (first...last).map { WallInstant(milliseconds: series.first.milliseconds + $0 * step) }
  }

  private func scheduled(from: WallInstant, through: WallInstant, countMax: Int) -> [WallInstant]? {
    var spec = spec
    spec.timing.schedule.until = min(spec.timing.schedule.until ?? through, through)
    // The clocks are those of a daemon that starts just before the range.
    let start = Now(wall: from.justBefore, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
    var slots = SlotPreview.slots(of: spec, startingAt: start, count: countMax + 1).map(\.nominal)
    slots.removeAll { $0 < from || $0 > through }
    return slots.count > countMax ? nil : slots
  }

  /// The distance from an instant to the grid's next one.
  private static func distance(
    to anchor: ScheduleInstant, _ every: Every, after instant: WallInstant
  ) -> Duration {
    let interval = every.intervalMilliseconds
    let rest = (anchor.milliseconds - instant.milliseconds) % interval
    return .milliseconds(rest > 0 ? rest : rest + interval)
  }
}

extension Verdict {
  /// True if the slot did not run, that was not intended, and no other machine has run it.
  fileprivate var isMissing: Bool {
    switch self {
    case .missed: true
    case .skipped(let reason):
      switch reason {
      case .excluded, .limit, .elsewhere: false
      case .overlap, .queueFull, .groupFull, .suspended, .stopping, .ledger, .condition, .unplaced:
        true
      }
    case .ran, .coalesced, .cancelled: false
    }
  }
}
