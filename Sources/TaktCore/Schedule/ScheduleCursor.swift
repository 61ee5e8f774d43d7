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
  /// All up to here is decided, on the job's own clock.
  private var clockMark: Int64
  /// All up to here is decided, on the wall.
  private var wallMark: Int64
  private var delayLabel = Int64.min
  /// Nil while there is nothing in it, which is nearly always.
  private var memory: Shared<CursorMemory>?
  private var lookahead = Lookahead()

  /// The cursor of a job that takt loads for the first time. What stands on the wall at or before
  /// now is behind it.
  init(schedule: Schedule, at now: Now) {
    let every = schedule.every
    clock = JobClock(at: now)
    anchor = clock.label + (every?.first?.milliseconds ?? 0)
    clockMark = every?.first == nil ? anchor : anchor - 1
    wallMark = now.wall.milliseconds
    if let every, every.origin == .end {
      delay(to: every.first == nil ? anchor + every.intervalMilliseconds : anchor, schedule)
    }
  }

  /// The cursor that a former takt has left.
  ///
  /// - Parameter isSameBoot: whether the machine has gone on since. Else the job's clock is set by
  ///   the wall anew, but never back: what it has named is decided.
  init(_ state: CursorState, isSameBoot: Bool, at now: Now) {
    anchor = state.anchor
    clockMark = state.clockMark
    wallMark = state.wallMark
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
    delayed = state.delayed
    if let ahead = CursorMemory(text: state.ahead) { memory = Shared(ahead) }
  }

  var state: CursorState {
    CursorState(
      clockLabel: clock.label, clockInstant: clock.instant, anchor: anchor, clockMark: clockMark,
      wallMark: wallMark, delayed: delayed, ahead: memory?.value.text ?? "")
  }

  /// The next slot of a fixed delay; nil while a run is active.
  private var delayed: Int64? {
    get { delayLabel == .min ? nil : delayLabel }
    set { delayLabel = newValue ?? .min }
  }

  /// Whether a fixed delay has its next slot.
  var isDelaying: Bool { delayed != nil }

  func edge(at now: Now) -> ScheduleEdge {
    ScheduleEdge(clock: clockMark, wall: wallMark, at: now.wall)
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
      anchor = clockMark
    }
    if let every = schedule.every, every.origin == .end {
      if let next = delayed { delay(to: next, schedule) } else { rest(schedule, at: now) }
    } else {
      delayed = nil
    }
    lookahead = Lookahead()
  }

  /// Makes a slot of something that happens now, which nobody could foresee: the present
  /// millisecond, or the next one that is not decided.
  mutating func takeMoment(_ schedule: Schedule, at now: Now) -> WallInstant {
    let (clockTrack, wallTrack) = (clockTrack(schedule), schedule.wallTrack)
    var memory = memory?.value ?? CursorMemory()
    var label = max(0, now.wall.milliseconds)
    // After a step back the old moments come again. One that is far ahead is of a clock gone wrong.
    let last = memory.lastMoment
    if label <= last, last - label < Self.momentsKept { label = last + 1 }
    while (label <= clockMark && clockTrack.has(label))
      || (label <= wallMark && wallTrack.has(label))
      || memory.clock.hasDecided(label) || memory.wall.hasDecided(label)
    {
      label += 1
    }
    // The same slot as one that a clock is to name: decided with this.
    if label > clockMark, clockTrack.has(label) { memory.wall.remember(label) }
    if label > wallMark, wallTrack.has(label) { memory.clock.remember(label) }
    memory.lastMoment = label
    self.memory = Shared(memory)
    lookahead = Lookahead()
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
    while memory?.value.wall.hasDecided(label) == true { label += 1 }
    delay(to: label, schedule)
  }

  private mutating func delay(to label: Int64, _ schedule: Schedule) {
    let label = max(label, schedule.notBefore?.milliseconds ?? label)
    delayed = label <= schedule.until?.milliseconds ?? label ? label : nil
  }

  /// Puts all instants up to now behind the cursor.
  private mutating func decideAll(of schedule: Schedule, at now: Now) {
    let label = clock.label(at: now.monotonic)
    let wall = max(wallMark, now.wall.milliseconds)
    if memory?.value.isAhead != true, label <= wall || !schedule.standsOnClock,
      wall <= max(label, clockMark) || !schedule.standsOnWall
    {
      // The clocks have gone together: neither decides anything ahead of the other.
      (clockMark, wallMark) = (max(label, clockMark), wall)
    } else {
      decideAhead(of: schedule, toClock: label, toWall: wall)
    }
    if let next = delayed, next <= label { delayed = nil }
  }

  private mutating func decideAhead(of schedule: Schedule, toClock label: Int64, toWall wall: Int64)
  {
    let (clockTrack, wallTrack) = (clockTrack(schedule), schedule.wallTrack)
    var (clockMark, wallMark) = (clockMark, wallMark)
    var memory = self.memory ?? Shared(CursorMemory())
    self.memory = nil
    memory.change { memory in
      memory.clock.advance(&clockMark, to: label, on: clockTrack, otherMark: wall)
      memory.wall.advance(&wallMark, to: wall, on: wallTrack, otherMark: clockMark)
    }
    (self.clockMark, self.wallMark) = (clockMark, wallMark)
    if !memory.value.isEmpty { self.memory = memory }
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
  ///
  /// It changes nothing but what the cursor remembers of what comes next.
  mutating func next(of timing: Timing, for job: JobName, at now: Now) -> Slot? {
    guard lookAhead(timing.schedule) else { return nextOfSeveral(of: timing, for: job, at: now) }
    guard let slot = upcoming(at: now) else { return nil }
    return placeUpcoming(slot, in: timing, for: job)
  }

  /// `next` for any schedule.
  func nextOfSeveral(of timing: Timing, for job: JobName, at now: Now) -> Slot? {
    nextInstant(of: timing.schedule, at: now).map { place($0, in: timing, for: job, at: now) }
  }

  private func nextInstant(of schedule: Schedule, at now: Now) -> Slot? {
    let memory = memory?.value ?? CursorMemory()
    let onClock = Self.next(clockTrack(schedule), after: clockMark, but: memory.wall)
    let onWall = Self.next(schedule.wallTrack, after: wallMark, but: memory.clock)
    let byClock = onClock.map { ($0, clock.instant(of: $0)) }
    let byWall = onWall.map { ($0, deadline(ofWall: $0, at: now)) }
    guard var (label, deadline) = byClock ?? byWall else { return nil }
    if let byWall, byWall.1 < deadline { (label, deadline) = byWall }
    return slot(label, deadline: deadline, schedule)
  }

  private static func next(_ track: Track, after mark: Int64, but other: DecidedAhead) -> Int64? {
    var label = track.next(after: mark)
    while let found = label, other.hasDecided(found) { label = track.next(after: found) }
    return label
  }

  /// The slot of this instant, with all triggers that name it.
  private func slot(_ label: Int64, deadline: MonotonicInstant, _ schedule: Schedule) -> Slot {
    let nominal = WallInstant(milliseconds: label)
    var causes: SlotCauses = []
    let isEvery =
      (label > clockMark && clockTrack(schedule).has(label))
      || (label > wallMark && schedule.wallTrack.grid?.contains(label) == true)
    if isEvery { causes.insert(.every) }
    if schedule.at.contains(nominal) { causes.insert(.at) }
    for rule in schedule.rules where rule.has(label) { causes.insert(rule.cause) }
    return Slot(nominal: nominal, causes: causes, deadline: deadline)
  }

  /// Puts a slot off by spread and jitter and gives it its window, both cut so that they end one
  /// millisecond before the next slot. Its deadline is that of the nominal instant.
  func place(_ slot: Slot, in timing: Timing, for job: JobName, at now: Now) -> Slot {
    guard timing.movesSlots else { return slot }
    return timing.place(slot, before: gap(after: slot, in: timing.schedule, at: now), of: job)
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
    /// Empty where there is only the newest.
    private var pieces: [SlotSeries] = []

    init(passed: [SlotSeries] = [], newest: Slot, all pieces: [SlotSeries] = []) {
      self.passed = passed
      self.newest = newest
      self.pieces = pieces
    }

    /// The newest slot and those before it, in as few pieces as they make.
    var all: [SlotSeries] {
      get { pieces.isEmpty ? [SlotSeries(newest.nominal)] : pieces }
      set { pieces = newValue }
    }
  }

  /// Takes all slots whose nominal instant has come, and leaves the cursor behind them; nil when
  /// there are none.
  mutating func takeDue(of timing: Timing, for job: JobName, at now: Now) -> Due? {
    let schedule = timing.schedule
    guard lookAhead(schedule) else { return takeDueOfSeveral(of: timing, for: job, at: now) }
    guard let slot = upcoming(at: now), slot.deadline <= now.monotonic else { return nil }
    let reading = lookahead.isOnClock ? clock.label(at: now.monotonic) : now.wall.milliseconds
    guard lookahead.instantAfterNext(schedule) > reading else {
      return takeDueOfSeveral(of: timing, for: job, at: now)
    }
    let due = Due(newest: placeUpcoming(slot, in: timing, for: job))
    decideAll(of: schedule, at: now)
    lookahead.advance(schedule)
    return due
  }

  /// `takeDue` for any schedule, and any number of slots.
  mutating func takeDueOfSeveral(of timing: Timing, for job: JobName, at now: Now) -> Due? {
    guard let next = nextInstant(of: timing.schedule, at: now), next.deadline <= now.monotonic
    else {
      return nil
    }
    let due = allDue(first: next, of: timing, for: job, at: now)
    decideAll(of: timing.schedule, at: now)
    lookahead = Lookahead()
    return due
  }

  private func allDue(first: Slot, of timing: Timing, for job: JobName, at now: Now) -> Due {
    let schedule = timing.schedule
    let memory = memory?.value ?? CursorMemory()
    let clockPieces = pieces(
      of: clockTrack(schedule), after: clockMark, through: clock.label(at: now.monotonic),
      but: memory.wall)
    let wallPieces = pieces(
      of: schedule.wallTrack, after: wallMark, through: now.wall.milliseconds, but: memory.clock)
    if clockPieces.count + wallPieces.count == 1, (clockPieces + wallPieces)[0].count == 1 {
      return Due(newest: place(first, in: timing, for: job, at: now))
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
    of track: Track, after mark: Int64, through end: Int64, but other: DecidedAhead
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

// MARK: - One trigger

extension ScheduleCursor {
  /// Finds what comes next, unless it is known. False where several triggers name instants, or where
  /// the other axis may have decided what this one is to name.
  private mutating func lookAhead(_ schedule: Schedule) -> Bool {
    if lookahead.trigger != .unknown { return true }
    let isOnWall = schedule.standsOnWall
    if let memory = memory?.value, !(isOnWall ? memory.clock : memory.wall).isEmpty { return false }
    lookahead = Lookahead(schedule, after: isOnWall ? wallMark : clockMark, anchor: anchor)
    return lookahead.trigger != .unknown
  }

  /// The next slot of the only trigger, where the schedule says.
  private func upcoming(at now: Now) -> Slot? {
    let label = lookahead.trigger == .delay ? delayed ?? Lookahead.never : lookahead.next
    guard label != Lookahead.never else { return nil }
    let nominal = WallInstant(milliseconds: label)
    return Slot(
      nominal: nominal, causes: lookahead.causes,
      deadline: lookahead.isOnClock ? clock.instant(of: label) : deadline(ofWall: label, at: now))
  }

  /// `place` for the next slot of the only trigger.
  private mutating func placeUpcoming(_ slot: Slot, in timing: Timing, for job: JobName) -> Slot {
    guard timing.movesSlots else { return slot }
    if let every = timing.schedule.every {
      return timing.place(slot, before: every.interval, of: job)
    }
    let later = lookahead.instantAfterNext(timing.schedule)
    let gap =
      later == Lookahead.never
      ? nil : Duration.milliseconds(later - slot.nominal.milliseconds)
    return timing.place(slot, before: gap, of: job)
  }
}
