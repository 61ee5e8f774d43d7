import TaktTime

/// How far a job has come in its schedule. It alone computes slots: the next one to arm, and those
/// that are due.
///
/// Instants stand on two axes. The job's own clock carries `every` from its anchor; the wall
/// carries what names a time of day (`at`, `align: epoch`).
struct ScheduleCursor: Sendable {
  private let clock: JobClock
  /// Where the grid of `every` begins: the first load, plus `first` as it was then.
  private(set) var anchor: Int64
  private var clockAxis: DecidedAxis
  private var wallAxis: DecidedAxis
  /// The next slot of a fixed delay; nil while a run is active.
  private var delayed: Int64?
  /// The last slot that something which happened has made; `min` when there was none.
  private var lastMoment = Int64.min

  /// The cursor of a job that takt loads for the first time. What stands on the wall at or before
  /// now is behind it.
  init(schedule: Schedule, at now: Now) {
    clock = JobClock(at: now)
    anchor = clock.label + (schedule.every?.first?.milliseconds ?? 0)
    clockAxis = DecidedAxis(mark: schedule.every?.first == nil ? anchor : anchor - 1)
    wallAxis = DecidedAxis(mark: now.wall.milliseconds)
    if let every = schedule.every, every.origin == .end {
      delay(to: every.first == nil ? anchor + every.intervalMilliseconds : anchor, schedule)
    }
  }

  /// The cursor that a former takt has left.
  ///
  /// - Parameter isSameBoot: whether the machine has gone on since. Else the job's clock is set by
  ///   the wall anew, but never back: what it has named is decided.
  init(_ state: CursorState, isSameBoot: Bool, at now: Now) {
    anchor = state.anchor
    let ahead = state.ahead.split(separator: "|", omittingEmptySubsequences: false)
    clockAxis = DecidedAxis(mark: state.clockMark, text: ahead.first ?? "")
    wallAxis = DecidedAxis(mark: state.wallMark, text: ahead.count > 1 ? ahead[1] : "")
    lastMoment = ahead.count > 2 ? Int64(ahead[2]) ?? .min : .min
    delayed = state.delayed
    let went = JobClock(label: state.clockLabel, instant: state.clockInstant)
    if isSameBoot, state.clockInstant <= now.monotonic {
      clock = went
    } else {
      let set = JobClock(at: now)
      // A mark before the anchor is that of a grid which has not begun: nothing is named yet.
      let hasNamed = state.clockMark >= state.anchor
      clock =
        set.label > state.clockMark || !hasNamed
        ? set : JobClock(label: state.clockMark, instant: now.monotonic)
    }
  }

  var state: CursorState {
    var ahead = ""
    if lastMoment != .min {
      ahead = "\(clockAxis.text)|\(wallAxis.text)|\(lastMoment)"
    } else if clockAxis.isAhead || wallAxis.isAhead {
      ahead = "\(clockAxis.text)|\(wallAxis.text)"
    }
    return CursorState(
      clockLabel: clock.label, clockInstant: clock.instant, anchor: anchor,
      clockMark: clockAxis.mark, wallMark: wallAxis.mark, delayed: delayed,
      ahead: ahead)
  }

  /// Whether a fixed delay has its next slot.
  var isDelaying: Bool { delayed != nil }

  func edge(at now: Now) -> ScheduleEdge {
    ScheduleEdge(clock: clockAxis.mark, wall: wallAxis.mark, at: now.wall)
  }

  /// When a slot that has passed was due, by the clock that it stands on.
  func deadline(of nominal: WallInstant, _ schedule: Schedule, at now: Now) -> MonotonicInstant {
    clockTrack(schedule).has(nominal.milliseconds) || schedule.every?.origin == .end
      ? clock.instant(of: nominal.milliseconds) : deadline(ofWall: nominal.milliseconds, at: now)
  }

  /// What the slots of a series are instants of.
  func track(of series: SlotSeries, _ schedule: Schedule) -> Track {
    let clock = clockTrack(schedule)
    let (first, last) = (series.first.milliseconds, series.last.milliseconds)
    return clock.series(after: first - 1, through: last) == series ? clock : schedule.wallTrack
  }

  /// The triggers that name a slot that has passed.
  func causes(of nominal: WallInstant, _ schedule: Schedule) -> SlotCauses {
    let label = nominal.milliseconds
    var causes: SlotCauses = []
    if clockTrack(schedule).has(label) || schedule.wallTrack.grid?.contains(label) == true
      || schedule.every?.origin == .end
    {
      causes.insert(.every)
    }
    if schedule.at.contains(nominal) { causes.insert(.at) }
    for rule in schedule.rules where rule.has(label) { causes.insert(rule.cause) }
    return causes
  }

  /// The present reading of the clock that a slot stands on, in milliseconds.
  func reading(by nominal: WallInstant, _ schedule: Schedule, at now: Now) -> Int64 {
    clockTrack(schedule).has(nominal.milliseconds) || schedule.every?.origin == .end
      ? clock.label(at: now.monotonic) : now.wall.milliseconds
  }

  /// Puts all instants up to now behind the cursor, and takes up a new schedule. What `old` named is
  /// decided; what it did not name was never a slot.
  mutating func skip(to now: Now, from old: Schedule, to schedule: Schedule) {
    decideAll(of: old, at: now)
    if let every = schedule.every, every.phase == .restart, let before = old.every,
      before.interval != every.interval
    {
      anchor = clockAxis.mark
    }
    if let every = schedule.every, every.origin == .end {
      if let next = delayed { delay(to: next, schedule) } else { rest(schedule, at: now) }
    } else {
      delayed = nil
    }
  }

  /// Makes a slot of something that happens now, which nobody could foresee: the present
  /// millisecond, or the next one that is not decided.
  mutating func takeMoment(_ schedule: Schedule, at now: Now) -> WallInstant {
    let (clockTrack, wallTrack) = (clockTrack(schedule), schedule.wallTrack)
    var label = max(0, now.wall.milliseconds)
    // After a step back the old moments come again. One that is far ahead is of a clock gone wrong.
    if label <= lastMoment, lastMoment - label < Self.momentsKept { label = lastMoment + 1 }
    while (label <= clockAxis.mark && clockTrack.has(label))
      || (label <= wallAxis.mark && wallTrack.has(label))
      || clockAxis.hasDecided(label) || wallAxis.hasDecided(label)
    {
      label += 1
    }
    // The same slot as one that a clock is to name: decided with this.
    if label > clockAxis.mark, clockTrack.has(label) { wallAxis.remember(label) }
    if label > wallAxis.mark, wallTrack.has(label) { clockAxis.remember(label) }
    lastMoment = label
    return WallInstant(milliseconds: label)
  }

  /// A day, in milliseconds.
  private static let momentsKept: Int64 = 86_400_000

  /// A run of the job is active: a fixed delay has no next slot until it ends.
  mutating func runStarted() {
    delayed = nil
  }

  /// No run of the job is active: a fixed delay begins.
  mutating func rest(_ schedule: Schedule, at now: Now) {
    guard let every = schedule.every, every.origin == .end else { return }
    var label = clock.label(at: now.monotonic) + every.intervalMilliseconds
    while wallAxis.hasDecided(label) { label += 1 }
    delay(to: label, schedule)
  }

  private mutating func delay(to label: Int64, _ schedule: Schedule) {
    let label = max(label, schedule.notBefore?.milliseconds ?? label)
    delayed = label <= schedule.until?.milliseconds ?? label ? label : nil
  }

  private mutating func decideAll(of schedule: Schedule, at now: Now) {
    let label = clock.label(at: now.monotonic)
    let (clockTrack, wallTrack) = (clockTrack(schedule), schedule.wallTrack)
    let wallMark = max(wallAxis.mark, now.wall.milliseconds)
    clockAxis.advance(to: label, on: clockTrack, otherMark: wallMark)
    wallAxis.advance(to: wallMark, on: wallTrack, otherMark: clockAxis.mark)
    if let next = delayed, next <= label { delayed = nil }
  }

  /// The one mistake that the comparison has found in this core, mended as in the present one: a
  /// fixed delay whose run ended before its first instant never came again.
  private func clockMark(_ schedule: Schedule) -> Int64 {
    schedule.every?.origin == .end ? .min : clockAxis.mark
  }

  private func clockTrack(_ schedule: Schedule) -> Track {
    switch schedule.every?.origin {
    case .start: schedule.bounded(Track(grid: schedule.every.map(grid)))
    case .end: Track(instants: delayed.map { [$0] } ?? [])
    case .epoch, nil: Track()
    }
  }

  private func grid(_ every: Every) -> Track.Grid {
    Track.Grid(origin: anchor, interval: every.intervalMilliseconds)
  }

  private func deadline(ofWall label: Int64, at now: Now) -> MonotonicInstant {
    now.monotonic + (WallInstant(milliseconds: label) - now.wall)
  }
}

// MARK: - What comes next

extension ScheduleCursor {
  /// The earliest slot that is not decided; nil when there are no more, or none before a run ends.
  func next(of timing: Timing, for job: JobName, at now: Now) -> Slot? {
    nextInstant(of: timing.schedule, at: now).map { place($0, in: timing, for: job, at: now) }
  }

  private func nextInstant(of schedule: Schedule, at now: Now) -> Slot? {
    let onClock = Self.next(clockTrack(schedule), after: clockMark(schedule), but: wallAxis)
    let onWall = Self.next(schedule.wallTrack, after: wallAxis.mark, but: clockAxis)
    let byClock = onClock.map { ($0, clock.instant(of: $0)) }
    let byWall = onWall.map { ($0, deadline(ofWall: $0, at: now)) }
    guard var (label, deadline) = byClock ?? byWall else { return nil }
    if let byWall, byWall.1 < deadline { (label, deadline) = byWall }
    return slot(label, deadline: deadline, schedule)
  }

  private static func next(_ track: Track, after mark: Int64, but other: DecidedAxis) -> Int64? {
    var label = track.next(after: mark)
    while let found = label, other.hasDecided(found) { label = track.next(after: found) }
    return label
  }

  /// The slot of this instant, with all triggers that name it.
  private func slot(_ label: Int64, deadline: MonotonicInstant, _ schedule: Schedule) -> Slot {
    let nominal = WallInstant(milliseconds: label)
    var causes: SlotCauses = []
    let isEvery =
      (label > clockMark(schedule) && clockTrack(schedule).has(label))
      || (label > wallAxis.mark && schedule.wallTrack.grid?.contains(label) == true)
    if isEvery { causes.insert(.every) }
    if schedule.at.contains(nominal) { causes.insert(.at) }
    for rule in schedule.rules where rule.has(label) { causes.insert(rule.cause) }
    return Slot(nominal: nominal, causes: causes, deadline: deadline)
  }

  /// Puts a slot off by spread and jitter and gives it its window, both cut so that they end one
  /// millisecond before the next slot. Its deadline is that of the nominal instant.
  func place(_ slot: Slot, in timing: Timing, for job: JobName, at now: Now) -> Slot {
    if timing.leeway == .none, timing.spread == nil, timing.jitter == .zero { return slot }
    var slot = slot
    let gap = gap(after: slot, in: timing.schedule, at: now)
    let room = gap.map { max(.zero, $0 - .milliseconds(1)) } ?? .seconds(Int64(1) << 32)
    slot.offset = min(timing.offset(of: slot.nominal, job), room)
    slot.deadline = slot.deadline + slot.offset
    let leeway: Duration
    switch timing.leeway {
    case .duration(let duration): leeway = duration
    case .percent(let percent): leeway = gap.map { $0 * (percent / 100) } ?? .zero
    }
    slot.window = min(leeway, room - slot.offset)
    return slot
  }

  /// How long after a slot the next one comes, as far as anybody can know now.
  private func gap(after slot: Slot, in schedule: Schedule, at now: Now) -> Duration? {
    let interval = schedule.every?.interval
    guard
      schedule.at.count > 1 || !schedule.rules.isEmpty || (interval != nil && !schedule.at.isEmpty)
    else { return interval }
    var ahead = self
    ahead.decideAll(
      of: schedule,
      at: Now(
        wall: max(slot.nominal, now.wall + (slot.deadline - now.monotonic)),
        monotonic: slot.deadline))
    guard let next = ahead.nextInstant(of: schedule, at: now) else { return interval }
    let further = next.deadline - slot.deadline
    return min(interval ?? further, further)
  }
}

// MARK: - What is due

extension ScheduleCursor {
  /// What a wake finds.
  struct Due {
    /// Slots whose successor has come too: unbroken pieces of a grid, and single instants.
    var passed: [SlotSeries]
    /// It may be put off still.
    var newest: Slot
    /// The newest slot and those before it, in as few pieces as they make.
    var all: [SlotSeries]
  }

  /// Takes all slots whose nominal instant has come, and leaves the cursor behind them; nil when
  /// there are none.
  mutating func takeDue(of timing: Timing, for job: JobName, at now: Now) -> Due? {
    guard let next = nextInstant(of: timing.schedule, at: now), next.deadline <= now.monotonic
    else {
      return nil
    }
    let due = allDue(first: next, of: timing, for: job, at: now)
    decideAll(of: timing.schedule, at: now)
    return due
  }

  private func allDue(first: Slot, of timing: Timing, for job: JobName, at now: Now) -> Due {
    let schedule = timing.schedule
    let clockPieces = pieces(
      of: clockTrack(schedule), after: clockMark(schedule), through: clock.label(at: now.monotonic),
      but: wallAxis)
    let wallPieces = pieces(
      of: schedule.wallTrack, after: wallAxis.mark, through: now.wall.milliseconds, but: clockAxis)
    if clockPieces.count + wallPieces.count == 1, (clockPieces + wallPieces)[0].count == 1 {
      return Due(
        passed: [], newest: place(first, in: timing, for: job, at: now),
        all: [SlotSeries(first.nominal)])
    }
    var newest = (label: first.nominal.milliseconds, deadline: first.deadline)
    func consider(_ label: Int64, _ deadline: MonotonicInstant) {
      if deadline > newest.deadline { newest = (label, deadline) }
    }
    for piece in clockPieces {
      let label = piece.last.milliseconds
      consider(label, clock.instant(of: label))
    }
    for piece in wallPieces {
      let label = piece.last.milliseconds
      consider(label, deadline(ofWall: label, at: now))
    }
    let slot = slot(newest.label, deadline: newest.deadline, schedule)
    return Due(
      passed: passed(clockPieces, wallPieces, but: newest.label, schedule),
      newest: place(slot, in: timing, for: job, at: now),
      all: passed(clockPieces, wallPieces, but: nil, schedule))
  }

  private func pieces(
    of track: Track, after mark: Int64, through end: Int64, but other: DecidedAxis
  ) -> [SlotSeries] {
    let all = track.pieces(after: mark, through: end)
    return all.isEmpty
      ? all : track.pieces(all, without: other.decided(of: track, after: mark, through: end))
  }

  /// All that is due, without the newest if it is named; an instant that both axes name is counted once.
  private func passed(
    _ clockPieces: [SlotSeries], _ wallPieces: [SlotSeries], but newest: Int64?,
    _ schedule: Schedule
  ) -> [SlotSeries] {
    let (clockTrack, wallTrack) = (clockTrack(schedule), schedule.wallTrack)
    let twice =
      clockPieces.isEmpty
      ? []
      : labels(of: wallPieces, on: wallTrack).filter { label in
        let instant = WallInstant(milliseconds: label)
        return clockTrack.has(label)
          && clockPieces.contains { $0.first <= instant && instant <= $0.last }
      }
    let passed =
      clockTrack.pieces(clockPieces, without: [newest].compactMap(\.self))
      + wallTrack.pieces(wallPieces, without: [newest].compactMap(\.self) + twice)
    return SlotSeries.disjoint(
      passed, from: newest.map { WallInstant(milliseconds: $0) }
    ) {
      track(of: $0, schedule)
    }
  }

  /// The instants of some pieces, one by one.
  private func labels(of pieces: [SlotSeries], on track: Track) -> [Int64] {
    pieces.flatMap { piece -> [Int64] in
      var labels: [Int64] = []
      var label: Int64? = piece.first.milliseconds
      while let found = label, found <= piece.last.milliseconds {
        labels.append(found)
        label = track.next(after: found)
      }
      return labels
    }
  }
}
