import FormerCore

/// What has been compared, counted by kinds, so that what no test comes by is seen.
struct Census: Sendable {
  private(set) var counts: [String: [String: Int]] = [:]

  mutating func count(_ group: String, _ kind: String) {
    counts[group, default: [:]][kind, default: 0] += 1
  }

  mutating func add(_ other: Census) {
    for (group, kinds) in other.counts {
      counts[group, default: [:]].merge(kinds, uniquingKeysWith: +)
    }
  }

  func total(_ group: String) -> Int { counts[group, default: [:]].values.reduce(0, +) }

  func missing(_ group: String, of kinds: [String]) -> [String] {
    kinds.filter { counts[group]?[$0] == nil }.map { "\(group) \($0)" }
  }

  /// A line for each group.
  var table: String {
    counts.sorted { $0.key < $1.key }.map { group, kinds in
      "\(group) \(total(group)): "
        + kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        .joined(separator: ", ")
    }.joined(separator: "\n")
  }

  // MARK: By kinds

  mutating func count(_ effects: [FormerCore.SchedulerEffect]) {
    for effect in effects { count(effect) }
  }

  mutating func count(_ view: FormerCore.JobView) {
    count("job state", view.state.rawValue)
    for run in view.active { count("run state", run.state.rawValue) }
  }

  mutating func count(reply: FormerCore.SchedulerReply) {
    let kind =
      switch reply {
      case .done: "done"
      case .unknownJob: "unknownJob"
      case .unknownRun: "unknownRun"
      case .notSuspended: "notSuspended"
      case .past: "past"
      case .tooMany: "tooMany"
      case .overlapping: "overlapping"
      case .unavailable: "unavailable"
      }
    count("reply", kind)
  }

  private mutating func count(_ effect: FormerCore.SchedulerEffect) {
    switch effect {
    case .arm(let key, _, _, _): count("effect", "arm \(Self.kind(key))")
    case .disarm(let key): count("effect", "disarm \(Self.kind(key))")
    case .start(let request):
      count("effect", "start")
      count("start", request.facts.map { $0.hook.rawValue } ?? "run")
    case .signal(_, let signal): count("effect", signal == .kill ? "signal KILL" : "signal")
    case .record(let entry):
      count("effect", "record")
      count(entry)
    case .awaitLedger: count("effect", "awaitLedger")
    case .served: count("effect", "served")
    case .log(let record):
      count("effect", "log")
      count("log", record.event.rawValue)
    case .finish: count("effect", "finish")
    }
  }

  private static func kind(_ key: FormerCore.TimerKey) -> String {
    switch key {
    case .job: "job"
    case .run: "run"
    case .expected: "expected"
    case .shutdown: "shutdown"
    }
  }

  private mutating func count(_ entry: FormerCore.LedgerEntry) {
    switch entry {
    case .verdict(let record):
      count("entry", "verdict")
      switch record.verdict {
      case .coalesced: count("verdict", "coalesced")
      case .ran, .skipped, .missed, .cancelled: count("verdict", "\(record.verdict)")
      }
      if record.slots.count > 1 { count("series", record.verdict.name) }
    case .pending: count("entry", "pending")
    case .mark: count("entry", "mark")
    case .schedule: count("entry", "schedule")
    case .scheduleEnded: count("entry", "scheduleEnded")
    case .claimed: count("entry", "claimed")
    case .began(let beginning):
      count("entry", "began")
      count("began", beginning.head.kind.rawValue)
    case .attemptBegan: count("entry", "attemptBegan")
    case .backedOff: count("entry", "backedOff")
    case .attemptOutput: count("entry", "attemptOutput")
    case .ended(let record):
      count("entry", "ended")
      count("end", "\(record.end.outcome.rawValue) \(record.end.reason.parts.code.rawValue)")
      if record.retry != nil { count("end", "with retry") }
    case .settled: count("entry", "settled")
    case .process: count("entry", "process")
    case .clockStepped: count("entry", "clockStepped")
    case .reloaded: count("entry", "reloaded")
    }
  }
}
