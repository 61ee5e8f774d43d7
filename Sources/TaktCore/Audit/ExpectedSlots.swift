/// The slots that a job should have had, computed from its schedules and from where to where each of
/// them applied: grids, and single instants.
struct ExpectedSlots: Sendable {
  /// A stretch of one clock on which a grid counts.
  struct Stretch: Sendable {
    fileprivate var grid: Track.Grid
    fileprivate var after: Int64
    fileprivate var through: Int64
    /// All up to here has been held against the records.
    var position: Int64

    /// The next slot that has not been looked at; nil at the end.
    var next: Int64? {
      let label = grid.next(after: max(position, after))
      return label <= through ? label : nil
    }

    var end: Int64 { through }

    func has(_ label: Int64) -> Bool { after < label && label <= through && grid.contains(label) }

    /// The slots from `first`, which is one, up to and with `last`; nil when there are none.
    func series(from first: Int64, through last: Int64) -> SlotSeries? {
      Track(grid: grid).pieces(after: first - 1, through: min(last, through)).first
    }
  }

  /// In the order of the schedules.
  var stretches: [Stretch] = []
  /// The single instants, with whether each has been met.
  var instants: [Int64: Bool] = [:]
  /// Whether there may be slots that no schedule can foresee: those of takt's own life, and those
  /// that follow the end of a run.
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
          add(grid, from.clock, to.clock, since)
        case .epoch:
          add(Track.Grid(origin: 0, interval: interval), from.wall, to.wall, since)
        case .end: allowsOthers = true
        }
      }
      let begin = max(version.begin.instantsFrom ?? .min, since)
      for instant in schedule.at.lazy.map(\.milliseconds)
      where begin < instant && instant <= to.wall {
        instants[instant] = false
      }
      if !schedule.on.isEmpty { allowsOthers = true }
    }
  }

  private mutating func add(_ grid: Track.Grid, _ after: Int64, _ through: Int64, _ since: Int64) {
    let after = max(after, since)
    guard after < through else { return }
    stretches.append(Stretch(grid: grid, after: after, through: through, position: after))
  }
}
