import TaktTime

/// The slots that a job should have had, computed from its schedules and from where to where each of
/// them applied: grids, and single instants.
struct ExpectedSlots: Sendable {
  /// A stretch of one clock on which a grid, or the times of the clock, count.
  struct Stretch: Sendable {
    fileprivate var track: Track
    fileprivate var after: Int64
    fileprivate var through: Int64
    /// All up to here has been held against the records.
    var position: Int64

    /// The next slot that has not been looked at; nil at the end.
    var next: Int64? {
      track.next(after: max(position, after)).flatMap { $0 <= through ? $0 : nil }
    }

    var end: Int64 { through }

    func has(_ label: Int64) -> Bool { after < label && label <= through && track.has(label) }

    /// The slots from `first`, which is one, up to and with `last`; nil when there are none.
    func series(from first: Int64, through last: Int64) -> SlotSeries? {
      track.series(after: max(first - 1, after), through: min(last, through))
    }

    /// As `series(from:through:)`, but no further than `countable` reaches, from which is taken what
    /// it costs to count; and whether that is all of them.
    func series(
      from first: Int64, through last: Int64, countable: inout Int
    ) -> (series: SlotSeries?, isWhole: Bool) {
      let last = min(last, through)
      let cost = track.countingCost
      guard cost != .none else { return (series(from: first, through: last), true) }
      let length = cost == .ofDays ? Self.year : Self.hour
      var result: SlotSeries?
      var position = max(first - 1, after)
      while position < last, let next = track.next(after: position), next <= last {
        let end = min(last, next + length)
        guard countable > 0, let piece = track.series(after: position, through: end) else {
          // One at least, so that the place of the gap is told.
          return (result ?? SlotSeries(WallInstant(milliseconds: next)), false)
        }
        countable -= max(1, cost == .ofDays ? piece.count / Self.daysShare : piece.count)
        result = SlotSeries(
          first: result?.first ?? piece.first, last: piece.last,
          count: (result?.count ?? 0) + piece.count)
        position = end
      }
      return (result, true)
    }

    /// How much is counted at once: of an hour 3600000 slots at the most.
    private static let hour: Int64 = 3_600_000
    private static let year: Int64 = 366 * 86_400_000
    /// Of a year whose days are counted, less than one slot of so many is gone through.
    private static let daysShare = 32
  }

  /// In the order of the schedules.
  var stretches: [Stretch] = []
  /// The single instants, with whether each has been met.
  var instants: [Int64: Bool] = [:]
  /// Whether there may be slots that no schedule can foresee: those of what happens, and those of a
  /// fixed delay.
  private(set) var allowsOthers = false

  /// - Parameters:
  ///   - mark: how far the job has come; what applies still, applies up to there.
  ///   - since: only what comes later counts.
  init(_ versions: [AuditedVersion], mark: ScheduleEdge, since: Int64) {
    for version in versions {
      let schedule = version.begin.schedule
      let from = version.begin.from
      let to = version.end ?? mark
      if let every = schedule.every {
        let interval = every.intervalMilliseconds
        switch every.origin {
        case .start:
          let grid = Track.Grid(origin: version.begin.anchor, interval: interval)
          add(schedule.bounded(Track(grid: grid)), from.clock, to.clock, since)
        case .epoch where schedule.rules.isEmpty:
          let grid = Track.Grid(origin: 0, interval: interval)
          add(schedule.bounded(Track(grid: grid)), from.wall, to.wall, since)
        case .epoch, .end: break
        }
      }
      var last = to.wall
      if !schedule.rules.isEmpty {
        // Beside the times of the clock all that stands on the wall makes one series.
        add(schedule.wallTrack, from.wall, to.wall, since)
        last = from.wall
      }
      let begin = max(version.begin.instantsFrom ?? .min, since)
      for instant in schedule.at.lazy.map(\.milliseconds)
      where begin < instant && instant <= last {
        instants[instant] = false
      }
      if schedule.hasUnforeseen { allowsOthers = true }
    }
  }

  private mutating func add(_ track: Track, _ after: Int64, _ through: Int64, _ since: Int64) {
    let after = max(after, since)
    guard after < through else { return }
    stretches.append(Stretch(track: track, after: after, through: through, position: after))
  }
}
