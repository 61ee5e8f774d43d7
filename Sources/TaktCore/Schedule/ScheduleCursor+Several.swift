import TaktTime

/// Slots of any schedule: of several triggers, after a step of the wall clock, or many at once. It
/// searches for all that it says.
extension ScheduleCursor {
  /// `next` for any schedule.
  func nextOfSeveral(of timing: Timing, for job: JobName, at now: Now) -> Slot? {
    nextInstant(of: timing.schedule, at: now).map { place($0, in: timing, for: job, at: now) }
  }

  private func nextInstant(of schedule: Schedule, at now: Now) -> Slot? {
    let memory = memory?.value ?? CursorMemory()
    let onClock = Self.next(clockTrack(schedule), after: mark(on: schedule), but: memory.wall)
    let onWall = Self.next(schedule.wallTrack, after: wallMark, but: memory.clock)
    let byClock = onClock.map { ($0, clock.instant(of: $0)) }
    let byWall = onWall.map { ($0, deadline(ofWall: $0, at: now)) }
    guard var (label, deadline) = byClock ?? byWall else { return nil }
    if let byWall, byWall.1 < deadline { (label, deadline) = byWall }
    return slot(label, deadline: deadline, schedule)
  }

  /// From where on instants of the job's own clock are to come. The one of a fixed delay always is,
  /// even before a first instant that was put off.
  private func mark(on schedule: Schedule) -> Int64 {
    schedule.every?.origin == .end ? .min : clockMark
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
      (label > mark(on: schedule) && clockTrack(schedule).has(label))
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
  /// `takeDue` for any schedule, and any number of slots.
  mutating func takeDueOfSeveral(of timing: Timing, for job: JobName, at now: Now) -> Due? {
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
      of: clockTrack(schedule), after: mark(on: schedule), through: clock.label(at: now.monotonic),
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
