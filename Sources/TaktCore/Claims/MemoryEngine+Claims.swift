import TaktTime

// MARK: - Claims of slots

extension MemoryEngine {
  mutating func claim(
    _ claim: SlotClaim, by member: MemberID, at now: WallInstant
  ) -> ClaimAnswer {
    guard var job = jobs[claim.job] else { return .drifted }
    let slot = job.slots[claim.slot]
    // A grant whose answer was lost, even if the schedule has changed since: without it nothing
    // would end the claim of a machine that is alive.
    if plant != .owner, let slot, slot.state == .claimed(member), let token = slot.token {
      // A grant from before a failover may have gone to another machine since.
      return isQuiet(at: now) ? .busy : .granted(token, attempt: slot.attempt)
    }
    guard job.schedule == claim.schedule else { return .drifted }
    if members[member]?.holds.contains(claim.job) != true {
      return isQuiet(at: now) ? .busy : .drifted
    }
    if let slot {
      switch slot.state {
      case .claimed(let owner):
        guard owner == claim.earlier || plant == .owner else { return .taken }
      case .decided(.skipped(let reason), _, _):
        guard let refused = slot.decidedFor, refused == member || refused == claim.earlier else {
          return .taken
        }
        return .skipped(reason)
      case .decided: return .taken
      case .open:
        if now > slot.validUntil { return .taken }
      }
    } else if isKnown(claim.slot, of: claim.job) {
      return .taken
    } else if let rest = job.rest,
      isBusy(job) || job.lastEnd.map({ claim.slot < $0 + rest }) ?? false
    {
      return .ended(job.lastEnd)
    }
    let ahead = claim.slot - now
    if ahead > Self.tolerance { return .early(ahead) }
    if slot?.isClaimed != true, mayBeForgotten(claim, at: now) { return .busy }
    let fate = fate(of: claim, job)
    if let slot, slot.isAtLeastOnce, fate == .passed {
      // It may have run on the machine that was lost; a newer one has taken its place.
      jobs[claim.job]?.slots[claim.slot]?.state = .decided(.ran, .interrupted, reason: "lost")
      noteEnd(of: claim.job, at: now)
      return .taken
    }
    if let reason = refusal(of: claim, job, fate, at: now) {
      job.slots[claim.slot] = Slot(
        state: .decided(.skipped(reason), nil, reason: ""), decidedFor: member,
        validUntil: claim.validUntil)
      jobs[claim.job] = job
      noteEnd(of: claim.job, at: now)
      return .skipped(reason)
    }
    if mustWait(claim, &job, fate) {
      if claim.overlap.keepsWaiting { keepWaiting(claim, &job, of: member, at: now) }
      jobs[claim.job] = job
      return .busy
    }
    return grant(claim, &job, to: member)
  }

  private mutating func grant(
    _ claim: SlotClaim, _ job: inout Job, to member: MemberID
  ) -> ClaimAnswer {
    let slot = job.slots[claim.slot]
    let attempt = (slot?.attempt ?? 0) + 1
    lastToken += 1
    if isStale { staleCount += 1 }
    let token = ClaimToken(lastToken)
    if let old = slot?.token { slotsByToken[old] = nil }
    job.slots[claim.slot] = Slot(
      state: .claimed(member), attempt: attempt, token: token,
      isAtLeastOnce: claim.isAtLeastOnce, group: claim.group, validUntil: claim.validUntil)
    if slot?.isWaiting ?? true { job.ranCount += 1 }
    slotsByToken[token] = (claim.job, claim.slot)
    jobs[claim.job] = job
    return .granted(token, attempt: attempt)
  }

  /// True if an engine that was set back may have given the slot to another machine, or one that
  /// must not run at the same time.
  private func mayBeForgotten(_ claim: SlotClaim, at now: WallInstant) -> Bool {
    guard let setBack, isQuiet(at: now) else { return false }
    return claim.slot <= setBack.since || !claim.overlap.mayMeet || claim.group != nil
  }

  mutating func restore(
    _ known: RememberedClaim, by member: MemberID, at now: WallInstant
  ) -> ClaimAnswer {
    let (claim, name, instant) = (known.claim, known.claim.job, known.claim.slot)
    guard let job = jobs[name] else { return .done }
    let slot = job.slots[instant]
    switch slot?.state {
    case .decided(.ran, known.ending?.outcome, known.ending?.reason ?? "")?
    where slot?.token == known.token && known.ending != nil:
      return .done
    case .claimed? where slot?.token.map { $0 <= known.token } ?? true, .open?: break
    case nil where !isKnown(instant, of: name): break
    case .decided?, .claimed?, nil:
      if slot?.token != known.token { doubledCount += 1 }
      return .superseded
    }
    if slot?.isWaiting ?? true { jobs[name]?.ranCount += 1 }
    if let old = slot?.token { slotsByToken[old] = nil }
    slotsByToken[known.token] = (name, instant)
    lastToken = max(lastToken, known.token.number)
    jobs[name]?.slots[instant] = Slot(
      state: known.ending.map { .decided(.ran, $0.outcome, reason: $0.reason) }
        ?? .claimed(member),
      attempt: max(known.attempt, slot?.attempt ?? 0), token: known.token,
      isAtLeastOnce: claim.isAtLeastOnce, group: claim.group, validUntil: claim.validUntil)
    if known.ending != nil { noteEnd(of: name, at: now) }
    return .done
  }

  private func refusal(
    of claim: SlotClaim, _ job: Job, _ fate: Overlap.Fate, at now: WallInstant
  ) -> SkipReason? {
    if let suspension = job.suspension, suspension.until.map({ $0 > now }) ?? true {
      return .suspended
    }
    if fate == .passed { return .overlap }
    guard job.slots[claim.slot]?.isWaiting ?? true else { return nil }
    if let limit = claim.limit, job.ranCount >= limit { return .limit }
    return fate == .refused ? .overlap : nil
  }

  private func fate(of claim: SlotClaim, _ job: Job) -> Overlap.Fate {
    var fate = Overlap.Fate.starts
    for (instant, slot) in job.slots {
      guard let other = other(instant, slot, than: claim) else { continue }
      fate = max(fate, claim.overlap.fate(meeting: other))
    }
    return fate
  }

  /// Nil for the claim's own slot, and for one that is decided.
  private func other(
    _ instant: WallInstant, _ slot: Slot, than claim: SlotClaim
  ) -> Overlap.Other? {
    guard instant != claim.slot, slot.isClaimed || slot.state == .open else { return nil }
    return Overlap.Other(slot.isClaimed ? .active : .waiting, isNewer: instant > claim.slot)
  }

  /// True if the claim must wait for other runs. Those that it replaces are asked to stop.
  private mutating func mustWait(
    _ claim: SlotClaim, _ job: inout Job, _ fate: Overlap.Fate
  ) -> Bool {
    if let group = claim.group, let max = claim.groupMax {
      var count = 0
      for (name, job) in jobs {
        // An earlier membership's claim of this slot is replaced by the new one.
        for (instant, slot) in job.slots where slot.group == group && slot.isClaimed {
          if name != claim.job || instant != claim.slot { count += 1 }
        }
      }
      if count >= max { return true }
    }
    guard fate >= .waits else { return false }
    for (instant, slot) in job.slots where slot.isClaimed {
      guard let other = other(instant, slot, than: claim), claim.overlap.replaces(other) else {
        continue
      }
      job.slots[instant]?.isReplaced = true
    }
    return true
  }

  /// The slot waits in turn: while a machine asks for it, and hears that others run, it is not
  /// missed, nor are those of its job behind it. Then it is open for any machine for as long as
  /// `missed` allows.
  private func keepWaiting(
    _ claim: SlotClaim, _ job: inout Job, of member: MemberID, at now: WallInstant
  ) {
    if job.slots[claim.slot] == nil {
      job.slots[claim.slot] = Slot(
        state: .open, attempt: 0, group: claim.group, validUntil: claim.validUntil)
    }
    let lease = members[member]?.facts.lease ?? .zero
    let patience = max(claim.validUntil - claim.slot, lease * 2)
    for (instant, slot) in job.slots
    where slot.state == .open && slot.validUntil >= now && (slot.validUntil - now) * 2 < patience {
      job.slots[instant]?.validUntil = now + patience
    }
  }

  func isKnown(_ instant: WallInstant, of name: JobName) -> Bool {
    guard let job = jobs[name] else { return false }
    return job.slots[instant] != nil || instant < job.since || isInSeries(instant, job)
      || job.past.contains(instant)
  }

  func known(_ slots: [WallInstant], of name: JobName, by schedule: UInt64) -> ClaimAnswer {
    let displaced = slots.filter {
      !isKnown($0, of: name) && isOfPrevious($0, of: name, by: schedule)
    }
    return .known(
      slots.filter { isKnown($0, of: name) || displaced.contains($0) }, displaced: displaced)
  }

  private func isOfPrevious(
    _ instant: WallInstant, of name: JobName, by schedule: UInt64
  ) -> Bool {
    guard let job = jobs[name], job.schedule != schedule else { return false }
    return job.changedAt.map { instant > $0 } ?? false
  }

  private func isInSeries(_ instant: WallInstant, _ job: Job) -> Bool {
    job.series.contains { $0.slots.first <= instant && instant <= $0.slots.last }
  }

  mutating func decide(
    _ name: JobName, _ slots: SlotSeries, _ verdict: Verdict, at now: WallInstant
  ) -> ClaimAnswer {
    guard let job = jobs[name] else { return .done }
    if slots.count > 1 {
      let series = SeriesVerdict(slots: slots, verdict: verdict)
      if !job.series.contains(series) { jobs[name]?.series.append(series) }
      return .done
    }
    if isKnown(slots.first, of: name) {
      return job.slots[slots.first]?.state == .decided(verdict, nil, reason: "") ? .done : .taken
    }
    // A machine with a fast clock takes it for missed.
    let ahead = slots.first - now
    if ahead > Self.tolerance { return .early(ahead) }
    if let setBack, slots.first <= setBack.since, isQuiet(at: now) {
      return .early(max(setBack.until - now, Self.tolerance))
    }
    jobs[name]?.slots[slots.first] = Slot(
      state: .decided(verdict, nil, reason: ""), validUntil: slots.first)
    noteEnd(of: name, at: now)
    return .done
  }

  mutating func ranUnclaimed(
    _ name: JobName, _ slot: WallInstant, by member: MemberID, earlier: MemberID?,
    at now: WallInstant
  ) -> ClaimAnswer {
    guard let job = jobs[name] else { return .done }
    func isOwn(_ other: MemberID?) -> Bool { other != nil && (other == member || other == earlier) }
    if let known = job.slots[slot], isOwn(known.decidedFor),
      known.state == .decided(.ran, nil, reason: "unclaimed")
    {
      return .done
    }
    if let known = job.slots[slot],
      isOwn(known.owner) || known.isWaiting
        || isOwn(known.decidedFor) && known.state == .decided(.ran, .interrupted, reason: "lost")
    {
      // It was given the slot, and the answer was lost, so that others may have taken the machine
      // for lost; or the slot was not given to any machine yet.
      jobs[name]?.slots[slot]?.state = .decided(.ran, nil, reason: "unclaimed")
      jobs[name]?.slots[slot]?.decidedFor = member
      noteEnd(of: name, at: now)
      return .done
    }
    if isKnown(slot, of: name) {
      doubledCount += 1
      return .superseded
    }
    jobs[name]?.slots[slot] = Slot(
      state: .decided(.ran, nil, reason: "unclaimed"), decidedFor: member, validUntil: slot)
    noteEnd(of: name, at: now)
    return .done
  }
}
