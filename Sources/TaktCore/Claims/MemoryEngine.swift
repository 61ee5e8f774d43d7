package import TaktTime

/// The engine's rules, in memory: the behavior of every driver, with which the simulation and the
/// tests compare them.
///
/// One clock counts, the engine's: it is passed in with each batch and never goes back.
package struct MemoryEngine: Sendable {
  /// A deliberate mistake, by which a test checks that mistakes are noticed.
  package enum Plant: String, CaseIterable, Sendable {
    /// Leases are not checked.
    case lease
    /// Any machine may have a slot.
    case owner
    /// A slot counts as lost as soon as the lease of its machine is over.
    case grace
    /// The slots of a lost machine are never settled.
    case forgotten
    /// An engine that was set back takes its records for complete.
    case setBack
  }

  package var plant: Plant?

  package struct SeriesVerdict: Hashable, Sendable {
    package var slots: SlotSeries
    package var verdict: Verdict

    package init(slots: SlotSeries, verdict: Verdict) {
      self.slots = slots
      self.verdict = verdict
    }
  }

  // Contents, for drivers that keep them elsewhere and have the rules here.

  package var members: [MemberID: Member] = [:]
  package var jobs: [JobName: Job] = [:]
  var slotsByToken: [ClaimToken: (job: JobName, slot: WallInstant)] = [:]
  package var lastMember: UInt64 = 0
  package var lastToken: UInt64 = 0
  /// A change means that the records may be older than the machines' own.
  package var era: UInt64 = 0
  private var knownEra: UInt64 = 0
  var setBack: SetBack?
  /// The most jobs whose slots one batch settles; the others wait for the next one.
  package var settledJobsMax = Int.max
  /// The number of runs without a claim that met a slot of another machine.
  package internal(set) var doubledCount = 0
  /// The number of slots given to a machine whose lease was over; must stay zero.
  package internal(set) var staleCount = 0
  /// True if the lease of the present batch's sender is over.
  var isStale = false

  /// The earliest slots of a job: this long before the job first appears.
  package static let reach = Duration.seconds(60)
  /// The furthest that a slot may be ahead of the engine's clock.
  package static let tolerance = Duration.milliseconds(1)

  /// The most former schedules remembered per job.
  package static let replacedMax = 16

  package init() {}

  package mutating func perform(_ batch: ClaimBatch, at now: WallInstant) -> ClaimReply {
    var reply = ClaimReply(number: batch.number, member: nil, wall: now)
    noticeSetBack(lease: batch.facts?.lease ?? .zero, at: now)
    if batch.facts != nil, !isQuiet(at: now) {
      noticeSilence(at: now)
      settleLost(at: now)
    }
    let member: MemberID
    if let known = batch.member {
      guard let found = members[known] else { return reply }
      // Until others decide for a member, it may renew its lease.
      let isOver = found.leaseUntil <= now && (batch.facts == nil || isLost(known, at: now))
      guard !isOver || plant == .lease else { return reply }
      // A batch that comes after a newer one: its sender has given it up.
      guard found.lastBatch <= batch.number else { return reply }
      members[known]?.lastBatch = batch.number
      member = known
      isStale = isOver
    } else {
      isStale = false
      guard batch.facts != nil else { return reply }
      lastMember += 1
      member = MemberID(lastMember)
    }
    if let facts = batch.facts {
      members[member] = Member(
        facts: facts, leaseUntil: now + facts.lease, lastBatch: batch.number,
        holds: members[member]?.holds ?? [])
    }
    reply.member = member
    for request in batch.requests {
      reply.answers.append(perform(request, of: member, at: now))
    }
    if batch.leaves { leave(member) }
    if batch.facts != nil { reply.news = news(for: member, at: now) }
    return reply
  }

  private mutating func noticeSetBack(lease: Duration, at now: WallInstant) {
    if knownEra != era {
      setBack = SetBack(members.values.map(\.facts), lease: lease, at: now)
    }
    knownEra = era
  }

  private mutating func perform(
    _ request: ClaimRequest, of member: MemberID, at now: WallInstant
  ) -> ClaimAnswer {
    switch request {
    case .declare(let job, let schedule, let isChanged, let isNew, let zones, let rest):
      declare(
        job, schedule, isChanged: isChanged, isNew: isNew, zones: zones, rest: rest, by: member,
        at: now)
    case .claim(let claim): self.claim(claim, by: member, at: now)
    case .ask(let job, let slots, let schedule):
      known(slots, of: job, by: schedule)
    case .decide(let job, let slots, let verdict): decide(job, slots, verdict, at: now)
    case .ranUnclaimed(let job, let slot, let earlier):
      ranUnclaimed(job, slot, by: member, earlier: earlier, at: now)
    case .end(let token, let outcome, let reason):
      end(token, outcome, reason: reason, at: now)
    case .restore(let claim): restore(claim, by: member, at: now)
    case .lastEnd(let job): lastEnd(of: job, at: now)
    case .giveBack(let token): giveBack(token)
    case .retire(let former): retire(former, by: member)
    case .suspend(let job, let suspension): suspend(job, suspension, at: now)
    }
  }

  // MARK: Schedules

  private mutating func declare(
    _ name: JobName, _ schedule: UInt64, isChanged: Bool, isNew: Bool, zones: ScheduleZones?,
    rest: Duration?,
    by member: MemberID, at now: WallInstant
  ) -> ClaimAnswer {
    guard let job = jobs[name] else {
      var job = Job(schedule: schedule, since: now - Self.reach)
      job.rest = rest
      job.zones = zones
      jobs[name] = job
      members[member]?.holds.insert(name)
      return .done
    }
    members[member]?.holds.remove(name)
    let isInForce = members.values.contains { $0.holds.contains(name) && $0.leaseUntil > now }
    if job.schedule != schedule {
      let isNews = isChanged || isNew && !job.replaced.contains(schedule)
      guard isNews || !isInForce else { return .drifted }
      jobs[name]?.replaced.removeAll { $0 == schedule }
      jobs[name]?.replaced.append(job.schedule)
      if job.replaced.count >= Self.replacedMax { jobs[name]?.replaced.removeFirst() }
      jobs[name]?.schedule = schedule
      jobs[name]?.zones = zones
      jobs[name]?.changedAt = now
      if job.rest == nil || rest == nil { jobs[name]?.lastEnd = nil }
      jobs[name]?.rest = rest
      for id in members.keys { members[id]?.holds.remove(name) }
    } else if let zones, let old = job.zones, old.digest != zones.digest {
      guard zones.version > old.version || !isInForce else { return .drifted }
      jobs[name]?.zones = zones
      for id in members.keys { members[id]?.holds.remove(name) }
    } else {
      jobs[name]?.zones = job.zones ?? zones
    }
    members[member]?.holds.insert(name)
    return .done
  }

  private mutating func suspend(
    _ name: JobName, _ suspension: Suspension?, at now: WallInstant
  ) -> ClaimAnswer {
    jobs[name]?.suspension = suspension
    guard suspension != nil, let job = jobs[name] else { return .done }
    for (instant, slot) in job.slots where slot.isWaiting {
      jobs[name]?.slots[instant]?.state = .decided(.skipped(.suspended), nil, reason: "")
      noteEnd(of: name, at: now)
    }
    return .done
  }

  // MARK: Ends

  private func lastEnd(of name: JobName, at now: WallInstant) -> ClaimAnswer {
    if isQuiet(at: now) { return .busy }
    guard let job = jobs[name] else { return .ended(nil) }
    return isBusy(job) ? .busy : .ended(job.lastEnd)
  }

  func isBusy(_ job: Job) -> Bool {
    job.slots.values.contains { slot in if case .decided = slot.state { false } else { true } }
  }

  /// A slot has been decided: the next one is counted from here.
  mutating func noteEnd(of name: JobName, at now: WallInstant) {
    guard jobs[name]?.rest != nil else { return }
    jobs[name]?.lastEnd = WallInstant(milliseconds: now.milliseconds)
  }

  private mutating func end(
    _ token: ClaimToken, _ outcome: Outcome, reason: String, at now: WallInstant
  ) -> ClaimAnswer {
    guard let place = slotsByToken[token], let slot = jobs[place.job]?.slots[place.slot] else {
      return .superseded
    }
    switch slot.state {
    case .claimed:
      jobs[place.job]?.slots[place.slot]?.state = .decided(.ran, outcome, reason: reason)
      noteEnd(of: place.job, at: now)
      return .done
    case .decided(.ran, outcome, reason): return .done
    case .decided, .open: return .superseded
    }
  }

  private mutating func giveBack(_ token: ClaimToken) -> ClaimAnswer {
    guard let place = slotsByToken[token],
      let slot = jobs[place.job]?.slots[place.slot]
    else { return .superseded }
    switch slot.state {
    case .claimed: jobs[place.job]?.slots[place.slot]?.state = .open
    case .open: break
    case .decided: return .superseded
    }
    return .done
  }

  /// Its claims are settled with the next renewal of any member.
  private mutating func retire(_ former: MemberID, by member: MemberID) -> ClaimAnswer {
    guard former != member, let facts = members[former]?.facts, let own = members[member]?.facts,
      facts.machine == own.machine, facts.host == own.host
    else { return .superseded }
    members[former] = nil
    return .done
  }

  private mutating func leave(_ member: MemberID) {
    members[member] = nil
  }
}

// MARK: - What is kept elsewhere

extension MemoryEngine {
  package mutating func load(_ job: Job, named name: JobName) {
    for slot in (jobs[name]?.slots ?? [:]).values {
      if let token = slot.token { slotsByToken[token] = nil }
    }
    for (instant, slot) in job.slots {
      if let token = slot.token { slotsByToken[token] = (name, instant) }
    }
    jobs[name] = job
  }

  package func job(of token: ClaimToken) -> JobName? { slotsByToken[token]?.job }
}
