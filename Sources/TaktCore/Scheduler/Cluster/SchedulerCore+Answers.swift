import DequeModule
import TaktTime

extension SchedulerCore {
  mutating func claimsAnswered(_ outcome: ClaimOutcome, at now: Now) {
    for effect in cluster.membership.hear(outcome, clusterStage, at: now) {
      carryOut(effect, at: now)
    }
    finishIfIdle(at: now)
  }

  private mutating func carryOut(_ effect: Membership.Effect, at now: Now) {
    switch effect {
    case .log(let notice): logCluster(notice, at: now)
    case .asked(let wishes, let member):
      for case .claim(let key) in wishes { cluster.book.noteAsked(key, as: member) }
    case .failed:
      giveWaitingClaimsTime(at: now)
      for (id, job) in cluster.jobs where job.rests { startDelayIfIdle(id, at: now) }
    case .leased(let batch, let duration): effects.append(.leased(batch: batch, for: duration))
    case .joined(let member, let former):
      if let former { adoptClaims(of: former, as: member) }
      membershipBegan(as: member)
    case .ended(let member):
      for key in cluster.book.keys(in: .queued) {
        cluster.book.noteAsked(key, as: member, isFirst: true)
      }
    case .answered(let wish, let answer): answered(wish, answer, at: now)
    case .news(let news): apply(news, at: now)
    case .isBack:
      for (id, job) in cluster.jobs where !job.unsettled.isEmpty { ask(of: id) }
    }
  }

  /// Claims that the engine does not answer: those whose jobs run anyway wait for their windows
  /// only.
  private mutating func giveWaitingClaimsTime(at now: Now) {
    for key in cluster.book.keys(in: .queued) {
      guard let claim = cluster.book[key], !claim.isWithdrawn, !claim.isOpen,
        jobs.isPresent(key.job), jobs[key.job].spec.onPartition == .run
      else { continue }
      cluster.membership.unsay { $0 == .claim(key) }
      cluster.book.putOff(key, until: max(now.monotonic, claim.slot.latestStart))
    }
  }

  private mutating func membershipBegan(as member: MemberID) {
    let ran = Set(cluster.unreported.map(\.job))
    var (first, others): ([JobID], [JobID]) = ([], [])
    for id in jobs.sorted where cluster.jobs[id] != nil {
      if ran.contains(jobs.name(of: id)) { first.append(id) } else { others.append(id) }
      // The engine's state counts, not this machine's memory.
      if jobs[id].isSuspended { cluster.suspended.insert(id) }
    }
    cluster.begin(declaring: first, then: others)
    effects.append(.record(.joined(member)))
  }

  private mutating func answered(_ wish: Membership.Wish, _ answer: ClaimAnswer, at now: Now) {
    switch (wish, answer) {
    case (.declare(let id), _): declared(id, answer, at: now)
    case (.claim(let key), _): claimAnswered(key, answer, at: now)
    case (.ask(let id, let asked, _), .known(let known, let displaced)):
      settle(asked, known: known, displaced: displaced, of: id, at: now)
    case (.lastEnd(let id), _): lastEndAnswered(answer, of: id, at: now)
    case (.end(let token, _), _): endAnswered(token, isOurs: answer == .done, at: now)
    case (.retire, _):
      // With a renewal the engine decides what it had.
      cluster.membership.renew(at: now.monotonic)
    case (.restore(let claim), .superseded): notRestored(claim, at: now)
    case (.suspend(let id), _):
      if jobs.isPresent(id), jobs[id].isSuspended { cluster.suspended.insert(id) }
    case (.decide(let id, let slot, _), .early(let wait)):
      verdictCameEarly(id, slot, wait, at: now)
    case (.decide(let id, let slot, let verdict), _):
      verdictAnswered(id, slot, verdict, isOurs: answer == .done, at: now)
    case (.ranUnclaimed(let run), _): reported(run, answer, at: now)
    case (.ask, _), (.restore, _), (.giveBack, _): break
    }
  }

  private mutating func declared(_ id: JobID, _ answer: ClaimAnswer, at now: Now) {
    guard cluster.jobs[id] != nil, jobs.isPresent(id) else { return }
    if answer == .done {
      if cluster.jobs[id]?.accept() == true {
        logCluster(.notice, "this machine's schedule is in force again", of: id, at: now)
      }
      ask(of: id)
      startDelayIfIdle(id, at: now)
    } else {
      drifted(id, at: now)
    }
  }

  mutating func drifted(_ id: JobID, at now: Now) {
    guard cluster.jobs[id]?.drift() ?? true else { return }
    logCluster(
      .warning,
      "another machine has a newer schedule of this job: the files differ, or the time zones or "
        + "their data do; make them equal and reload",
      of: id, at: now)
  }

  private mutating func apply(_ news: ClusterNews, at now: Now) {
    for notice in cluster.learn(news) { logCluster(notice, at: now) }
    guard phase == .running else { return }
    checkPlacement(at: now)
    applySuspensions(news, at: now)
    takeOpen(news.open, at: now)
    for (id, job) in cluster.jobs where job.rests { startDelayIfIdle(id, at: now) }
    reconcile(news, at: now)
    for token in news.replaced {
      for run in runs.all where runs.contains(run) && runs[run].claim?.token == token {
        // One that waits for the ledger has no verdict yet: a newer slot runs on another machine.
        if let slot = runs[run].undecidedSlot {
          decide(runs[run].job, SlotSeries(slot.nominal), .skipped(.elsewhere), at: now)
        }
        step(run, at: now) { $0.stop(.replaced, at: now.monotonic) }
      }
    }
  }

  /// Asks for slots that were another machine's.
  private mutating func takeOpen(_ slots: [ClusterNews.OpenSlot], at now: Now) {
    var open: Set<ClaimBook.Key> = []
    for slot in slots {
      guard let id = jobs.id(of: slot.job) else { continue }
      let key = ClaimBook.Key(job: id, slot: slot.slot)
      open.insert(key)
      guard cluster.jobs[id]?.standing == .inForce, !jobs[id].isHeld, cluster.book[key] == nil,
        !runs.active(of: id).all.contains(where: { runs[$0].nominal == slot.slot }),
        // It asks for those in their turn.
        !jobs[id].late.contains(where: { $0.slot.nominal == slot.slot })
      else { continue }
      let delay = cluster.delay(for: slot.job, slot.slot, jobs[id].spec.machines)
      cluster.want(
        ClaimBook.Claim(
          slot: Slot(nominal: slot.slot, causes: [], deadline: now.monotonic), isOpen: true,
          phase: isBehind(key) ? .behind : .waits(now.monotonic + delay)), key)
    }
    // Slots that are no longer open are another machine's, or decided.
    for key in cluster.book.keys(in: .behind) where !open.contains(key) { cluster.claim(key) }
  }

  private mutating func applySuspensions(_ news: ClusterNews, at now: Now) {
    let pending = Set(
      cluster.membership.wishes.compactMap { if case .suspend(let id) = $0 { id } else { nil } })
    var present: Set<JobID> = []
    for (name, suspension) in news.suspended {
      guard let id = jobs.id(of: name), isShared(id), !pending.contains(id) else { continue }
      if let until = suspension.until, until <= now.wall { continue }
      present.insert(id)
      if jobs[id].suspension.map({ $0.until != suspension.until || $0.reason != suspension.reason })
        ?? true
      {
        suspend(id, until: suspension.until, reason: suspension.reason, isNews: true, at: now)
      }
    }
    for id in cluster.suspended
    where !present.contains(id) && !pending.contains(id) && jobs.isPresent(id)
      && jobs[id].isSuspended
    {
      resume(id, isNews: true, at: now)
    }
    cluster.suspended = present
  }
}
