import TaktTime

/// How far a job has come in its schedule. It alone computes slots: the next one to arm, and those
/// that are due.
///
/// Instants stand on two axes. The job's own clock carries `every` from its anchor; the wall
/// carries what names a time of day (`at`, `align: epoch`).
struct ScheduleCursor: Sendable {
  let clock: JobClock
  /// Where the grid of `every` begins: the first load, plus `first` as it was then.
  private(set) var anchor: Int64
  /// All up to here is decided, on the job's own clock.
  private(set) var clockMark: Int64
  /// All up to here is decided, on the wall.
  private(set) var wallMark: Int64
  private var delayLabel = Int64.min
  /// Nil while there is nothing in it, which is nearly always.
  private(set) var memory: Shared<CursorMemory>?
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
    forgetNext()
  }

  /// What comes next is not known any more: the job has another schedule.
  mutating func forgetNext() { lookahead = Lookahead() }

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
    forgetNext()
    return WallInstant(milliseconds: label)
  }

  /// A day, in milliseconds.
  private static let momentsKept: Int64 = 86_400_000

  /// A run of the job is active: a fixed delay has no next slot until it ends.
  mutating func runStarted() {
    delayed = nil
  }

  /// No run of the job is active: a fixed delay begins, and ends no sooner than `first` says.
  mutating func rest(_ schedule: Schedule, at now: Now) {
    guard let every = schedule.every, every.origin == .end else { return }
    var label = max(clock.label(at: now.monotonic) + every.intervalMilliseconds, anchor)
    while memory?.value.wall.hasDecided(label) == true { label += 1 }
    delay(to: label, schedule)
  }

  private mutating func delay(to label: Int64, _ schedule: Schedule) {
    let label = max(label, schedule.notBefore?.milliseconds ?? label)
    delayed = label <= schedule.until?.milliseconds ?? label ? label : nil
  }

  /// Puts all instants up to now behind the cursor.
  mutating func decideAll(of schedule: Schedule, at now: Now) {
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

  func clockTrack(_ schedule: Schedule) -> Track {
    switch schedule.every?.origin {
    case .start: schedule.bounded(Track(grid: schedule.every.map(grid)))
    case .end: Track(instants: delayed.map { [$0] } ?? [])
    case .epoch, nil: Track()
    }
  }

  private func grid(_ every: Every) -> Track.Grid {
    Track.Grid(origin: anchor, interval: every.intervalMilliseconds)
  }

  func deadline(ofWall label: Int64, at now: Now) -> MonotonicInstant {
    let distance = WallInstant(milliseconds: label).nanoseconds
      .subtractingSaturated(now.wall.nanoseconds)
    return MonotonicInstant(nanoseconds: now.monotonic.nanoseconds.addingSaturated(distance))
  }
}

// MARK: - The next slot, and what is due

extension ScheduleCursor {
  /// The earliest slot that is not decided; nil when there are no more, or none before a run ends.
  ///
  /// It changes nothing but what the cursor remembers of what comes next.
  mutating func next(of timing: Timing, for job: JobName, at now: Now) -> Slot? {
    guard lookAhead(timing.schedule) else { return nextOfSeveral(of: timing, for: job, at: now) }
    guard let slot = upcoming(at: now) else { return nil }
    return placeUpcoming(slot, in: timing, for: job)
  }

  /// What a wake finds.
  struct Due {
    private final class Several {
      /// Slots whose successor has come too: unbroken pieces of a grid, and single instants.
      let passed: [SlotSeries]
      /// The newest slot and those before it, in as few pieces as they make.
      let all: [SlotSeries]

      init(passed: [SlotSeries], all: [SlotSeries]) {
        self.passed = passed
        self.all = all
      }
    }

    /// It may be put off still.
    var newest: Slot
    /// Nil where there is only the newest.
    private var several: Several?

    var passed: [SlotSeries] { several?.passed ?? [] }

    var all: [SlotSeries] { several?.all ?? [SlotSeries(newest.nominal)] }
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
    let placed = placeUpcoming(slot, in: timing, for: job)
    decideAll(of: schedule, at: now)
    lookahead.advance(schedule)
    return Due(newest: placed)
  }

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

extension ScheduleCursor.Due {
  init(newest: Slot) { self.init(newest: newest, several: nil) }

  init(passed: [SlotSeries], newest: Slot, all: [SlotSeries]) {
    self.init(newest: newest, several: Several(passed: passed, all: all))
  }
}
