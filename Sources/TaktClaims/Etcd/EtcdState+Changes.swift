import TaktCore
import TaktTime

/// Batches are performed on the state that was read; the differences are written.
extension EtcdState {
  /// The operations of a transaction.
  struct Changes {
    var puts: [(key: String, value: String)] = []
    var deletions: [String] = []

    var count: Int { puts.count + deletions.count }
    var bytes: Int { puts.reduce(0) { $0 + $1.value.utf8.count } }

    fileprivate mutating func put(_ key: String, _ record: some Encodable) {
      puts.append((key, EtcdMessage.base64(of: record)))
    }
  }

  /// The process that performs a batch, and the time.
  struct Turn {
    var now: WallInstant
    var boot: Int64
    var instance: UInt64
    /// The times of its own requests for renewal, on the boot clock, by the batches' numbers.
    var renewals: [UInt64: Int64]

    /// The start of a lease. A member's own counts from before the request, so that an answer that
    /// comes late, or never, makes it no longer.
    func start(of origin: Origin) -> Int64 {
      guard origin.instance == instance else { return origin.seenAt }
      return renewals[origin.renewal] ?? origin.seenAt
    }
  }

  /// Performs a batch by the rules.
  ///
  /// Only this process's own boot clock decides about another member's lease: it is over once no
  /// renewal has been seen for as long.
  mutating func perform(_ batch: ClaimBatch, _ turn: Turn) -> ClaimReply {
    for (id, origin) in origins {
      guard let facts = engine.members[id]?.facts else { continue }
      let age = Duration.nanoseconds(turn.boot &- turn.start(of: origin))
      engine.members[id]?.leaseUntil = turn.now + (facts.lease - age)
      // By etcd's clock. If that is wrong, others may have more time than they need, or none.
      engine.members[id]?.heardAt = origin.renewedAt
      let patience = facts.lease - .nanoseconds(turn.boot &- origin.patientSince)
      engine.members[id]?.patientUntil = origin.patience.map { _ in turn.now + patience }
    }
    // Records from before a backup was restored, or all was deleted, have lower numbers. Members
    // count from 2025 on, as people read their numbers.
    engine.lastToken = max(engine.lastToken, UInt64(clamping: turn.now.milliseconds))
    engine.lastMember = max(
      engine.lastMember, UInt64(clamping: turn.now.milliseconds - 1_735_689_600_000))
    let old = engine
    var batch = batch
    if let known = batch.member, origins[known]?.instance != turn.instance {
      // Its number was given out again.
      batch.member = MemberID(.max)
    }
    if batch.member == nil {
      // It has joined, and the answer was lost.
      batch.member =
        origins.first { $1.instance == turn.instance && $1.renewal == batch.number }?.key
    }
    let reply = engine.perform(batch, at: turn.now)
    if let member = reply.member {
      if batch.facts != nil, engine.members[member] != nil {
        origins[member] = Origin(
          instance: turn.instance, renewal: batch.number, renewedAt: turn.now, seenAt: turn.boot)
      }
      note(batch, reply, of: engine.members[member] ?? old.members[member])
    }
    for id in origins.keys {
      guard let member = engine.members[id] else {
        origins[id] = nil
        continue
      }
      guard id != reply.member || batch.facts == nil,
        member.patientUntil != old.members[id]?.patientUntil
      else { continue }
      origins[id]?.patience = .random(in: 1 ... .max)
      origins[id]?.patientSince = turn.boot
    }
    for (name, job) in engine.jobs where old.jobs[name] != job {
      note(job, named: name, old.jobs[name], of: old, at: turn.now)
    }
    return reply
  }

  private mutating func note(
    _ batch: ClaimBatch, _ reply: ClaimReply, of member: MemoryEngine.Member?
  ) {
    for (request, answer) in zip(batch.requests, reply.answers) {
      guard answer == .superseded, let (job, slot) = doubledSlot(of: request) else { continue }
      let run = EtcdRecord.Doubled(
        slot: slot.nanoseconds, machine: member?.facts.machine ?? "")
      if doubled[job]?.contains(run) != true { doubled[job, default: []].append(run) }
      if doubled[job, default: []].count > Self.doubledMax { doubled[job]?.removeFirst() }
    }
  }

  /// The slot of a run that another machine's run has met.
  private func doubledSlot(of request: ClaimRequest) -> (JobName, WallInstant)? {
    switch request {
    case .ranUnclaimed(let job, let slot, _): return (job, slot)
    case .restore(let known):
      let (job, slot) = (known.claim.job, known.claim.slot)
      return engine.jobs[job]?.slots[slot]?.token == known.token ? nil : (job, slot)
    default: return nil
    }
  }

  private mutating func note(
    _ job: MemoryEngine.Job, named name: JobName, _ old: MemoryEngine.Job?,
    of oldEngine: MemoryEngine, at now: WallInstant
  ) {
    for (instant, slot) in job.slots where old?.slots[instant] != slot {
      var detail = details[name]?[instant] ?? Detail(machine: nil, at: now)
      if old?.slots[instant]?.state != slot.state { detail.at = now }
      if case .claimed(let member) = slot.state {
        detail.machine = (engine.members[member] ?? oldEngine.members[member])?.facts.machine
      }
      details[name, default: [:]][instant] = detail
    }
    shorten(job, named: name, at: now)
  }

  /// Compacts old decided slots, and forgets the oldest.
  private mutating func shorten(_ job: MemoryEngine.Job, named name: JobName, at now: WallInstant) {
    var job = job
    let old = job
    let details = details[name] ?? [:]
    var decided = job.slots.compactMap { instant, slot -> (WallInstant, Verdict.Kind)? in
      guard case .decided(let verdict, _, _) = slot.state else { return nil }
      return now - (details[instant]?.at ?? now) > Self.repeatedFor ? (instant, verdict.kind) : nil
    }
    if decided.count >= Self.decidedMax {
      decided.sort { $0.0 < $1.0 }
      for (instant, kind) in decided.dropLast(Self.decidedKept) {
        job.slots[instant] = nil
        self.details[name]?[instant] = nil
        job.past.insert(instant, kind)
      }
    }
    if let end = job.past.drop(to: Self.rangesMax) {
      job.since = max(job.since, WallInstant(milliseconds: end.milliseconds + 1))
    }
    while job.series.count > Self.seriesMax {
      let end = job.series.removeFirst().slots.last
      job.since = max(job.since, WallInstant(milliseconds: end.milliseconds + 1))
    }
    if job != old { engine.load(job, named: name) }
  }
}

// MARK: - To etcd

extension EtcdState {
  /// The writes that turn the state `old` into this one, which gets the new stamp.
  mutating func changes(since old: EtcdState, stamp: UInt64) -> Changes {
    var changes = Changes()
    let meta = EtcdRecord.Meta(
      version: EtcdRecord.version, stamp: stamp, lastMember: engine.lastMember,
      lastToken: engine.lastToken, members: engine.members.keys.map(\.number).sorted())
    changes.put(metaKey, meta)
    metaValue = changes.puts[0].value
    self.stamp = stamp
    for (id, member) in engine.members {
      let before = old.engine.members[id]
      if member.facts != before?.facts || member.lastBatch != before?.lastBatch
        || origins[id]?.renewal != old.origins[id]?.renewal
        || origins[id]?.patience != old.origins[id]?.patience
      {
        changes.put("\(prefix)member/\(id.number)", record(of: member, id))
      }
      if member.holds != before?.holds ?? [] {
        changes.put("\(prefix)holds/\(id.number)", member.holds.map(\.text).sorted())
      }
    }
    for id in old.engine.members.keys where engine.members[id] == nil {
      changes.deletions += ["\(prefix)member/\(id.number)", "\(prefix)holds/\(id.number)"]
    }
    for (name, job) in engine.jobs {
      let before = old.engine.jobs[name]
      if before != job { changes.put("\(prefix)job/\(name)", record(of: job, name)) }
      if before?.past ?? PastSlots() != job.past || before?.series ?? [] != job.series
        || doubled[name] ?? [] != old.doubled[name] ?? []
      {
        changes.put("\(prefix)past/\(name)", pastRecord(of: job, name))
      }
    }
    return changes
  }

  private func record(of member: MemoryEngine.Member, _ id: MemberID) -> EtcdRecord.Member {
    let (facts, origin) = (member.facts, origins[id])
    return EtcdRecord.Member(
      machine: facts.machine, host: facts.host, api: facts.api, takt: facts.version,
      labels: facts.labels,
      lease: facts.lease.nanosecondsSaturated, grace: facts.grace.nanosecondsSaturated,
      clockOffset: facts.clockOffset.nanosecondsSaturated, zoneData: facts.zoneData,
      lastBatch: member.lastBatch,
      instance: origin?.instance ?? 0, renewal: origin?.renewal ?? 0,
      renewedAt: origin?.renewedAt.nanoseconds ?? 0, patience: origin?.patience)
  }

  private func record(of job: MemoryEngine.Job, _ name: JobName) -> EtcdRecord.Job {
    let details = details[name] ?? [:]
    return EtcdRecord.Job(
      schedule: job.schedule, since: job.since.nanoseconds,
      changedAt: job.changedAt?.nanoseconds,
      replaced: job.replaced.isEmpty ? nil : job.replaced, zones: job.zones?.digest,
      zoneData: job.zones?.version, rest: job.rest?.nanosecondsSaturated,
      lastEnd: job.lastEnd?.nanoseconds,
      suspension: job.suspension.map { EtcdRecord.Suspended($0) }, ranCount: job.ranCount,
      slots: job.slots.sorted { $0.key < $1.key }.map { instant, slot in
        EtcdRecord.Slot(
          slot, instant, details[instant] ?? Detail(machine: nil, at: instant))
      })
  }

  private func pastRecord(of job: MemoryEngine.Job, _ name: JobName) -> EtcdRecord.Past {
    EtcdRecord.Past(
      ranges: job.past.ranges.map { range in
        EtcdRecord.Range(
          first: range.first.nanoseconds, last: range.last.nanoseconds, count: range.count,
          kind: range.kind.rawValue)
      },
      series: job.series.map { series in
        EtcdRecord.Series(
          first: series.slots.first.nanoseconds, last: series.slots.last.nanoseconds,
          count: series.slots.count, verdict: series.verdict.recordText)
      }, doubled: doubled[name] ?? [])
  }
}
