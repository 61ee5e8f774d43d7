import TaktTime
import DequeModule

/// Slots whose time passed while nothing could serve them: those that run late, and their turns.
extension SchedulerCore {
  /// The most time until all that run late have had their turns to start.
  package static let catchUpMax = Duration.seconds(60)
  /// The time between two that run late, if there are few.
  package static let catchUpPace = Duration.milliseconds(50)

  /// Decides slots that have passed by the job's policy, and keeps those that are to run late until
  /// they get their turns.
  ///
  /// - Parameters:
  ///   - passed: pieces of an even grid, or single slots; all before now.
  ///   - cause: the reason why nothing served them; nil to find out for each.
  mutating func settle(
    _ passed: [SlotSeries], of id: JobID, by schedule: Schedule, _ cause: MissCause?, at now: Now
  ) {
    let (spec, cursor) = (jobs[id].spec, jobs[id].cursor)
    let choice = spec.timing.isEnabled ? spec.missed.choice : .skip
    func miss(_ series: SlotSeries, _ core: inout SchedulerCore) {
      let cause = cause ?? core.clocks.missCause(of: series, spec)
      core.decide(id, series, .missed(cause), at: now)
    }
    let others = skipExcluded(passed, of: id, schedule, at: now)
    guard !others.isEmpty else { return }
    var pieces = SlotSeries.disjoint(others) { cursor.instantSet(of: $0, schedule) }
    pieces.sort { $0.last < $1.last }
    // Slots that may still start are not missed, whatever the policy.
    let timely = spec.timing.isEnabled ? serveTimely(&pieces, of: id, by: schedule, at: now) : nil
    let within = spec.missed.within(schedule, of: timely?.nominal ?? pieces.last?.last)
    var young: [SlotSeries] = []
    for series in pieces {
      if choice == .skip {
        miss(series, &self)
        continue
      }
      let (before, after) = cursor.split(series, olderThan: within, schedule, at: now)
      if let before { miss(before, &self) }
      young += [after].compactMap(\.self)
    }
    let room = choice == .all ? spec.missed.countMax : timely == nil ? 1 : 0
    let (rest, chosen) = splitNewest(room, of: young, cursor, schedule)
    let lateTimes = LateTimes(spec.missed, within: within, at: now)
    let starts = chosen.map { lateTimes.start(ofAge: age(of: $0, id, by: schedule, at: now)) }
    for series in rest {
      if choice == .last, timely == nil, case .never? = starts.first {
        decide(id, series, .missed(.lateTimes), at: now)
      } else if choice == .last, let into = timely?.nominal ?? chosen.first {
        decide(id, series, .coalesced(into: into), at: now)
      } else {
        miss(series, &self)
      }
    }
    for (nominal, start) in zip(chosen, starts) {
      let slot = place(nominal, of: id, by: schedule, at: now)
      putOffLate(slot, of: id, start: start, at: now)
    }
    if let timely { putOff(timely, of: id, until: max(now.monotonic, timely.deadline)) }
  }

  /// Decides slots that have passed by the job's policy if the newest one is served in its time.
  mutating func passOver(
    _ passed: [SlotSeries], of id: JobID, for newest: Slot, at now: Now
  ) {
    let (missed, schedule) = (jobs[id].spec.missed, jobs[id].spec.timing.schedule)
    let within = missed.within(schedule, of: newest.nominal)
    let cursor = jobs[id].cursor
    for series in passed {
      let (old, young) =
        missed.choice == .skip
        ? (series, nil)
        : cursor.split(series, olderThan: within, schedule, at: now)
      if let old { decide(id, old, .missed(clocks.missCause(of: old, jobs[id].spec)), at: now) }
      if let young { decide(id, young, .coalesced(into: newest.nominal), at: now) }
    }
  }

  /// Takes the newest slot if its window is open, or still to come.
  private mutating func serveTimely(
    _ pieces: inout [SlotSeries], of id: JobID, by schedule: Schedule, at now: Now
  ) -> Slot? {
    guard let series = pieces.last else { return nil }
    let slot = place(series.last, of: id, by: schedule, at: now)
    guard slot.latestStart >= now.monotonic else { return nil }
    pieces.removeLast()
    let cursor = jobs[id].cursor
    let instantSet = cursor.instantSet(of: series, schedule)
    pieces += [instantSet.splitNewest(1, of: series).rest].compactMap(\.self)
    return slot
  }

  /// The slot of an instant that has passed, at its due time.
  private mutating func place(
    _ nominal: WallInstant, of id: JobID, by schedule: Schedule, at now: Now
  ) -> Slot {
    let cursor = jobs[id].cursor
    var timing = jobs[id].spec.timing
    timing.schedule = schedule
    return cursor.place(
      Slot(
        nominal: nominal, causes: cursor.causes(of: nominal, schedule),
        deadline: cursor.deadline(of: nominal, schedule, at: now)), in: timing,
      for: jobs.name(of: id), at: now)
  }

  /// Keeps a slot that is behind its job for later.
  mutating func putOff(_ slot: Slot, of id: JobID, until startsAt: MonotonicInstant?) {
    let late = JobState.LateSlot(slot: slot, startsAt: startsAt)
    if let startsAt, let last = jobs[id].late.last?.startsAt, startsAt < last {
      // One that waits for long does not keep others waiting.
      let place = jobs[id].late.firstIndex { $0.startsAt.map { $0 > startsAt } ?? false }
      jobs[id].late.insert(late, at: place ?? jobs[id].late.endIndex)
    } else {
      jobs[id].late.append(late)
    }
    effects.append(.record(.pending(jobs.name(of: id), slot.nominal)))
    markDirty(id)
  }

  /// The newest slots of all series, ascending, and the other parts of the series.
  private func splitNewest(
    _ wanted: Int, of all: [SlotSeries], _ cursor: ScheduleCursor, _ schedule: Schedule
  ) -> (rest: [SlotSeries], newest: [WallInstant]) {
    var rest: [SlotSeries] = []
    var newest: [WallInstant] = []
    for series in all.sorted(by: { $0.last > $1.last }) {
      let taken = cursor.instantSet(of: series, schedule).splitNewest(
        wanted - newest.count, of: series)
      newest += taken.newest.map { WallInstant($0) }
      rest += [taken.rest].compactMap(\.self)
    }
    return (rest.sorted { $0.first < $1.first }, newest.sorted())
  }

  /// Gives those that run late their turns to start: one after the other, and the last not too late.
  mutating func giveTurns(to ids: [JobID], at now: Now) {
    var count = 0
    for id in ids { count += jobs[id].late.count { $0.startsAt == nil } }
    // When one job has been kept waiting, all others may have been.
    let pace = min(Self.catchUpPace, Self.catchUpMax / max(count, jobs.count, 1))
    var turn = max(now.monotonic, min(catchUpAt, now.monotonic + Self.catchUpMax))
    for id in ids where !jobs[id].late.isEmpty {
      for index in jobs[id].late.indices where jobs[id].late[index].startsAt == nil {
        jobs[id].late[index].startsAt = turn
        turn = turn + pace
      }
      if jobs[id].spec.timing.schedule.hasDelays {
        jobs[id].late = Deque(
          jobs[id].late.sorted {
            $0.startsAt ?? .distantFuture < $1.startsAt ?? .distantFuture
          })
      }
      arm(id, at: now)
    }
    catchUpAt = turn
    guard count > 1 else { return }
    var names: [String] = []
    var rest = 0
    for id in ids where !jobs[id].late.isEmpty {
      // Nobody reads a list of all jobs at a start with many.
      if names.count < Self.namedMax { names.append(jobs.name(of: id).text) } else { rest += 1 }
    }
    let more = rest > 0 ? " and \(rest) more" : ""
    log(
      .notice, .scheduler, at: now,
      [
        LogField(
          .message,
          .text(
            "\(count) missed slots run late, one every \(DurationText.format(pace)): "
              + names.joined(separator: ", ") + more)),
        LogField(.count, .number(Int64(count))),
      ])
  }

  /// True if a slot that passed may run now: never at the same time as another run, unless the job
  /// allows that.
  mutating func mayRunLate(_ id: JobID) -> Bool {
    if !checks.isEmpty, checks[id] != nil { return false }
    return !runs.hasActive(id) || jobs[id].spec.overlap.mayMeet
  }

  mutating func serveLate(_ id: JobID, at now: Now) {
    if jobs[id].spec.missed.times != nil, mayRunLate(id) { holdLate(of: id, at: now) }
    while let first = jobs[id].late.first, let startsAt = first.startsAt,
      startsAt <= now.monotonic, mayRunLate(id)
    {
      jobs[id].late.removeFirst()
      serve(first.slot, of: id, at: now)
    }
  }

  /// The job's next slot has come first: it covers those before it, unless all are to run.
  mutating func coalesceLate(of id: JobID, into slot: Slot, at now: Now) {
    if jobs[id].late.isEmpty || jobs[id].spec.missed.choice == .all { return }
    let late = jobs[id].late
    // A delayed slot has not had its time.
    jobs[id].late.removeAll { $0.slot.deadline <= now.monotonic }
    for item in late where item.slot.deadline <= now.monotonic {
      decide(id, SlotSeries(item.slot.nominal), .coalesced(into: slot.nominal), at: now)
    }
  }

  mutating func giveUpLate(of id: JobID, as verdict: Verdict, at now: Now) {
    if jobs[id].late.isEmpty { return }
    let late = jobs[id].late
    jobs[id].late = []
    for item in late { decide(id, SlotSeries(item.slot.nominal), verdict, at: now) }
  }
}

/// Slots that passed, of jobs whose slots start late only at some times.
extension SchedulerCore {
  /// Keeps a slot that passed until it gets its turn, or until the next time in which it may start
  /// late. One that is too old by then is missed.
  mutating func putOffLate(_ slot: Slot, of id: JobID, start: LateTimes.Start, at now: Now) {
    switch start {
    case .inTurn: putOff(slot, of: id, until: nil)
    case .at(let instant): putOff(slot, of: id, until: instant)
    case .never: decide(id, SlotSeries(slot.nominal), .missed(.lateTimes), at: now)
    }
  }

  /// The turn of slots has come in a time in which they may not start late: they continue to wait,
  /// or are missed.
  mutating func holdLate(of id: JobID, at now: Now) {
    guard let times = jobs[id].spec.missed.times?.value, times.contains(ScheduleInstant(now.wall))
    else { return }
    let held = jobs[id].late.filter { item in
      item.startsAt.map { $0 <= now.monotonic } == true && isLate(item.slot, of: id, at: now)
    }
    guard let newest = held.last?.slot.nominal else { return }
    jobs[id].late.removeAll { item in held.contains { $0.slot.nominal == item.slot.nominal } }
    let schedule = jobs[id].spec.timing.schedule
    let within = jobs[id].spec.missed.within(schedule, of: newest)
    let lateTimes = LateTimes(jobs[id].spec.missed, within: within, at: now)
    for item in held {
      let age = age(of: item.slot.nominal, id, by: schedule, at: now)
      putOffLate(item.slot, of: id, start: lateTimes.start(ofAge: age), at: now)
    }
  }

  /// The clock, or the job's rule of such times, has changed: slots that wait for them get their
  /// turns, at which they are checked again.
  mutating func retimeLate(of id: JobID, at now: Now) {
    var isChanged = false
    for index in jobs[id].late.indices {
      let item = jobs[id].late[index]
      // Others wait for their turns, which come sooner.
      guard let startsAt = item.startsAt, startsAt > now.monotonic + Self.catchUpMax,
        isLate(item.slot, of: id, at: now)
      else { continue }
      jobs[id].late[index].startsAt = nil
      isChanged = true
    }
    if isChanged { giveTurns(to: [id], at: now) }
  }

  private mutating func isLate(_ slot: Slot, of id: JobID, at now: Now) -> Bool {
    slot.latestStart + jobs[id].spec.lateTolerance < now.monotonic
  }

  mutating func age(
    of slot: WallInstant, _ id: JobID, by schedule: Schedule, at now: Now
  ) -> Duration {
    let cursor = jobs[id].cursor
    return .milliseconds(cursor.reading(by: slot, schedule, at: now) - ScheduleInstant(slot))
  }
}

extension ScheduleCursor {
  /// Divides slots that have passed into those older than `age`, and the others.
  fileprivate func split(
    _ series: SlotSeries, olderThan age: Duration, _ schedule: Schedule, at now: Now
  ) -> (old: SlotSeries?, young: SlotSeries?) {
    let bound = reading(by: series.last, schedule, at: now) - age.milliseconds
    let (old, young) = instantSet(of: series, schedule).split(series, before: bound)
    return (old, young)
  }
}

/// Runs for slots whose time is past: they change no verdict, and no slot is skipped because of one.
extension SchedulerCore {
  /// Makes a run of a job for a slot of the past, unless there is one.
  ///
  /// - Parameters:
  ///   - isForced: true if it runs at the same time as other runs of the job; otherwise it waits
  ///     until none is active, and the job's slots wait for its end.
  ///   - isAgain: true if the slot runs once more when such a run has just succeeded.
  mutating func backfill(
    _ id: JobID, slot: WallInstant, _ parameters: RunParameters, isForced: Bool, isAgain: Bool,
    at now: Now
  ) -> SchedulerReply {
    guard slot <= now.wall else { return .future }
    // Runs with other parameters are other runs.
    if parameters == RunParameters() {
      let active = runs.active(of: id).all.first {
        runs[$0].isBackfill && runs[$0].nominal == slot && !runs[$0].hasParameters
      }
      if let run = active ?? (isAgain ? nil : backfilled.run(of: id, for: slot)) {
        return .done(runs: [run])
      }
    }
    guard runs.active(of: id).count < settings.maxRunning + Self.waitingRunsPerJobMax else {
      return .tooMany
    }
    queueRun(
      .backfill(slot), of: id, jobs[id].spec,
      with: parameters == RunParameters() ? nil : parameters, isForced: isForced, at: now)
    return .done(runs: [RunID(runs.lastRun)])
  }
}
