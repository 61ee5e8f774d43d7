/// How far a job has come in its schedule. It alone computes slots: the next one to arm, and those
/// that are due.
///
/// Instants stand on two axes. The job's own clock carries `every` from its anchor; the wall
/// carries what names a time of day (`at`, `align: epoch`). Each axis has a mark: what stands at or
/// before it is decided.
struct ScheduleCursor: Sendable {
  private let clock: JobClock
  /// Where the grid of `every` begins: the first load, plus `first` as it was then.
  private let anchor: Int64
  private var clockMark: Int64
  private var wallMark: Int64
  /// The next slot of a fixed delay; nil while a run is active.
  private var delayed: Int64?
  /// A slot that a moment of takt's own life has made.
  private var occasion: Occurrence?

  private struct Occurrence {
    var label: Int64
    var cause: SlotCause
    var deadline: MonotonicInstant
  }

  /// The cursor of a job that takt loads for the first time. What stands on the wall at or before
  /// now is behind it.
  init(schedule: Schedule, at now: Now) {
    clock = JobClock(at: now)
    anchor = clock.label + (schedule.every?.first?.milliseconds ?? 0)
    clockMark = schedule.every?.first == nil ? anchor : anchor - 1
    wallMark = now.wall.milliseconds
    if let every = schedule.every, every.origin == .end {
      delayed = every.first == nil ? anchor + every.intervalMilliseconds : anchor
    }
  }

  /// Puts all instants up to now behind the cursor, and takes up a new schedule.
  mutating func skip(to now: Now, schedule: Schedule) {
    decideAll(at: now)
    if let every = schedule.every, every.origin == .end {
      if delayed == nil { rest(schedule, at: now) }
    } else {
      delayed = nil
    }
  }

  /// Adds a slot at this very instant.
  mutating func add(_ cause: SlotCause, schedule: Schedule, at now: Now) {
    let tracks = [clockTrack(schedule), wallTrack(schedule)]
    var label = now.wall.milliseconds
    while (label <= clockMark && tracks[0].has(label))
      || (label <= wallMark && tracks[1].has(label))
    {
      label += 1
    }
    occasion = Occurrence(label: label, cause: cause, deadline: now.monotonic)
  }

  /// A run of the job is active: a fixed delay has no next slot until it ends.
  mutating func runStarted() {
    delayed = nil
  }

  /// No run of the job is active: a fixed delay begins.
  mutating func rest(_ schedule: Schedule, at now: Now) {
    guard let every = schedule.every, every.origin == .end else { return }
    delayed = clock.label(at: now.monotonic) + every.intervalMilliseconds
  }

  private mutating func decideAll(at now: Now) {
    let label = clock.label(at: now.monotonic)
    clockMark = max(clockMark, label)
    wallMark = max(wallMark, now.wall.milliseconds)
    if let next = delayed, next <= label { delayed = nil }
    occasion = nil
  }

  private func clockTrack(_ schedule: Schedule) -> Track {
    guard let every = schedule.every, every.origin == .start else { return Track() }
    let grid = Track.Grid(origin: anchor, interval: every.intervalMilliseconds)
    return Track(
      grid: grid,
      without: schedule.at.map(\.milliseconds).filter { $0 <= wallMark && $0 > clockMark })
  }

  private func wallTrack(_ schedule: Schedule, gridDecidedThrough end: Int64? = nil) -> Track {
    var track = Track(instants: schedule.at.map(\.milliseconds))
    guard let every = schedule.every else { return track }
    switch every.origin {
    case .epoch:
      track.grid = Track.Grid(origin: 0, interval: every.intervalMilliseconds)
    case .start:
      let grid = Track.Grid(origin: anchor, interval: every.intervalMilliseconds)
      track.instants.removeAll { $0 <= end ?? clockMark && $0 >= anchor && grid.contains($0) }
    case .end: break
    }
    return track
  }
}

// MARK: - What comes next

extension ScheduleCursor {
  /// The earliest slot that is not decided; nil when there are no more, or none before a run ends.
  func next(of timing: Timing, at now: Now) -> Slot? {
    guard var slot = nextInstant(of: timing.schedule, at: now) else { return nil }
    slot.window = window(of: slot, in: timing, at: now)
    return slot
  }

  private func nextInstant(of schedule: Schedule, at now: Now) -> Slot? {
    var candidates: [(label: Int64, deadline: MonotonicInstant)] = []
    if let label = clockTrack(schedule).next(after: clockMark) {
      candidates.append((label, clock.instant(of: label)))
    }
    if let label = wallTrack(schedule).next(after: wallMark) {
      candidates.append((label, deadline(ofWall: label, at: now)))
    }
    if let delayed { candidates.append((delayed, clock.instant(of: delayed))) }
    if let occasion { candidates.append((occasion.label, occasion.deadline)) }
    return candidates.min { $0.deadline < $1.deadline }.map {
      slot($0.label, deadline: $0.deadline, schedule)
    }
  }

  private func slot(_ label: Int64, deadline: MonotonicInstant, _ schedule: Schedule) -> Slot {
    let nominal = WallInstant(milliseconds: label)
    var causes: Set<SlotCause> = []
    if let every = schedule.every {
      let isEvery =
        switch every.origin {
        case .start: label > clockMark && clockTrack(schedule).has(label)
        case .end: delayed == label
        case .epoch: label > wallMark && wallTrack(schedule).grid?.contains(label) == true
        }
      if isEvery { causes.insert(.every) }
    }
    if schedule.at.contains(nominal) { causes.insert(.at) }
    if let occasion, occasion.label == label { causes.insert(occasion.cause) }
    return Slot(nominal: nominal, causes: causes, deadline: deadline, window: .zero)
  }

  /// The leeway, cut one millisecond before the next slot.
  func window(of slot: Slot, in timing: Timing, at now: Now) -> Duration {
    if timing.leeway == .none || slot.causes.isSubset(of: [.start, .reload]) { return .zero }
    var gap = timing.schedule.every?.interval
    if timing.schedule.at.count > 1 || (gap != nil && !timing.schedule.at.isEmpty) {
      var ahead = self
      ahead.decideAll(
        at: Now(
          wall: max(slot.nominal, now.wall + (slot.deadline - now.monotonic)),
          monotonic: slot.deadline))
      if let next = ahead.nextInstant(of: timing.schedule, at: now) {
        let further = next.deadline - slot.deadline
        gap = min(gap ?? further, further)
      }
    }
    let leeway: Duration
    switch timing.leeway {
    case .duration(let duration): leeway = duration
    case .percent(let percent): leeway = gap.map { $0 * (percent / 100) } ?? .zero
    }
    guard let gap else { return leeway }
    return max(.zero, min(leeway, gap - .milliseconds(1)))
  }

  private func deadline(ofWall label: Int64, at now: Now) -> MonotonicInstant {
    now.monotonic + (WallInstant(milliseconds: label) - now.wall)
  }
}

// MARK: - What is due

extension ScheduleCursor {
  /// What a wake finds.
  struct Due {
    /// Slots whose successor has come due too.
    var passed: SlotSeries?
    var newest: Slot

    /// The newest slot and those before it.
    var all: SlotSeries { SlotSeries(newest.nominal).joined(passed) }
  }

  /// Takes all slots that are due, and leaves the cursor behind them; nil when there are none.
  mutating func takeDue(of timing: Timing, at now: Now) -> Due? {
    guard let next = next(of: timing, at: now), next.deadline <= now.monotonic else { return nil }
    let due = allDue(first: next, of: timing, at: now)
    decideAll(at: now)
    return due
  }

  private func allDue(first: Slot, of timing: Timing, at now: Now) -> Due {
    let schedule = timing.schedule
    let clockNow = clock.label(at: now.monotonic)
    let stretches = [
      Stretch(clockTrack(schedule), after: clockMark, through: clockNow),
      // An instant that the grid names too is the grid's slot.
      Stretch(
        wallTrack(schedule, gridDecidedThrough: clockNow), after: wallMark,
        through: now.wall.milliseconds),
      Stretch(single: delayed, through: clockNow),
      Stretch(single: occasion?.label, through: .max),
    ]
    let ends = stretches.compactMap { $0.series?.last.milliseconds }
    let deadlines = [
      clock.instant(of:), { deadline(ofWall: $0, at: now) }, clock.instant(of:),
      { _ in occasion?.deadline ?? now.monotonic },
    ]
    var newest = (label: first.nominal.milliseconds, deadline: first.deadline)
    for (stretch, deadline) in zip(stretches, deadlines) {
      guard let label = stretch.series?.last.milliseconds else { continue }
      if deadline(label) > newest.deadline { newest = (label, deadline(label)) }
    }
    guard ends.contains(where: { $0 != newest.label }) || stretches.contains(where: \.isLong) else {
      return Due(passed: nil, newest: first)
    }
    var slot = slot(newest.label, deadline: newest.deadline, schedule)
    slot.window = window(of: slot, in: timing, at: now)
    let passed = stretches.compactMap { $0.series(without: newest.label) }
    return Due(passed: passed.dropFirst().reduce(passed.first) { $1.joined($0) }, newest: slot)
  }

  /// The undecided instants of one track up to now.
  private struct Stretch {
    let track: Track
    let mark: Int64
    let series: SlotSeries?

    init(_ track: Track, after mark: Int64, through end: Int64) {
      self.track = track
      self.mark = mark
      series = track.series(after: mark, through: end)
    }

    init(single label: Int64?, through end: Int64) {
      self.init(Track(instants: label.map { [$0] } ?? []), after: .min, through: end)
    }

    var isLong: Bool { (series?.count ?? 0) > 1 }

    /// The series but for its last instant, where that is `newest`.
    func series(without newest: Int64) -> SlotSeries? {
      guard let series, series.last.milliseconds == newest else { return series }
      return track.series(after: mark, through: newest - 1)
    }
  }
}
