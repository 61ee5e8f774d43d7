package import TaktTime

/// What a simulation comes to, counted.
package struct SimulationReport: Sendable {
  /// One job's share.
  package struct Job: Sendable {
    package var balance = Balance()
    /// How many slots were not served, by what their verdicts say: `skipped(overlap)`.
    package var reasons: [String: Int] = [:]
    /// How long after it was due a slot has started, at most.
    package var latest = Duration.zero
    /// How many of its runs were in progress at once, at most.
    package var runningMax = 0
    fileprivate var running = 0

    package init() {}
  }

  /// The jobs that have had slots or runs.
  package private(set) var jobs: [JobName: Job] = [:]
  package private(set) var balance = Balance()
  package private(set) var wakes = 0
  /// How many timers these wakes have served.
  package private(set) var served = 0
  /// How many runs were in progress at once, at most.
  package private(set) var runningMax = 0
  /// When that was first so; nil without runs.
  package private(set) var busiest: WallInstant?
  private var running = 0

  package init() {}

  package mutating func take(_ event: SimulatedEvent) {
    switch event {
    case .verdict(let record, let lateness, _):
      balance.add(record)
      jobs[record.job, default: Job()].take(record, lateness)
    case .began(let job, _, let at):
      running += 1
      if running > runningMax { (runningMax, busiest) = (running, at) }
      jobs[job, default: Job()].change(by: 1)
    case .ended(let job, _, _, _):
      running -= 1
      jobs[job, default: Job()].change(by: -1)
    case .wake(_, let served):
      wakes += 1
      self.served += served
    case .fault: break
    }
  }
}

extension SimulationReport.Job {
  fileprivate mutating func take(_ record: VerdictRecord, _ lateness: Duration) {
    balance.add(record)
    switch record.verdict {
    case .ran: latest = max(latest, lateness)
    case .coalesced: reasons["coalesced", default: 0] += record.slots.count
    case .skipped, .missed, .cancelled:
      reasons["\(record.verdict)", default: 0] += record.slots.count
    }
  }

  fileprivate mutating func change(by count: Int) {
    running += count
    runningMax = max(runningMax, running)
  }
}
