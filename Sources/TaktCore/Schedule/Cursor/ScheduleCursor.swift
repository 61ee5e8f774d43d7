import TaktTime

/// A job's position in its schedule. It alone computes slots: the next one to arm, and those that
/// are due.
///
/// Instants are on two timelines. The job's own clock carries `every` from its anchor; the wall
/// carries everything that names a time of day (`at`, `align: epoch`).
struct ScheduleCursor: Sendable {
  let clock: JobClock
  /// The start of the grid of `every`: the first load, plus `first` at that time.
  private(set) var anchor: ScheduleInstant
  /// All up to here is decided, on the job's own clock.
  private(set) var clockMark: ScheduleInstant
  /// All up to here is decided, on the wall.
  private(set) var wallMark: ScheduleInstant
  private var delayInstant = ScheduleInstant.min
  /// Nil while there is nothing in it, which is nearly always.
  private(set) var memory: Shared<CursorMemory>?
  private var lookahead = Lookahead()

  /// The cursor of a job that takt loads for the first time. Instants on the wall at or before now
  /// are behind it.
  init(schedule: Schedule, at now: Now) {
    let every = schedule.every
    clock = JobClock(at: now)
    anchor = clock.reading + (every?.delay?.milliseconds ?? 0)
    clockMark = every?.delay == nil ? anchor : anchor - 1
    wallMark = ScheduleInstant(now.wall)
    if let every, every.origin == .end {
      delay(to: every.first == nil ? anchor + every.intervalMilliseconds : anchor, schedule)
    }
  }

  /// The cursor that a previous daemon has left.
  ///
  /// - Parameter isSameBoot: true if the machine has not been restarted since. Otherwise the job's
  ///   clock is set by the wall again, but never back: the instants that it has named are decided.
  init(_ state: CursorState, isSameBoot: Bool, at now: Now) {
    anchor = state.anchor
    clockMark = state.clockMark
    wallMark = state.wallMark
    let went = JobClock(reading: state.clockReading, instant: state.clockInstant)
    if isSameBoot, state.clockInstant <= now.monotonic {
      clock = went
    } else {
      let set = JobClock(at: now)
      // A mark before the anchor is that of a grid that has not started: nothing is named yet.
      let hasNamed = state.clockMark >= state.anchor
      clock =
        set.reading > state.clockMark || !hasNamed
        ? set : JobClock(reading: state.clockMark, instant: now.monotonic)
    }
    delayed = state.delayed
    if let ahead = CursorMemory(text: state.ahead) { memory = Shared(ahead) }
  }

  var state: CursorState {
    CursorState(
      clockReading: clock.reading, clockInstant: clock.instant, anchor: anchor,
      clockMark: clockMark,
      wallMark: wallMark, delayed: delayed, ahead: memory?.value.text ?? "")
  }

  /// The next slot of a fixed delay; nil while a run is active.
  private var delayed: ScheduleInstant? {
    get { delayInstant == .min ? nil : delayInstant }
    set { delayInstant = newValue ?? .min }
  }

  /// True if a fixed delay has its next slot.
  var isDelaying: Bool { delayed != nil }

  func edge(at now: Now) -> ScheduleEdge {
    ScheduleEdge(clock: clockMark, wall: wallMark, at: now.wall)
  }

  /// The due time of a slot that has passed, by the clock that it is on.
  func deadline(of nominal: WallInstant, _ schedule: Schedule, at now: Now) -> MonotonicInstant {
    clockInstantSet(schedule).has(ScheduleInstant(nominal)) || schedule.every?.origin == .end
      ? clock.instant(of: ScheduleInstant(nominal))
      : deadline(ofWall: ScheduleInstant(nominal), at: now)
  }

  func instantSet(of series: SlotSeries, _ schedule: Schedule) -> InstantSet {
    let clock = clockInstantSet(schedule)
    let (first, last) = (ScheduleInstant(series.first), ScheduleInstant(series.last))
    return clock.series(after: first - 1, through: last) == series ? clock : schedule.wallInstantSet
  }

  /// The triggers that name a slot that has passed.
  func causes(of nominal: WallInstant, _ schedule: Schedule) -> SlotCauses {
    let instant = ScheduleInstant(nominal)
    var causes: SlotCauses = []
    if clockInstantSet(schedule).has(instant)
      || schedule.wallInstantSet.grid?.contains(instant) == true
      || schedule.every?.origin == .end
    {
      causes.insert(.every)
    }
    if schedule.at.contains(nominal) { causes.insert(.at) }
    for rule in schedule.rules where rule.has(instant) { causes.insert(rule.cause) }
    return causes
  }

  /// The present reading of the clock that a slot is on.
  func reading(by nominal: WallInstant, _ schedule: Schedule, at now: Now) -> ScheduleInstant {
    clockInstantSet(schedule).has(ScheduleInstant(nominal)) || schedule.every?.origin == .end
      ? clock.reading(at: now.monotonic) : ScheduleInstant(now.wall)
  }

  /// Puts all instants up to now behind the cursor, and changes to a new schedule. Instants that
  /// `old` named are decided; others were never slots.
  mutating func skip(to now: Now, from old: Schedule, to schedule: Schedule) {
    decideAll(of: old, at: now)
    if let every = schedule.every, every.phase == .restart, let before = old.every,
      before.interval != every.interval
    {
      anchor = clockMark
    }
    if let every = schedule.every, every.origin == .end {
      if let next = delayed { delay(to: next, schedule) } else { startDelay(schedule, at: now) }
    } else {
      delayed = nil
    }
    forgetNext()
  }

  /// The job has another schedule: the next instant is no longer known.
  mutating func forgetNext() { lookahead = Lookahead() }

  /// Makes a slot for an event now: the present millisecond, or a later one that is not decided.
  ///
  /// - Parameter delay: the distance of the slot from now; above zero, it is none of the present.
  mutating func nameInstant(
    _ schedule: Schedule, ahead delay: Duration = .zero, at now: Now
  ) -> WallInstant {
    let (clockInstantSet, wallInstantSet) = (clockInstantSet(schedule), schedule.wallInstantSet)
    var memory = memory?.value ?? CursorMemory()
    let moment = max(0, ScheduleInstant(now.wall + delay))
    // After a step back the old moments come again.
    var instant =
      delay > .zero ? memory.moments.free(from: moment) : memory.moments.present(at: moment)
    var tries = 0
    while (instant <= clockMark && clockInstantSet.has(instant))
      || (instant <= wallMark && wallInstantSet.has(instant))
      || memory.clock.hasDecided(instant) || memory.wall.hasDecided(instant)
      || memory.named.contains(instant)
    {
      tries += 1
      // A grid of few milliseconds may leave none: behind all that is decided there is one.
      let decided = max(clockMark, wallMark, memory.clock.end, memory.wall.end)
      let next = tries < Self.triesMax ? instant : max(instant, decided)
      instant = memory.moments.free(from: next + 1)
    }
    if delay > .zero {
      memory.remember(instant)
      self.memory = Shared(memory)
      forgetNext()
      return WallInstant(instant)
    }
    // The same slot as one that a clock is to name: decided with this.
    if instant > clockMark, clockInstantSet.has(instant) {
      memory.wall.remember(instant)
    }
    if instant > wallMark, wallInstantSet.has(instant) {
      memory.clock.remember(instant)
    }
    memory.moments.name(instant)
    self.memory = Shared(memory)
    forgetNext()
    return WallInstant(instant)
  }

  /// More than there are delayed slots that a moment may meet.
  private static let triesMax = 1000

  /// A run of the job is active: a fixed delay has no next slot until it ends.
  mutating func runStarted() {
    delayed = nil
  }

  /// No run of the job is active: a fixed delay starts, and ends no sooner than `first`.
  mutating func startDelay(_ schedule: Schedule, at now: Now) {
    guard let every = schedule.every, every.origin == .end else { return }
    var instant = max(clock.reading(at: now.monotonic) + every.intervalMilliseconds, anchor)
    while memory?.value.wall.hasDecided(instant) == true { instant += 1 }
    delay(to: instant, schedule)
  }

  /// A fixed delay that several machines share: it has started with `end` on one of them; nil if
  /// there was none, so that all name the same instant.
  mutating func startDelay(from end: WallInstant?, _ schedule: Schedule, at now: Now) {
    guard let every = schedule.every, every.origin == .end else { return }
    let interval = every.intervalMilliseconds
    let grid = InstantSet.Grid(origin: end.map { ScheduleInstant($0) } ?? 0, interval: interval)
    var after = end.map { ScheduleInstant($0) } ?? ScheduleInstant(now.wall)
    if let decided = memory?.value.decided { after = max(after, decided) }
    delay(to: grid.next(after: after), schedule)
  }

  /// A slot of a fixed delay that machines share has its verdict, and is not named again.
  mutating func noteDecided(_ slot: WallInstant) {
    var memory = memory?.value ?? CursorMemory()
    memory.decided = max(memory.decided ?? .min, ScheduleInstant(slot))
    self.memory = Shared(memory)
  }

  private mutating func delay(to instant: ScheduleInstant, _ schedule: Schedule) {
    let instant = max(instant, schedule.notBefore.map { ScheduleInstant($0) } ?? instant)
    delayed = instant <= schedule.until.map { ScheduleInstant($0) } ?? instant ? instant : nil
  }

  /// Puts all instants up to now behind the cursor.
  mutating func decideAll(of schedule: Schedule, at now: Now) {
    let instant = clock.reading(at: now.monotonic)
    let wall = max(wallMark, ScheduleInstant(now.wall))
    if memory?.value.isAhead != true, instant <= wall || !schedule.isOnJobClock,
      wall <= max(instant, clockMark) || !schedule.isOnWallClock
    {
      // The clocks run together: neither decides anything ahead of the other.
      (clockMark, wallMark) = (max(instant, clockMark), wall)
    } else {
      decideAhead(of: schedule, toClock: instant, toWall: wall)
    }
    if let next = delayed, next <= instant { delayed = nil }
  }

  private mutating func decideAhead(
    of schedule: Schedule, toClock instant: ScheduleInstant, toWall wall: ScheduleInstant
  ) {
    let (clockInstantSet, wallInstantSet) = (clockInstantSet(schedule), schedule.wallInstantSet)
    var (clockMark, wallMark) = (clockMark, wallMark)
    var memory = self.memory ?? Shared(CursorMemory())
    self.memory = nil
    memory.change { memory in
      memory.clock.advance(&clockMark, to: instant, on: clockInstantSet, otherMark: wall)
      memory.wall.advance(&wallMark, to: wall, on: wallInstantSet, otherMark: clockMark)
    }
    (self.clockMark, self.wallMark) = (clockMark, wallMark)
    if !memory.value.isEmpty { self.memory = memory }
  }

  func clockInstantSet(_ schedule: Schedule) -> InstantSet {
    switch schedule.every?.origin {
    case .start: schedule.bounded(InstantSet(grid: schedule.every.map(grid)))
    case .end: InstantSet(instants: delayed.map { [$0] } ?? [])
    case .epoch, nil: InstantSet()
    }
  }

  private func grid(_ every: Every) -> InstantSet.Grid {
    InstantSet.Grid(origin: anchor, interval: every.intervalMilliseconds)
  }

  func deadline(ofWall instant: ScheduleInstant, at now: Now) -> MonotonicInstant {
    let distance = WallInstant(instant).nanoseconds
      .subtractingSaturated(now.wall.nanoseconds)
    return MonotonicInstant(nanoseconds: now.monotonic.nanoseconds.addingSaturated(distance))
  }
}

extension ScheduleCursor {
  /// The earliest slot that is not decided; nil if there are no more, or none before a run ends.
  ///
  /// Changes only the cursor's memory of the next instant.
  mutating func next(of timing: Timing, for job: JobName, at now: Now) -> Slot? {
    guard fillLookahead(timing.schedule) else {
      return nextOfSeveral(of: timing, for: job, at: now)
    }
    guard let slot = upcoming(at: now) else { return nil }
    return placeUpcoming(slot, in: timing, for: job)
  }

  /// The due slots at a wake-up.
  struct Due {
    private final class Several {
      /// Slots whose successor is due too: unbroken pieces of a grid, and single instants.
      let passed: [SlotSeries]
      /// The newest slot and those before it, in as few pieces as they make.
      let all: [SlotSeries]

      init(passed: [SlotSeries], all: [SlotSeries]) {
        self.passed = passed
        self.all = all
      }
    }

    /// It may still be delayed.
    var newest: Slot
    /// Nil where there is only the newest.
    private var several: Several?

    var passed: [SlotSeries] { several?.passed ?? [] }

    var all: [SlotSeries] { several?.all ?? [SlotSeries(newest.nominal)] }
  }

  /// Takes all slots whose nominal instant has passed, and moves the cursor behind them; nil if
  /// there are none.
  mutating func popDue(of timing: Timing, for job: JobName, at now: Now) -> Due? {
    let schedule = timing.schedule
    guard fillLookahead(schedule) else { return popDueOfSeveral(of: timing, for: job, at: now) }
    guard let slot = upcoming(at: now), slot.deadline <= now.monotonic else { return nil }
    let reading = lookahead.isOnClock ? clock.reading(at: now.monotonic) : ScheduleInstant(now.wall)
    guard lookahead.instantAfterNext(schedule) > reading else {
      return popDueOfSeveral(of: timing, for: job, at: now)
    }
    let placed = placeUpcoming(slot, in: timing, for: job)
    decideAll(of: schedule, at: now)
    lookahead.advance(schedule)
    return Due(newest: placed)
  }

  /// Finds the next instant, unless it is known. False if several triggers name instants, or if the
  /// other timeline may have decided the next one.
  private mutating func fillLookahead(_ schedule: Schedule) -> Bool {
    if lookahead.trigger != .unknown { return true }
    let isOnWall = schedule.isOnWallClock
    if let memory = memory?.value, !(isOnWall ? memory.clock : memory.wall).isEmpty { return false }
    lookahead = Lookahead(schedule, after: isOnWall ? wallMark : clockMark, anchor: anchor)
    return lookahead.trigger != .unknown
  }

  /// The next slot of the only trigger, without spread and jitter.
  private func upcoming(at now: Now) -> Slot? {
    let instant = lookahead.trigger == .delay ? delayed ?? Lookahead.never : lookahead.next
    guard instant != Lookahead.never else { return nil }
    let nominal = WallInstant(instant)
    return Slot(
      nominal: nominal, causes: lookahead.causes,
      deadline: lookahead.isOnClock
        ? clock.instant(of: instant) : deadline(ofWall: instant, at: now))
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
      ? nil : Duration.milliseconds(later - ScheduleInstant(slot.nominal))
    return timing.place(slot, before: gap, of: job)
  }
}

extension ScheduleCursor.Due {
  init(newest: Slot) { self.init(newest: newest, several: nil) }

  init(passed: [SlotSeries], newest: Slot, all: [SlotSeries]) {
    self.init(newest: newest, several: Several(passed: passed, all: all))
  }
}
