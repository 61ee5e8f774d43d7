/// Slots whose time went by while nothing could serve them: which run late, and when.
extension SchedulerCore {
  /// How long it takes at most until all that run late have had their turn to start.
  public static let catchUpMax = Duration.seconds(60)
  /// How far those that run late are apart, where there are few.
  public static let catchUpPace = Duration.milliseconds(50)

  /// Decides slots that have passed by the job's policy, and keeps those that are to run late.
  ///
  /// - Parameter passed: pieces of an even grid, or single slots; all before now.
  mutating func settle(
    _ passed: [SlotSeries], of spec: JobSpec, by schedule: Schedule, _ cause: MissCause,
    at now: Now
  ) {
    let choice = spec.timing.isEnabled ? spec.missed.choice : .skip
    guard choice != .skip, let cursor = jobs[spec.name]?.cursor else {
      for series in passed { decide(spec.name, series, .missed(cause), at: now) }
      return
    }
    let pieces = SlotSeries.disjoint(passed) { cursor.track(of: $0, schedule) }
    let within = spec.missed.within(schedule, of: pieces.last?.last)
    var young: [SlotSeries] = []
    for series in pieces {
      let bound = cursor.reading(by: series.last, schedule, at: now) - within.milliseconds
      let (before, after) = cursor.track(of: series, schedule).split(series, before: bound)
      if let before { decide(spec.name, before, .missed(cause), at: now) }
      young += [after].compactMap(\.self)
    }
    let (rest, chosen) = takeNewest(
      choice == .all ? spec.missed.countMax : 1, of: young, cursor, schedule)
    for series in rest {
      decide(
        spec.name, series,
        choice == .last ? .coalesced(into: chosen[0]) : .missed(cause), at: now)
    }
    for nominal in chosen {
      let slot = Slot(
        nominal: nominal, causes: cursor.causes(of: nominal, schedule),
        deadline: cursor.deadline(of: nominal, schedule, at: now),
        window: .zero)
      jobs[spec.name]?.late.append(JobState.LateSlot(slot: slot, startsAt: now.monotonic))
      effects.append(.record(.pending(spec.name, nominal)))
    }
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

  /// Gives those that run late their times to start: one after the other, and the last not too late.
  mutating func spreadLate(of names: [JobName], at now: Now) {
    let count = names.reduce(0) { $0 + (jobs[$1]?.late.count ?? 0) }
    guard count > 0 else { return }
    let pace = min(Self.catchUpPace, Self.catchUpMax / count)
    var startsAt = now.monotonic
    for name in names where jobs[name]?.late.isEmpty == false {
      for index in 0..<(jobs[name]?.late.count ?? 0) {
        jobs[name]?.late[index].startsAt = startsAt
        startsAt = startsAt + pace
      }
      arm(name, at: now)
    }
    log(
      .notice, .scheduler, at: now,
      [
        LogField(
          .message,
          .text(
            "\(count) slots that passed unserved run late, one each \(pace.milliseconds) ms")),
        LogField(.count, .number(Int64(count))),
      ])
  }

  /// Whether a slot that passed may run now: never beside another run, unless the job allows that.
  func mayRunLate(_ spec: JobSpec) -> Bool {
    spec.overlap == .allow || activeRuns[spec.name] == nil
  }

  /// Serves those whose time to start has come.
  mutating func serveLate(_ name: JobName, at now: Now) {
    while let job = jobs[name], let first = job.late.first, first.startsAt <= now.monotonic,
      mayRunLate(job.spec)
    {
      jobs[name]?.late.removeFirst()
      serve(first.slot, of: job.spec, at: now)
    }
  }

  /// The job's next slot has come first: it stands for those before it, unless all are to run.
  mutating func coalesceLate(of name: JobName, into slot: Slot, at now: Now) {
    guard let job = jobs[name], !job.late.isEmpty, job.spec.missed.choice != .all else { return }
    giveUpLate(of: name, as: .coalesced(into: slot.nominal), at: now)
  }

  mutating func giveUpLate(of name: JobName, as verdict: Verdict, at now: Now) {
    guard let late = jobs[name]?.late, !late.isEmpty else { return }
    jobs[name]?.late = []
    for item in late { decide(name, SlotSeries(item.slot.nominal), verdict, at: now) }
  }
}
