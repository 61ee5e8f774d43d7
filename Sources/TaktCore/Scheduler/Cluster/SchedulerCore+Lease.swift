import TaktTime

/// The end of a lease, and the ends of claimed runs.
extension SchedulerCore {
  /// This machine must take its claims for another's from now on.
  mutating func leaseOver(at now: Now) {
    guard cluster.leaseUntil != nil else { return }
    cluster.leaseUntil = nil
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

  /// What the engine is told of a claimed run that has ended. Returns whether what follows from it
  /// may follow at once.
  mutating func claimEnded(_ row: RunTable.Row, _ end: RunEnd, at now: Now) -> Bool {
    guard let grant = runs[row].claim, !grant.isForgotten else { return true }
    guard runs[row].startedAt != nil else {
      switch end.reason {
      case .byOperator, .replaced:
        cluster.outbox.append(
          .end(grant.token, end.outcome, reason: end.reason.description))
      default: cluster.outbox.append(.giveBack(grant.token))
      }
      return true
    }
    cluster.outbox.append(.end(grant.token, end.outcome, reason: end.reason.description))
    return grant.member == cluster.member && cluster.hasLease(at: now.monotonic)
  }

  mutating func endAnswered(_ token: ClaimToken, isOurs: Bool, at now: Now) {
    guard let late = cluster.lateEnds.removeValue(forKey: token) else { return }
    if isOurs {
      countFailure(of: late.job, late.end, hooks: late.caller, at: now)
      callFollowers(of: late.job, late.end, at: now)
    } else {
      logCluster(
        .warning, "a run ended after another machine had taken its slot over", of: late.job,
        at: now)
    }
  }
}
