import TaktTime

/// Runs that must be known to the ledger before they may start.
extension SchedulerCore {
  /// How long such a run waits for the ledger.
  package static let claimTimeout = Duration.seconds(2)

  /// The run could start; it asks for its place again when the ledger has it for certain.
  mutating func claim(_ run: ActiveRun, at now: Now) {
    let token = nextToken()
    // While it waits for the disk others may have the place.
    queue.leave(run.id)
    runs[run.id]?.isClaiming = true
    runs[run.id]?.timerToken = token
    effects.append(.record(.claimed(run.beginning(at: now))))
    effects.append(.awaitLedger(run.id))
    effects.append(
      .arm(
        .run(run.id), deadline: now.monotonic + Self.claimTimeout, leeway: .zero, token: token))
  }

  mutating func claimKept(_ id: RunID, at now: Now) {
    guard var run = runs[id], run.isClaiming else { return }
    run.isClaiming = false
    run.hasClaim = true
    run.timerToken = 0
    runs[id] = run
    effects.append(.disarm(.run(id)))
    queue.add(run.ticket)
    startWaitingRuns(at: now)
  }

  /// Without the ledger's word the slot is given up: it might be run a second time after a crash.
  mutating func claimTimedOut(_ run: ActiveRun, at now: Now) {
    if let slot = run.undecidedSlot {
      decide(run.spec.name, SlotSeries(slot.nominal), .skipped(.ledger), at: now)
    }
    step(run.id, at: now) { $0.stop(.ledger, at: now.monotonic) }
  }
}

extension ActiveRun {
  /// Whether the ledger must know of its next attempt before it starts.
  var needsClaim: Bool {
    switch origin {
    case .slot, .resumed: spec.delivery == .atMostOnce && !hasClaim
    case .manual, .hook: false
    }
  }
}
