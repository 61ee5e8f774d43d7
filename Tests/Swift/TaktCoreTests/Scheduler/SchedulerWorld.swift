@testable import TaktCore
import TaktTime

/// A core in virtual time with a ledger in memory: timers fire when they are due, runs end when a
/// test says so.
struct SchedulerWorld {
  static let wall = WallInstant(milliseconds: 1_790_000_000_000)

  var scheduler = VirtualScheduler(
    at: Now(wall: wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)), isPunctual: true)
  var ledger = LedgerModel()
  var verdicts: [String] = []
  var starts: [String] = []
  var ends: [String] = []
  var awaited: [RunID] = []
  var running: [RunID] = []
  var requests: [AttemptRequest] = []
  private(set) var effects: [SchedulerEffect] = []
  /// Verdicts, starts, signals and ends since the last `news`, in order.
  private var story: [String] = []
  /// True if the ledger takes its entries.
  var ledgerWorks = true

  var core: SchedulerCore { scheduler.core }
  var now: Now {
    get { scheduler.now }
    set { scheduler.now = newValue }
  }

  mutating func send(_ event: SchedulerEvent) { perform(scheduler.send(event)) }

  mutating func perform(_ command: SchedulerCommand) -> SchedulerReply {
    let (reply, effects) = scheduler.perform(command)
    perform(effects)
    return reply
  }

  private mutating func perform(_ effects: [SchedulerEffect]) {
    self.effects = effects
    for effect in effects {
      switch effect {
      case .record(let entry):
        note(entry)
        if ledgerWorks { ledger.record([entry]) }
      case .awaitLedger(let run): awaited.append(run)
      case .start(let request):
        running.append(request.run)
        requests.append(request)
        starts.append(
          "\(request.spec.name) \((request.slot - Self.wall).milliseconds) #\(request.attempt)")
        let what =
          request.facts.map { "\($0.hook.rawValue) of \($0.run)" } ?? "attempt \(request.attempt)"
        story.append("start \(request.spec.name) \(what)")
      case .signal(let run, let signal): story.append("\(signal.rawValue) to \(run)")
      case .log(let record):
        if case .text(let outcome)? = record[.outcome], case .text(let reason)? = record[.reason],
          record[.to] == .text("ended"), case .number(let run)? = record[.run]
        {
          story.append("run \(run) \(outcome) \(reason)")
        }
      case .arm, .holdTimer, .disarm, .claims, .leased, .served: break
      case .finish: story.append("finish")
      }
    }
  }

  /// The changes since the last call.
  mutating func news() -> [String] {
    defer { story = [] }
    return story
  }

  private mutating func note(_ entry: LedgerEntry) {
    switch entry {
    case .verdict(let record):
      let from = (record.slots.first - Self.wall).milliseconds
      let to = (record.slots.last - Self.wall).milliseconds
      verdicts.append(
        "\(record.job) \(from)\(from == to ? "" : "…\(to)") "
          + (record.verdict.name == "coalesced" ? "coalesced" : record.verdict.description))
      story.append(verdicts[verdicts.count - 1])
    case .ended(let run): ends.append("\(run.head.job) \(run.end.outcome.rawValue)")
    default: break
    }
  }

  /// Lets time pass, with all events that are due.
  mutating func pass(_ duration: Duration) {
    let end = now.monotonic + duration
    while let due = scheduler.next(until: end) {
      for one in due { send(one.event) }
    }
  }

  /// The same, and all runs end then.
  mutating func pass(_ duration: Duration, ending result: AttemptResult) {
    pass(duration)
    endRuns(result)
  }

  mutating func endRuns(_ result: AttemptResult = .exited(0)) {
    let ended = running
    running = []
    for run in ended { send(.actionEnded(run, AttemptReport(result))) }
  }

  mutating func keep() {
    let runs = awaited
    awaited = []
    for run in runs { send(.kept(run)) }
  }

  mutating func start(
    _ jobs: [JobSpec], maxRunning: Int = 16, groups: [String: Int] = [:]
  ) {
    var settings = SchedulerSettings(maxRunning: maxRunning)
    settings.concurrency = groups
    send(.started(Snapshot(settings: settings, jobs: jobs), after: ledger.previous))
  }

  mutating func reload(_ before: [JobSpec], to after: [JobSpec]) {
    send(.reloaded(ReloadPlan(from: Snapshot(jobs: before), to: Snapshot(jobs: after))))
  }

  /// A timer's deadline, in milliseconds from the start.
  func armed(_ name: String) -> Int64? {
    JobName(name).flatMap { core.jobs.state(of: $0)?.awaited }.map {
      $0.deadline.nanoseconds / 1_000_000 - 1000
    }
  }

  /// takt is killed and started again after a while.
  mutating func restart(_ jobs: [JobSpec], after down: Duration, maxRunning: Int = 16) {
    scheduler.crash()
    (running, awaited, verdicts, starts, ends) = ([], [], [], [], [])
    scheduler.pass(down)
    start(jobs, maxRunning: maxRunning)
  }
}

extension SchedulerWorld {
  /// One in which a daemon has started with these jobs.
  init(starting jobs: [JobSpec], maxRunning: Int = 16, groups: [String: Int] = [:]) {
    self.init()
    start(jobs, maxRunning: maxRunning, groups: groups)
  }
}
