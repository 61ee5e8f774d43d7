import TaktTime

/// Slots of any schedule: of several triggers, after a step of the wall clock, or many at once.
/// Everything is searched for.
extension ScheduleCursor {
  /// `next` for any schedule.
  func nextOfSeveral(of timing: Timing, for job: JobName, at now: Now) -> Slot? {
    nextInstant(of: timing.schedule, at: now).map { place($0, in: timing, for: job, at: now) }
  }

  private func nextInstant(of schedule: Schedule, at now: Now) -> Slot? {
    let memory = memory?.value ?? CursorMemory()
    let onClock = Self.next(clockInstantSet(schedule), after: mark(on: schedule), but: memory.wall)
    let onWall = Self.next(schedule.wallInstantSet, after: wallMark, but: memory.clock)
    let byClock = onClock.map { ($0, clock.instant(of: $0)) }
    let byWall = onWall.map { ($0, deadline(ofWall: $0, at: now)) }
    guard var (instant, deadline) = byClock ?? byWall else { return nil }
    if let byWall, byWall.1 < deadline { (instant, deadline) = byWall }
    return slot(instant, deadline: deadline, schedule)
  }

  /// The mark after which instants of the job's own clock are still to come. That of a fixed delay
  /// always is, even before a first instant that was delayed.
  private func mark(on schedule: Schedule) -> ScheduleInstant {
    schedule.every?.origin == .end ? .min : clockMark
  }

  private static func next(
    _ instantSet: InstantSet, after mark: ScheduleInstant, but other: DecidedAhead
  ) -> ScheduleInstant? {
    var instant = instantSet.next(after: mark)
    while let found = instant, other.hasDecided(found) {
      instant = instantSet.next(after: found)
    }
    return instant
  }

  /// The slot of this instant, with all triggers that name it.
  private func slot(_ instant: ScheduleInstant, deadline: MonotonicInstant, _ schedule: Schedule)
    -> Slot
  {
    let nominal = WallInstant(instant)
    var causes: SlotCauses = []
    let isEvery =
      (instant > mark(on: schedule) && clockInstantSet(schedule).has(instant))
      || (instant > wallMark && schedule.wallInstantSet.grid?.contains(instant) == true)
    if isEvery { causes.insert(.every) }
    if schedule.at.contains(nominal) { causes.insert(.at) }
    for rule in schedule.rules where rule.has(instant) { causes.insert(rule.cause) }
    return Slot(nominal: nominal, causes: causes, deadline: deadline)
  }

  /// Delays a slot by spread and jitter and gives it its window, both cut so that they end one
  /// millisecond before the next slot. Its deadline is that of the nominal instant.
  func place(_ slot: Slot, in timing: Timing, for job: JobName, at now: Now) -> Slot {
    guard timing.movesSlots else { return slot }
    return timing.place(slot, before: gap(after: slot, in: timing.schedule, at: now), of: job)
  }

  /// The time from a slot to the next one, as far as it can be known now.
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

extension ScheduleCursor {
  /// `popDue` for any schedule, and any number of slots.
  mutating func popDueOfSeveral(of timing: Timing, for job: JobName, at now: Now) -> Due? {
    guard let next = nextInstant(of: timing.schedule, at: now), next.deadline <= now.monotonic
    else {
      return nil
    }
    let due = allDue(first: next, of: timing, for: job, at: now)
    decideAll(of: timing.schedule, at: now)
    forgetNext()
    return due
  }

  private func allDue(first: Slot, of timing: Timing, for job: JobName, at now: Now) -> Due {
    let schedule = timing.schedule
    let memory = memory?.value ?? CursorMemory()
    let clockPieces = pieces(
      of: clockInstantSet(schedule), after: mark(on: schedule),
      through: clock.reading(at: now.monotonic),
      but: memory.wall)
    let wallPieces = pieces(
      of: schedule.wallInstantSet, after: wallMark, through: ScheduleInstant(now.wall),
      but: memory.clock)
    if clockPieces.count + wallPieces.count == 1, (clockPieces + wallPieces)[0].count == 1 {
      return Due(newest: place(first, in: timing, for: job, at: now))
    }
    var newest = (instant: ScheduleInstant(first.nominal), deadline: first.deadline)
    func consider(_ instant: ScheduleInstant, _ deadline: MonotonicInstant) {
      if deadline > newest.deadline { newest = (instant, deadline) }
    }
    for piece in clockPieces {
      let instant = ScheduleInstant(piece.last)
      consider(instant, clock.instant(of: instant))
    }
    for piece in wallPieces {
      let instant = ScheduleInstant(piece.last)
      consider(instant, deadline(ofWall: instant, at: now))
    }
    let slot = slot(newest.instant, deadline: newest.deadline, schedule)
    return Due(
      passed: passed(clockPieces, wallPieces, but: newest.instant, schedule),
      newest: place(slot, in: timing, for: job, at: now),
      all: passed(clockPieces, wallPieces, but: nil, schedule))
  }

  private func pieces(
    of instantSet: InstantSet, after mark: ScheduleInstant, through end: ScheduleInstant,
    but other: DecidedAhead
  ) -> [SlotSeries] {
    let all = instantSet.pieces(after: mark, through: end)
    return all.isEmpty
      ? all
      : instantSet.pieces(all, without: other.decided(of: instantSet, after: mark, through: end))
  }

  /// All that is due, without the newest if it is named; an instant that both timelines name is
  /// counted once.
  private func passed(
    _ clockPieces: [SlotSeries], _ wallPieces: [SlotSeries], but newest: ScheduleInstant?,
    _ schedule: Schedule
  ) -> [SlotSeries] {
    let (clockInstantSet, wallInstantSet) = (clockInstantSet(schedule), schedule.wallInstantSet)
    let twice =
      clockPieces.isEmpty
      ? []
      : instants(of: wallPieces, on: wallInstantSet).filter { instant in
        let wall = WallInstant(instant)
        return clockInstantSet.has(instant)
          && clockPieces.contains { $0.first <= wall && wall <= $0.last }
      }
    let passed =
      clockInstantSet.pieces(clockPieces, without: [newest].compactMap(\.self))
      + wallInstantSet.pieces(wallPieces, without: [newest].compactMap(\.self) + twice)
    return SlotSeries.disjoint(passed, from: newest.map { WallInstant($0) }) {
      instantSet(of: $0, schedule)
    }
  }

  /// The instants of some pieces, one by one.
  private func instants(of pieces: [SlotSeries], on instantSet: InstantSet) -> [ScheduleInstant] {
    pieces.flatMap { piece -> [ScheduleInstant] in
      var instants: [ScheduleInstant] = []
      var instant: ScheduleInstant? = ScheduleInstant(piece.first)
      while let found = instant, found <= ScheduleInstant(piece.last) {
        instants.append(found)
        instant = instantSet.next(after: found)
      }
      return instants
    }
  }
}
