import TaktTime

/// The end of a lease, and the ends of claimed runs.
extension SchedulerCore {
  /// Ends a lease whose time is over, before any event: it may come late, after a standstill. From
  /// now on this machine's claims count as another's.
  mutating func endLease(ifOver now: Now) {
    guard cluster.membership.endLease(ifOver: now.monotonic) else { return }
    var count = 0
    for id in runs.all where runs.contains(id) && runs[id].claim != nil {
      if let slot = runs[id].undecidedSlot {
        let job = runs[id].job
        step(id, at: now) { $0.stop(.leaseLost, at: now.monotonic) }
        if jobs.isPresent(job) { unsettle([SlotSeries(slot.nominal)], of: job, at: now) }
      } else if runs[id].spec.onLeaseLost == .stop {
        count += 1
        step(id, at: now) { $0.stop(.leaseLost, at: now.monotonic) }
      }
    }
    logCluster(
      .warning,
      "the lease could not be renewed in time" + (count > 0 ? "; runs stopped: \(count)" : ""),
      at: now)
  }

  // MARK: Ends

  /// The guard may have ended a run's action while takt stood still.
  mutating func actionEnding(
    of run: RunID, _ report: AttemptReport, at now: Now
  ) -> AttemptReport {
    guard runs.contains(run), runs[run].claim != nil else { return report }
    // The guard may have ended a part of the command, and the other part has failed for that.
    guard let guardAt = cluster.membership.guardAt, guardAt <= now.monotonic,
      report.result != .exited(0)
    else { return report }
    var report = report
    report.endedUnasked = false
    return report
  }

  /// Reports a claimed run that has ended to the engine. Returns true if its consequences may
  /// follow at once.
  mutating func claimEnded(
    _ row: RunTable.Row, _ end: RunEnd, _ last: ActiveRun.Last, caller: HookCaller?, at now: Now
  ) -> Bool {
    guard let grant = runs[row].claim, !grant.isForgotten else {
      if let slot = runs[row].undecidedSlot { withdrawUnclaimed(of: last.job, slot.nominal) }
      return true
    }
    guard runs[row].startedAt != nil else {
      switch end.reason {
      case .byOperator, .replaced:
        cluster.end(remembered(runs[row], grant, end))
      default: cluster.membership.say(.giveBack(grant.token))
      }
      return true
    }
    if end == RunEnd(.cancelled, .leaseLost), runs[row].spec.delivery == .atLeastOnce {
      // As if this machine had failed.
      cluster.end(remembered(runs[row], grant, nil))
      if last.hasHadAttempt {
        logCluster(
          .notice, "the run was stopped with the lease; its slot runs again, here or elsewhere",
          of: last.job, slot: runs[row].nominal, at: now)
      }
      return false
    }
    cluster.end(remembered(runs[row], grant, end))
    if grant.member == cluster.membership.id, cluster.membership.hasLease(at: now.monotonic) {
      return true
    }
    if last.hasHadAttempt {
      cluster.lateEnds[grant.token] = ClusterState.LateEnd(
        job: last.job, slot: runs[row].nominal, end: end, caller: caller)
    }
    return false
  }

  /// Lets the slot that has waited longest for a run of its job ask at once.
  mutating func askForNext(of id: JobID, at now: Now) {
    guard let key = cluster.book.oldest(of: id), let claim = cluster.book[key],
      claim.phase == .behind || claim.hasWaited
    else { return }
    switch claim.phase {
    case .queued: return
    case .waits, .behind:
      cluster.book.putOff(
        key,
        until: cluster.membership.isUp ? now.monotonic : max(now.monotonic, claim.slot.latestStart))
      claimFired(key, at: now)
    }
  }

  mutating func endAnswered(_ token: ClaimToken, isOurs: Bool, at now: Now) {
    guard let late = cluster.lateEnds.removeValue(forKey: token) else { return }
    if isOurs {
      countFailure(of: late.job, late.end, hooks: late.caller, at: now)
      callFollowers(of: late.job, late.end, at: now)
    } else {
      logCluster(
        .warning,
        "a run ended (\(late.end.outcome.rawValue)) after another machine had taken its slot over; "
          + "the cluster's history has that machine's verdict", of: late.job, slot: late.slot,
        at: now)
    }
  }
}
