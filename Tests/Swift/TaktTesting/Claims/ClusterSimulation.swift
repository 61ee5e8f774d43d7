package import TaktCore
import TaktTime

/// Several real `SchedulerCore`s and the engine's rules in virtual time, with all kinds of trouble
/// between them: answers that are late or lost, machines that are killed, frozen, cut off or
/// stopped, clocks that are wrong, an engine that is down, files that change on one machine after
/// the other. A checker compares the runs with the engine's state at the end.
package struct ClusterSimulation {
  /// A mistake that is put into the engine or the machines on purpose: the checker must find it.
  package enum Plant: Hashable, Sendable {
    case engine(MemoryEngine.Plant)
    /// Nothing ends the runs of a machine that is frozen.
    case unguarded

    package static let all: [Plant] = MemoryEngine.Plant.allCases.map { .engine($0) } + [.unguarded]
  }

  struct Machine {
    var scheduler: VirtualScheduler
    var ledger = LedgerModel()
    /// The verdicts of single slots in the ledger.
    var verdicts: [String: Verdict] = [:]
    var offset: Duration
    var isUp = false
    var startsAt: MonotonicInstant?
    var frozenUntil: MonotonicInstant?
    var cutUntil = MonotonicInstant(nanoseconds: 0)
    /// The time at which the guard ends its runs.
    var guardAt: MonotonicInstant?
    var sentAt: [UInt64: MonotonicInstant] = [:]
    /// The number of its daemon: messages to an earlier one are dropped.
    var life = 0
    var running: [RunID: Execution] = [:]
    var version = 0
    var isStopping = false
    /// The newest era of the engine that it has seen.
    var heardEra: UInt64 = 0
  }

  struct Execution {
    var job: JobName
    var slot: WallInstant
    var fence: UInt64?
    var isGuarded: Bool
  }

  enum Message {
    case batch(ClaimBatch)
    case outcome(ClaimOutcome)
  }

  struct Delivery {
    var at: MonotonicInstant
    var machine: Int
    var life: Int
    var message: Message
  }

  /// One execution of a slot's command, from its start to its end.
  struct Interval {
    var machine: Int
    var fence: UInt64?
    var from: MonotonicInstant
    var to: MonotonicInstant?
    /// The engine's era and the machine's life at its start.
    var era: UInt64
    var life: Int
    /// True if the engine was set back and cannot know of an earlier execution, whose machine has
    /// not contacted it since.
    var isUntold = false
  }

  static let start = WallInstant(milliseconds: 1_790_000_000_000)
  let lease = Duration.seconds(6)
  private let grace = Duration.seconds(2)

  static var settings: SchedulerSettings {
    var settings = SchedulerSettings(maxRunning: 8)
    settings.concurrency = ["group": 1]
    return settings
  }

  var random: SplitMix64
  let plant: Plant?
  static let begin = MonotonicInstant(nanoseconds: 1_000_000_000)
  var now = Self.begin
  var machines: [Machine] = []
  var engine = MemoryEngine()
  /// The state of a standby of the engine.
  var standby: (engine: MemoryEngine, at: MonotonicInstant)?
  /// The last takeover of a standby: verdicts from before may be known to machines alone.
  var failedOverAt: MonotonicInstant?
  var engineDownUntil = MonotonicInstant(nanoseconds: 0)
  var network: [Delivery] = []
  var versions: [[JobSpec]]
  var runs: [String: [Interval]] = [:]
  var problems: [String] = []
  package internal(set) var story: [String] = []
  var isHealing = false
  /// Jobs that were ever suspended: their slots are skipped without the engine's answer.
  var wasSuspended: Set<JobName> = []

  package init(seed: UInt64, plant: Plant? = nil) {
    random = SplitMix64(seed: seed)
    self.plant = plant
    versions = [[]]
    versions[0] = makeJobs()
  }

  private mutating func makeJobs() -> [JobSpec] {
    (0..<Int.random(in: 1...4, using: &random)).map { number in
      var schedule = Schedule()
      schedule.every = Every(
        .milliseconds(Int.random(in: 2...10, using: &random) * 500),
        from: random.oneIn(4) ? .end : .epoch)
      var spec = JobSpec(
        name: ClaimScene.name("job-\(number)"), timing: Timing(schedule: schedule),
        action: .argv(["true"]),
        overlap: [.skip, .skip, .allow, .queue, .replace].randomElement(using: &random) ?? .skip)
      if random.oneIn(2) { spec.delivery = .atLeastOnce }
      if random.oneIn(4) { spec.concurrencyGroup = "group" }
      if random.oneIn(6) { schedule.limit = Int.random(in: 1...20, using: &random) }
      if random.oneIn(4) { spec.onLeaseLost = .finish }
      spec.timing.schedule = schedule
      if random.oneIn(3) {
        spec.missed.choice = random.oneIn(2) ? .all : .skip
      }
      if random.oneIn(2) || spec.delivery == .atLeastOnce {
        spec.missed.within = .seconds(Int.random(in: 20...60, using: &random))
      }
      var execution = spec.execution
      execution.stop.grace = .seconds(1)
      spec.execution = execution
      return spec
    }
  }

  /// Runs for `duration`, heals everything, and returns the problems.
  package mutating func run(for duration: Duration = .seconds(90)) -> [String] {
    let count = 3
    for number in 0..<count {
      // One clock is right: no other machine names the slots in time.
      let offset: Duration =
        number > 0 && random.oneIn(4) ? .seconds(Int.random(in: -600...600, using: &random)) : .zero
      machines.append(
        Machine(
          scheduler: VirtualScheduler(
            at: Now(wall: Self.start, monotonic: now),
            core: SchedulerCore(
              cluster: MemberFacts(machine: "m\(number)", lease: lease, grace: grace))),
          offset: offset))
      boot(number)
    }
    let end = now + duration
    while now < end {
      let chaosAt = now + .milliseconds(Int.random(in: 1...4000, using: &random))
      advance(to: min(chaosAt, end))
      if now < end { makeChaos() }
    }
    heal()
    let healedAt = now
    advance(to: now + .seconds(90))
    for index in machines.indices {
      if let view = machines[index].scheduler.core.clusterView(at: machines[index].scheduler.now) {
        story.append("\(time) m\(index) in the end: \(view.waiting)")
      }
    }
    check(until: healedAt)
    checkAgreement()
    checkGroup()
    checkRests(until: healedAt)
    return problems
  }

  func wall(_ offset: Duration = .zero) -> WallInstant {
    Self.start + (now - MonotonicInstant(nanoseconds: 1_000_000_000)) + offset
  }

  // MARK: Time

  mutating func advance(to end: MonotonicInstant) {
    while true {
      var next = end
      for index in machines.indices {
        if let at = machines[index].startsAt { next = min(next, at) }
        if let at = machines[index].frozenUntil { next = min(next, at) }
        if let at = machines[index].guardAt { next = min(next, at) }
        guard machines[index].isUp, machines[index].frozenUntil == nil else { continue }
        if let at = machines[index].scheduler.nextInstant { next = min(next, at) }
      }
      for delivery in network { next = min(next, delivery.at) }
      now = max(now, next)
      for index in machines.indices { tick(index) }
      while let place = network.indices.filter({ network[$0].at <= now })
        .min(by: { network[$0].at < network[$1].at })
      {
        deliver(network.remove(at: place))
      }
      if now >= end { return }
    }
  }

  private mutating func tick(_ index: Int) {
    if let at = machines[index].startsAt, at <= now { boot(index) }
    if let at = machines[index].guardAt, at <= now { endAll(index) }
    if let at = machines[index].frozenUntil, at <= now {
      machines[index].frozenUntil = nil
      story.append("\(time) m\(index) goes on")
    }
    guard machines[index].isUp, machines[index].frozenUntil == nil else { return }
    while let due = machines[index].scheduler.next(until: now) {
      for one in due { send(one.event, to: index) }
    }
    machines[index].scheduler.move(to: now)
  }

  var time: String { "\((now.nanoseconds - 1_000_000_000) / 1_000_000)" }

  // MARK: Machines

  private mutating func boot(_ index: Int) {
    machines[index].startsAt = nil
    machines[index].isUp = true
    machines[index].isStopping = false
    machines[index].life += 1
    machines[index].scheduler.crash()
    machines[index].scheduler.now = Now(wall: wall(machines[index].offset), monotonic: now)
    story.append("\(time) m\(index) starts with version \(machines[index].version)")
    send(
      .started(
        Snapshot(settings: Self.settings, jobs: versions[machines[index].version]),
        after: machines[index].ledger.previous), to: index)
  }

  mutating func send(_ event: SchedulerEvent, to index: Int) {
    let effects = machines[index].scheduler.send(event)
    perform(effects, of: index)
  }

  mutating func perform(_ effects: [SchedulerEffect], of index: Int) {
    for effect in effects {
      switch effect {
      case .record(let entry):
        machines[index].ledger.record([entry])
        if case .verdict(let record) = entry { check(record, of: index) }
      case .awaitLedger(let run): send(.kept(run), to: index)
      case .start(let request): start(request, on: index)
      case .signal(let run, let signal):
        // Some react only to the last one.
        guard machines[index].running[run] != nil, signal == .kill || !random.oneIn(3) else {
          break
        }
        machines[index].scheduler.changeEnd(
          of: run, .attempt(.signalled(signal == .kill ? 9 : 15)),
          at: now + .milliseconds(Int.random(in: 0...400, using: &random)))
      case .arm, .holdTimer, .disarm, .served: break
      case .claims(let batch): send(batch, from: index)
      case .leased(let batch, let duration):
        if let sent = machines[index].sentAt[batch] { machines[index].guardAt = sent + duration }
      case .log(let record):
        if case .text(let text)? = record[.message] {
          story.append("\(time) m\(index) \(text)")
          if text.contains("internal error") { problems.append("\(time) m\(index) \(text)") }
        }
      case .finish: down(index)
      }
    }
    // The end of a run comes as an event that the scheduler was handed.
    for (run, _) in machines[index].running
    where machines[index].scheduler.core.view(of: run, at: machines[index].scheduler.now)?.state
      != .running
      && machines[index].scheduler.core.view(of: run, at: machines[index].scheduler.now)?.state
        != .stopping
      && machines[index].scheduler.core.view(of: run, at: machines[index].scheduler.now)?.state
        != .killing
    {
      ended(run, on: index)
    }
  }

  mutating func start(_ request: AttemptRequest, on index: Int) {
    let execution = Execution(
      job: request.spec.name, slot: request.slot, fence: request.fence?.number,
      isGuarded: request.fence != nil && request.spec.onLeaseLost == .stop)
    machines[index].running[request.run] = execution
    let key = "\(execution.job) \(execution.slot.milliseconds)"
    story.append("\(time) m\(index) runs \(key) fence \(execution.fence ?? 0)")
    let isUntold =
      runs[key]?.contains { earlier in
        let machine = machines[earlier.machine]
        return earlier.era < engine.era
          && (machine.life != earlier.life || machine.heardEra < engine.era)
      } ?? false
    runs[key, default: []].append(
      Interval(
        machine: index, fence: execution.fence, from: now, to: nil, era: engine.era,
        life: machines[index].life, isUntold: isUntold))
    machines[index].scheduler.setEnd(
      of: request.run, .attempt(.exited(0)), at: now + .milliseconds(length()))
  }

  /// Some run longer than a lease. At the end none does, so that those that wait get their turns.
  mutating func length() -> Int {
    if isHealing { return Int.random(in: 1...300, using: &random) }
    return random.oneIn(5)
      ? Int.random(in: 5000...20000, using: &random) : Int.random(in: 1...1500, using: &random)
  }

  private mutating func ended(_ run: RunID, on index: Int) {
    guard let execution = machines[index].running.removeValue(forKey: run) else { return }
    let key = "\(execution.job) \(execution.slot.milliseconds)"
    guard
      let place = runs[key]?.lastIndex(where: {
        $0.machine == index && $0.to == nil && $0.fence == execution.fence
      })
    else { return }
    runs[key]?[place].to = now
  }

  /// The guard, or the end of the machine, ends all its runs.
  private mutating func endAll(_ index: Int) {
    machines[index].guardAt = nil
    for run in machines[index].running.keys.sorted() {
      if machines[index].isUp {
        guard let execution = machines[index].running[run], execution.isGuarded,
          plant != .unguarded
        else { continue }
        // takt is notified when it continues.
        machines[index].scheduler.changeEnd(of: run, .attempt(.signalled(9)), at: now)
      }
      ended(run, on: index)
    }
  }

  mutating func down(_ index: Int) {
    guard machines[index].isUp else { return }
    machines[index].isUp = false
    machines[index].frozenUntil = nil
    endAll(index)
    machines[index].startsAt = now + .milliseconds(Int.random(in: 0...20_000, using: &random))
  }
}
