import TaktTime

/// Shared slots that came due while none could be claimed, and verdicts that are the engine's
/// first.
extension SchedulerCore {
  /// The engine decides that no machine runs a shared slot: only then is it this machine's verdict
  /// too. Returns true if the engine must be asked.
  mutating func asksFirst(
    _ id: JobID, _ slots: SlotSeries, _ verdict: Verdict, at now: Now
  ) -> Bool {
    guard cluster.jobs[id] != nil, isShared(id) else {
      return false
    }
    switch verdict {
    case .missed, .coalesced, .skipped(.overlap), .skipped(.queueFull): break
    case .ran, .skipped, .cancelled: return false
    }
    // Those that are asked for later are bounded; wishes are not.
    if slots.count > 1 || cluster.membership.isUp == false {
      unsettle([slots], of: id, at: now)
    } else {
      effects.append(.record(.pending(jobs.name(of: id), slots.first)))
      markDirty(id)
      cluster.membership.say(.decide(id, slots.first, verdict))
    }
    return true
  }

  mutating func verdictAnswered(
    _ id: JobID, _ slot: WallInstant, _ verdict: Verdict, isOurs: Bool, at now: Now
  ) {
    guard jobs.isPresent(id) else { return }
    decide(
      id, SlotSeries(slot), isOurs ? verdict : .skipped(.elsewhere), at: now, isAnswered: true)
    startDelayIfIdle(id, at: now)
  }

  /// By the engine's clock the slot is still ahead, so that it is not missed: it is claimed then,
  /// as any other.
  mutating func verdictCameEarly(
    _ id: JobID, _ slot: WallInstant, _ wait: Duration, at now: Now
  ) {
    let key = ClaimBook.Key(job: id, slot: slot)
    guard phase == .running, jobs.isPresent(id), cluster.jobs[id] != nil,
      cluster.book[key] == nil
    else { return }
    let due = now.monotonic + wait + .milliseconds(1)
    let slot = Slot(nominal: slot, causes: [], deadline: due)
    cluster.want(ClaimBook.Claim(slot: slot, phase: .waits(due)), key)
  }

  /// Slots that came due while none could be claimed: the engine is asked for their verdicts first.
  ///
  /// - Parameter schedule: the one that named them; nil for the job's present one.
  mutating func unsettle(
    _ passed: [SlotSeries], of id: JobID, by schedule: Schedule? = nil, at now: Now
  ) {
    guard !passed.isEmpty else { return }
    guard isHere(jobs[id].spec) else {
      let reason = reasonElsewhere(of: id, at: now)
      for series in passed { decide(id, series, .skipped(reason), at: now) }
      return
    }
    if cluster.jobs[id] == nil { declare(id, isChanged: false) }
    var slots: [WallInstant] = []
    for series in passed.sorted(by: { $0.last > $1.last }) {
      let cursor = jobs[id].cursor
      let set = cursor.instantSet(of: series, schedule ?? jobs[id].spec.timing.schedule)
      let room = max(0, SharedJob.unsettledMax - slots.count)
      let (rest, newest) = room == 0 ? (series, []) : set.splitNewest(room, of: series)
      slots += newest.map { WallInstant($0) }
      // Too many to be asked for one by one, and too old to run.
      if let rest { decide(id, rest, .missed(.down), at: now, isAnswered: true) }
    }
    for slot in slots { effects.append(.record(.pending(jobs.name(of: id), slot))) }
    var former: [WallInstant: UInt64] = [:]
    if let schedule, schedule != jobs[id].spec.timing.schedule {
      var previous = jobs[id].spec
      previous.timing.schedule = schedule
      let hash = previous.sharedHash
      for slot in slots where !isNamedNow(slot, of: id) { former[slot] = hash }
    }
    for slot in cluster.jobs[id]?.add(slots, former: former) ?? [] {
      decide(id, SlotSeries(slot), .missed(.engine), at: now, isAnswered: true)
    }
    markDirty(id)
    ask(of: id)
  }

  /// True if the job's present schedule names a slot, too: then it is not only a slot of an older
  /// one.
  mutating func isNamedNow(_ slot: WallInstant, of id: JobID) -> Bool {
    let (schedule, cursor) = (jobs[id].spec.timing.schedule, jobs[id].cursor)
    return !cursor.causes(of: slot, schedule).isEmpty
  }

  /// Asks which of a job's slots are decided, unless that must wait.
  mutating func ask(of id: JobID) {
    guard cluster.membership.isUp, phase == .running, jobs.isPresent(id),
      // A job that queues its slots may have open ones at any time.
      cluster.book.count(of: id) == 0 || jobs[id].spec.overlap.waits,
      let question = cluster.jobs[id]?.ask()
    else { return }
    cluster.membership.say(.ask(id, question.slots, schedule: question.schedule))
  }

  mutating func settle(
    _ asked: [WallInstant], known: [WallInstant], displaced: [WallInstant], of id: JobID,
    at now: Now
  ) {
    guard jobs.isPresent(id) else { return }
    cluster.jobs[id]?.endAsking()
    guard phase == .running,
      let settled = cluster.jobs[id]?.settle(asked, known: known, displaced: displaced)
    else { return }
    for (slot, isDisplaced) in settled.known {
      if isDisplaced {
        decide(id, SlotSeries(slot), .cancelled(.displaced), at: now)
      } else {
        decideElsewhere(slot, of: id, at: now)
      }
    }
    let rest = settled.open.map { SlotSeries($0) }
    if let reason = jobs[id].holdReason {
      for series in rest { decide(id, series, .skipped(reason), at: now) }
    } else if let last = rest.last?.last {
      let served = cluster.jobs[id]?.lastServed ?? last
      if jobs[id].spec.missed.choice == .last, served > last {
        for series in rest { decide(id, series, .coalesced(into: served), at: now) }
      } else {
        settle(rest, of: id, by: jobs[id].spec.timing.schedule, nil, at: now)
        giveTurns(to: [id], at: now)
      }
    }
    ask(of: id)
    startDelayIfIdle(id, at: now)
  }
}
