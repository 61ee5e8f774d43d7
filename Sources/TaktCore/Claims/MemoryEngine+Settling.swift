import TaktTime

/// Slots of lost machines, and the news for the others.
extension MemoryEngine {
  /// No renewal came for two thirds of a lease, in which each member renews its own twice: the
  /// engine was away from all of them, and not they from it. Those that had a lease then get time
  /// for one more before others decide for them.
  mutating func noticeSilence(at now: WallInstant) {
    let heard = members.values.map(\.heardAt).max() ?? now
    let alive = members.filter { $0.value.heardAt + $0.value.facts.lease > heard }
    let longest = alive.values.map(\.facts.lease).max() ?? .zero
    guard (now - heard) * 3 > longest * 2 else { return }
    for (id, member) in alive {
      let until = now + member.facts.lease
      members[id]?.patientUntil = max(member.patientUntil ?? until, until)
    }
  }

  /// Decides for machines that are lost, and for slots that no machine takes.
  mutating func settleLost(at now: WallInstant) {
    if plant == .forgotten { return }
    var rest = settledJobsMax
    for (name, job) in jobs {
      var isSettled = false
      for (instant, slot) in job.slots {
        guard let state = settled(slot, at: now) else { continue }
        jobs[name]?.slots[instant]?.state = state
        if let owner = slot.owner, state != .open {
          jobs[name]?.slots[instant]?.decidedFor = owner
        }
        noteEnd(of: name, at: now)
        isSettled = true
      }
      guard isSettled else { continue }
      rest -= 1
      if rest == 0 { return }
    }
    // Nothing is theirs any more.
    guard plant == nil else { return }
    for id in members.keys where isLost(id, at: now) { members[id] = nil }
  }

  /// The new state of a slot without an active machine; nil if it stays as it is.
  private func settled(_ slot: Slot, at now: WallInstant) -> State? {
    switch slot.state {
    case .claimed(let owner) where isLost(owner, at: now):
      slot.isAtLeastOnce && now <= slot.validUntil
        ? .open : .decided(.ran, .interrupted, reason: "lost")
    case .open where now > slot.validUntil:
      slot.isAtLeastOnce
        ? .decided(.ran, .interrupted, reason: "lost")
        : .decided(.missed(.stalled), nil, reason: "lost")
    case .claimed, .open, .decided: nil
    }
  }

  /// True if machines may still have claims that the engine has lost.
  func isQuiet(at now: WallInstant) -> Bool {
    guard let setBack, plant != .setBack, now < setBack.atMost else { return false }
    return now < setBack.until || members.values.contains { $0.heardAt < setBack.since }
  }

  func isLost(_ id: MemberID, at now: WallInstant) -> Bool {
    guard let member = members[id] else { return true }
    return !isQuiet(at: now) && (plant == .grace ? member.leaseUntil : member.lostAfter) < now
  }

  private func isAlive(_ id: MemberID, at now: WallInstant) -> Bool {
    members[id].map { $0.leaseUntil > now } ?? false
  }

  func news(for member: MemberID, at now: WallInstant) -> ClusterNews {
    var news = ClusterNews()
    news.era = era
    for (id, member) in members where !isLost(id, at: now) {
      news.members.append(
        ClusterNews.Member(id: id, facts: member.facts, isAlive: isAlive(id, at: now)))
    }
    news.members.sort { $0.id < $1.id }
    for (name, job) in jobs {
      if let suspension = job.suspension { news.suspended[name] = suspension }
      for (instant, slot) in job.slots {
        switch slot.state {
        case .open: news.open.append(ClusterNews.OpenSlot(job: name, slot: instant))
        case .claimed(member):
          guard let token = slot.token else { break }
          if slot.isReplaced { news.replaced.append(token) }
          news.held.append(ClusterNews.HeldClaim(token: token, job: name, slot: instant))
        case .claimed, .decided: break
        }
      }
    }
    news.open.sort { ($0.slot, $0.job) < ($1.slot, $1.job) }
    news.replaced.sort()
    news.held.sort { $0.token < $1.token }
    return news
  }
}
