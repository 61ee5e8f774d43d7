import TaktTime
import DequeModule

/// Slots whose time went by while nothing could serve them: which run late, and when.
extension SchedulerCore {
  /// How long it takes at most until all that run late have had their turn to start.
  package static let catchUpMax = Duration.seconds(60)
  /// How far those that run late are apart, where there are few.
  package static let catchUpPace = Duration.milliseconds(50)

  /// Decides slots that have passed by the job's policy, and keeps those that are to run late until
  /// they get their turns.
  ///
  /// - Parameters:
  ///   - passed: pieces of an even grid, or single slots; all before now.
  ///   - cause: why nothing served them; nil to find out for each.
  mutating func settle(
    _ passed: [SlotSeries], of spec: JobSpec, by schedule: Schedule, _ cause: MissCause?,
    at now: Now
  ) {
    let choice = spec.timing.isEnabled ? spec.missed.choice : .skip
    guard let cursor = jobs[spec.name]?.cursor else { return }
    func miss(_ series: SlotSeries, _ core: inout SchedulerCore) {
      let cause = cause ?? core.missCause(of: series, spec, at: now)
      core.decide(spec.name, series, .missed(cause), at: now)
    }
    let others = skipExcluded(passed, of: spec.name, schedule, at: now)
    guard !others.isEmpty else { return }
    var pieces = SlotSeries.disjoint(others) { cursor.track(of: $0, schedule) }
    pieces.sort { $0.last < $1.last }
    // What may start still is not missed, whatever the policy.
    let timely = spec.timing.isEnabled ? takeTimely(&pieces, of: spec, by: schedule, at: now) : nil
    let within = spec.missed.within(schedule, of: timely?.nominal ?? pieces.last?.last)
    var young: [SlotSeries] = []
    for series in pieces {
      if choice == .skip {
        miss(series, &self)
        continue
      }
      let bound = cursor.reading(by: series.last, schedule, at: now) - within.milliseconds
      let (before, after) = cursor.track(of: series, schedule).split(series, before: bound)
      if let before { miss(before, &self) }
      young += [after].compactMap(\.self)
    }
    let room = choice == .all ? spec.missed.countMax : timely == nil ? 1 : 0
    let (rest, chosen) = takeNewest(room, of: young, cursor, schedule)
    for series in rest {
      if choice == .last, let into = timely?.nominal ?? chosen.first {
        decide(spec.name, series, .coalesced(into: into), at: now)
      } else {
        miss(series, &self)
      }
    }
    for nominal in chosen {
      putOff(place(nominal, of: spec, by: schedule, at: now), of: spec.name, until: nil)
    }
    if let timely { putOff(timely, of: spec.name, until: max(now.monotonic, timely.deadline)) }
  }

  /// Takes the newest slot if its window is open, or still to come.
  private func takeTimely(
    _ pieces: inout [SlotSeries], of spec: JobSpec, by schedule: Schedule, at now: Now
  ) -> Slot? {
    guard let cursor = jobs[spec.name]?.cursor, let series = pieces.last else { return nil }
    let slot = place(series.last, of: spec, by: schedule, at: now)
    guard slot.latestStart >= now.monotonic else { return nil }
    pieces.removeLast()
    pieces += [cursor.track(of: series, schedule).takeNewest(1, of: series).rest].compactMap(\.self)
    return slot
  }

  /// The slot of an instant that has passed, where it was due.
  private func place(
    _ nominal: WallInstant, of spec: JobSpec, by schedule: Schedule, at now: Now
  ) -> Slot {
    guard let cursor = jobs[spec.name]?.cursor else {
      return Slot(nominal: nominal, causes: [], deadline: now.monotonic)
    }
    var timing = spec.timing
    timing.schedule = schedule
    return cursor.place(
      Slot(
        nominal: nominal, causes: cursor.causes(of: nominal, schedule),
        deadline: cursor.deadline(of: nominal, schedule, at: now)), in: timing, for: spec.name,
      at: now)
  }

  /// Keeps a slot that is behind its job for later.
  mutating func putOff(_ slot: Slot, of name: JobName, until startsAt: MonotonicInstant?) {
    jobs[name]?.late.append(JobState.LateSlot(slot: slot, startsAt: startsAt))
    effects.append(.record(.pending(name, slot.nominal)))
    remark(name)
  }

  /// The newest slots of all series, ascending, and what is left of the series without them.
  private func takeNewest(
    _ wanted: Int, of all: [SlotSeries], _ cursor: ScheduleCursor, _ schedule: Schedule
  ) -> (rest: [SlotSeries], newest: [WallInstant]) {
    var rest: [SlotSeries] = []
    var newest: [WallInstant] = []
    for series in all.sorted(by: { $0.last > $1.last }) {
      let taken = cursor.track(of: series, schedule).takeNewest(wanted - newest.count, of: series)
      newest += taken.newest.map { WallInstant(milliseconds: $0) }
      rest += [taken.rest].compactMap(\.self)
    }
    return (rest.sorted { $0.first < $1.first }, newest.sorted())
  }

  /// Gives those that run late their turns to start: one after the other, and the last not too late.
  mutating func giveTurns(to names: [JobName], at now: Now) {
    let count = names.reduce(0) { $0 + (jobs[$1]?.late.count { $0.startsAt == nil } ?? 0) }
    // When one job has been kept waiting, all others may have been.
    let pace = min(Self.catchUpPace, Self.catchUpMax / max(count, jobs.count, 1))
    var turn = max(now.monotonic, min(catchUpAt, now.monotonic + Self.catchUpMax))
    for name in names where jobs[name]?.late.isEmpty == false {
      for index in 0..<(jobs[name]?.late.count ?? 0) where jobs[name]?.late[index].startsAt == nil {
        jobs[name]?.late[index].startsAt = turn
        turn = turn + pace
      }
      arm(name, at: now)
    }
    catchUpAt = turn
    guard count > 1 else { return }
    log(
      .notice, .scheduler, at: now,
      [
        LogField(
          .message,
          .text(
            "\(count) slots that passed unserved run late, one each "
              + DurationText.format(pace))),
        LogField(.count, .number(Int64(count))),
      ])
  }

  /// Whether a slot that passed may run now: never beside another run, unless the job allows that.
  func mayRunLate(_ spec: JobSpec) -> Bool {
    spec.overlap == .allow || activeRuns[spec.name] == nil
  }

  mutating func serveLate(_ name: JobName, at now: Now) {
    while let job = jobs[name], let first = job.late.first, let startsAt = first.startsAt,
      startsAt <= now.monotonic, mayRunLate(job.spec)
    {
      jobs[name]?.late.removeFirst()
      serve(first.slot, of: job.spec, at: now)
    }
  }

  /// The job's next slot has come first: it stands for those before it, unless all are to run.
  mutating func coalesceLate(of name: JobName, into slot: Slot, at now: Now) {
    guard jobs[name]?.late.isEmpty == false, let job = jobs[name],
      job.spec.missed.choice != .all
    else { return }
    // One that is put off has not had its time.
    jobs[name]?.late.removeAll { $0.slot.deadline <= now.monotonic }
    for item in job.late where item.slot.deadline <= now.monotonic {
      decide(name, SlotSeries(item.slot.nominal), .coalesced(into: slot.nominal), at: now)
    }
  }

  mutating func giveUpLate(of name: JobName, as verdict: Verdict, at now: Now) {
    guard let late = jobs[name]?.late, !late.isEmpty else { return }
    jobs[name]?.late = []
    for item in late { decide(name, SlotSeries(item.slot.nominal), verdict, at: now) }
  }
}

// MARK: - Causes

extension SchedulerCore {
  /// Wall time that nobody has lived through.
  struct ClockJump: Sendable {
    var from: WallInstant
    var to: WallInstant
    var cause: MissCause
  }

  /// Looks at how far the wall clock has gone beside the other since a step was last told of, and
  /// remembers over what it has jumped.
  mutating func noticeJump(_ cause: MissCause, at now: Now) {
    let offset = now.wall.nanoseconds - now.monotonic.nanoseconds
    let step = Duration.nanoseconds(offset - wallOffset)
    guard step >= Self.jumpMin else { return }
    jump = ClockJump(from: now.wall - step, to: now.wall, cause: cause)
  }

  /// What is less is not told from a clock that is being put right bit by bit.
  private static let jumpMin = Duration.milliseconds(500)

  /// Why nothing has served slots of a takt that ran.
  func missCause(of series: SlotSeries, _ spec: JobSpec, at now: Now) -> MissCause {
    guard let jump, jump.from < series.last + spec.timing.reach, series.last <= jump.to,
      spec.timing.schedule.wallTrack.has(series.last.milliseconds)
    else { return .stalled }
    return jump.cause
  }
}
