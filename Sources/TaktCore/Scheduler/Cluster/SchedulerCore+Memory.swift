import DequeModule
import TaktTime

/// Differences between this machine's and the engine's records of its claims: an answer was lost,
/// or the engine was set back.
extension SchedulerCore {
  func remembered(_ run: ActiveRun, _ grant: ClaimGrant, _ end: RunEnd?) -> RememberedClaim {
    RememberedClaim(
      token: grant.token, attempt: grant.attempt,
      claim: slotClaim(of: run.spec, run.nominal, cluster.jobs[run.job]?.schedule ?? 0),
      ending: end.map { ClaimEnding($0.outcome, reason: $0.reason.description) })
  }

  /// Runs that were claimed by a membership that the engine has forgotten are the present one's.
  mutating func adoptClaims(of former: MemberID, as member: MemberID) {
    for id in runs.all where runs.contains(id) && runs[id].claim?.member == former {
      runs[id].claim?.member = member
    }
  }

  /// Compares the engine's records of this machine's claims with this machine's own. Those that the
  /// engine has lost are reported again, so that no other machine runs their slots; those that no
  /// run has are ended, which no other machine would do.
  mutating func reconcile(_ news: ClusterNews, at now: Now) {
    if cluster.isSetBack(by: news.era) {
      cluster.reportAgain(jobs.sorted)
      logCluster(
        .warning,
        "the engine has failed over to another server, which may lack its newest claims; this "
          + "machine tells it of those that it has had", at: now)
    }
    let held = Set(news.held)
    var known = cluster.membership.reported
    for id in runs.all where runs.contains(id) {
      guard let claim = runs[id].claim else { continue }
      known.insert(claim.token)
      let (job, slot) = (runs[id].job, runs[id].nominal)
      guard claim.member == cluster.membership.id, !claim.isForgotten,
        !held.contains(.init(token: claim.token, job: jobs.name(of: job), slot: slot))
      else { continue }
      let wish = Membership.Wish.restore(remembered(runs[id], claim, nil))
      guard !cluster.membership.wishes.contains(wish) else { continue }
      cluster.membership.say(wish)
      logCluster(
        .warning,
        "the engine has lost the claim of a run, which this machine reports again; the run goes on",
        of: job, slot: slot, at: now)
    }
    for claim in news.held where !known.contains(claim.token) {
      let key = jobs.id(of: claim.job).map { ClaimBook.Key(job: $0, slot: claim.slot) }
      if key.flatMap({ cluster.book[$0] }) == nil { cluster.endAgain(claim.token) }
    }
  }

  /// The slot of a claim that the engine had lost is another's by now, or was decided.
  mutating func notRestored(_ claim: RememberedClaim, at now: Now) {
    let (name, slot) = (claim.claim.job, claim.claim.slot)
    if claim.ending != nil {
      return logCluster(
        .warning, "ran twice: the engine had lost its end, and another machine had the slot too",
        of: jobs.id(of: name), slot: slot, at: now)
    }
    for id in runs.all where runs.contains(id) && runs[id].claim?.token == claim.token {
      runs[id].claim?.isForgotten = true
      let stops = runs[id].spec.onLeaseLost == .stop
      logCluster(
        .warning,
        "the engine had lost the claim of a run, and its slot was given to another machine; "
          + (stops ? "the run is stopped" : "the run goes on"), of: runs[id].job, slot: slot,
        at: now)
      if stops { step(id, at: now) { $0.stop(.leaseLost, at: now.monotonic) } }
    }
  }

  /// The engine repeats a grant whose end it has forgotten: the end is reported, or the claim given
  /// back, again. Returns false for any other grant.
  mutating func hasEnded(
    _ claim: ClaimBook.Claim, _ key: ClaimBook.Key, _ token: ClaimToken, at now: Now
  ) -> Bool {
    guard let ended = cluster.ends[token] else { return false }
    cluster.endAgain(token)
    if ended.ending == nil, !claim.isWithdrawn, jobs.isPresent(key.job) {
      cluster.want(claim, key)
      cluster.book.putOff(key, until: now.monotonic + ClusterState.busyPace)
    }
    return true
  }
}

/// Runs of shared slots without a claim, for jobs with `on_partition: run`. Each is reported to the
/// engine, even if the daemon is killed first: until the engine has answered, the ledger has the
/// run.
extension SchedulerCore {
  /// The engine cannot be reached, and the job runs anyway.
  mutating func runUnclaimed(_ key: ClaimBook.Key, at now: Now) {
    guard let claim = cluster.book.remove(key) else { return }
    cluster.membership.unsay { $0 == .claim(key) }
    cluster.jobs[key.job]?.lastServed = key.slot
    let run = UnclaimedRun(
      jobs.name(of: key.job), key.slot,
      askedAs: claim.askedAs ?? cluster.membership.id ?? cluster.membership.earlier)
    effects.append(.record(.ranUnclaimed(run)))
    cluster.membership.say(.ranUnclaimed(run))
    logCluster(
      .warning, "runs without a claim: the engine cannot be reached", of: key.job,
      slot: key.slot, at: now)
    start(claim.slot, of: key.job, nil, isOpen: false, at: now)
    askForNext(of: key.job, at: now)
  }

  /// Runs that previous daemons did not report, or reported without an answer. A slot that is still
  /// pending has not run: its run was waiting when the daemon ended.
  mutating func takeUpUnreported(_ previous: PreviousState) {
    for run in previous.unreported {
      let isPending = previous.jobs[run.job]?.pending.contains(run.slot) ?? false
      // Its verdict is that it ran.
      let mayHaveBegun = previous.runs.contains {
        $0.isUndecided && $0.head.job == run.job && $0.head.slot == run.slot
      }
      if isPending, !mayHaveBegun {
        effects.append(.record(.reported(run)))
      } else {
        cluster.unreported.append(run)
      }
    }
  }

  /// A report is sent to the engine under the present membership. Without an answer it is unknown
  /// if the engine has it, so that a repeat under another membership must name this one.
  mutating func noteSaid(_ wish: Membership.Wish) -> Membership.Wish {
    guard case .ranUnclaimed(var run) = wish else { return wish }
    let known = run.member
    run.saidAs = cluster.membership.id
    if run.member != known { effects.append(.record(.ranUnclaimed(run))) }
    return .ranUnclaimed(run)
  }

  mutating func reported(_ run: UnclaimedRun, _ answer: ClaimAnswer, at now: Now) {
    effects.append(.record(.reported(run)))
    guard answer == .superseded else { return }
    logCluster(
      .warning, "ran twice: another machine had the slot too", of: jobs.id(of: run.job),
      slot: run.slot, at: now)
  }

  /// A run without a claim has ended before its start: there is nothing to report.
  mutating func withdrawUnclaimed(of id: JobID, _ slot: WallInstant) {
    let name = jobs.name(of: id)
    var withdrawn: UnclaimedRun?
    cluster.membership.unsay {
      guard case .ranUnclaimed(let run) = $0, run.job == name, run.slot == slot else {
        return false
      }
      withdrawn = run
      return true
    }
    if let withdrawn { effects.append(.record(.reported(withdrawn))) }
  }
}

extension UnclaimedRun {
  /// The other membership that a report under `member` names.
  func earlier(as member: MemberID?) -> MemberID? {
    saidAs == nil || saidAs == member ? askedAs : saidAs
  }
}
