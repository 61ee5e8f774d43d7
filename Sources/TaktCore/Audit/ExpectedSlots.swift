/// The slots that a job should have had, computed from its schedules and their ranges: grids, and
/// single instants.
struct ExpectedSlots: Sendable {
  /// A range of one clock in which a grid, or the times of the clock, count.
  struct InstantRange: Sendable {
    fileprivate var instantSet: InstantSet
    fileprivate var after: ScheduleInstant
    fileprivate var through: ScheduleInstant
    /// Everything up to here has been compared with the records.
    var position: ScheduleInstant

    /// The next slot that has not been compared; nil at the end.
    var next: ScheduleInstant? {
      instantSet.next(after: max(position, after)).flatMap { $0 <= through ? $0 : nil }
    }

    var end: ScheduleInstant { through }

    func has(_ instant: ScheduleInstant) -> Bool {
      after < instant && instant <= through && instantSet.has(instant)
    }

    /// The slots from `first`, which is one, through `last`; nil if there are none.
    func series(from first: ScheduleInstant, through last: ScheduleInstant) -> SlotSeries? {
      instantSet.series(after: max(first - 1, after), through: min(last, through))
    }

    /// Like `series(from:through:)`, but no further than `countable` permits, which is reduced by
    /// the cost of counting; true if these are all slots.
    func series(
      from first: ScheduleInstant, through last: ScheduleInstant, countable: inout Int
    ) -> (series: SlotSeries?, isWhole: Bool) {
      let last = min(last, through)
      let cost = instantSet.countingCost
      guard cost != .none else { return (series(from: first, through: last), true) }
      let length = cost == .ofDays ? Self.year : Self.hour
      var result: SlotSeries?
      var position = max(first - 1, after)
      while position < last, let next = instantSet.next(after: position), next <= last {
        let end = min(last, next + length)
        guard countable > 0, let piece = instantSet.series(after: position, through: end) else {
          // One at least, so that the place of the gap is reported.
          return (result ?? SlotSeries(next), false)
        }
        countable -= max(1, cost == .ofDays ? piece.count / Self.daysShare : piece.count)
        result = SlotSeries(
          first: result?.first ?? piece.first, last: piece.last,
          count: (result?.count ?? 0) + piece.count)
        position = end
      }
      return (result, true)
    }

    /// The range counted at once: an hour has 3600000 slots at most.
    private static let hour: Int64 = 3_600_000
    private static let year: Int64 = 366 * 86_400_000
    /// Of a year whose days are counted, one slot in this many is visited, or fewer.
    private static let daysShare = 32
  }

  /// In the order of the schedules.
  var ranges: [InstantRange] = []
  /// Each instant with true once it has been met.
  var instants: [ScheduleInstant: Bool] = [:]
  /// True if there may be slots that no schedule can foresee: those of events, and those of a fixed
  /// delay.
  private(set) var allowsOthers = false

  /// - Parameters:
  ///   - mark: the job's position; the current schedule applies up to there.
  ///   - since: only later slots count.
  init(_ versions: [AuditedVersion], mark: ScheduleEdge, since: ScheduleInstant) {
    for version in versions {
      let schedule = version.begin.schedule
      let from = version.begin.from
      let to = version.end ?? mark
      if let every = schedule.every {
        let interval = every.intervalMilliseconds
        switch every.origin {
        case .start:
          let grid = InstantSet.Grid(origin: version.begin.anchor, interval: interval)
          add(schedule.bounded(InstantSet(grid: grid)), from.clock, to.clock, since)
        case .epoch where schedule.rules.isEmpty:
          let grid = InstantSet.Grid(origin: every.wallOrigin, interval: interval)
          add(schedule.bounded(InstantSet(grid: grid)), from.wall, to.wall, since)
        case .epoch, .end: break
        }
      }
      var last = to.wall
      if !schedule.rules.isEmpty {
        // Besides the times of the clock, all instants of the wall clock make one series.
        add(schedule.wallInstantSet, from.wall, to.wall, since)
        last = from.wall
      }
      let begin = max(version.begin.instantsFrom ?? .min, since)
      for instant in schedule.at.lazy.map({ ScheduleInstant($0) })
      where begin < instant && instant <= last {
        instants[instant] = false
      }
      if schedule.hasUnforeseen { allowsOthers = true }
    }
  }

  private mutating func add(
    _ instantSet: InstantSet, _ after: ScheduleInstant, _ through: ScheduleInstant,
    _ since: ScheduleInstant
  ) {
    let after = max(after, since)
    guard after < through else { return }
    ranges.append(
      InstantRange(instantSet: instantSet, after: after, through: through, position: after))
  }
}
