@testable import TaktCore
import TaktTime

extension JobSpec {
  /// A job each five seconds of the clock.
  static func shared(
    _ name: String = "job", _ change: (inout JobSpec) -> Void = { _ in }
  ) -> JobSpec {
    var schedule = Schedule()
    schedule.every = Every(.seconds(5), from: .epoch)
    var spec = JobSpec(
      name: ClusterWorld.name(name), timing: Timing(schedule: schedule), action: .shell("work"))
    change(&spec)
    return spec
  }
}

/// One machine in virtual time, and the engine's rules beside it.
struct ClusterWorld {
  static let start = WallInstant(milliseconds: 1_790_000_000_000)

  var engine = MemoryEngine()
  var isReachable = true
  /// The time by which the engine's clock was set forward.
  var engineAhead = Duration.zero
  /// The time that a batch is under way, each way.
  var delay = Duration.zero
  var runTime = Duration.zero
  /// True if the ledger keeps its entries.
  var keeps = true
  var result = AttemptResult.exited(0)
  private(set) var starts: [String] = []
  private(set) var verdicts: [String] = []
  private(set) var signals: [String] = []
  private(set) var messages: [String] = []
  private(set) var isFinished = false
  private var scheduler: VirtualScheduler
  private var deliveries: [(at: MonotonicInstant, outcome: ClaimOutcome)] = []
  private var jobs: [RunID: JobName] = [:]
  private var ledger = LedgerModel()

  init(jobs: [JobSpec]) {
    scheduler = VirtualScheduler(
      at: Now(wall: Self.start, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)),
      isPunctual: true,
      core: SchedulerCore(
        cluster: MemberFacts(machine: "one", lease: .seconds(15), grace: .seconds(2))))
    send(.started(Snapshot(settings: SchedulerSettings(), jobs: jobs)))
    pass(.zero)
  }

  mutating func reload(from old: [JobSpec] = [], to jobs: [JobSpec]) {
    send(
      .reloaded(
        ReloadPlan(
          from: Snapshot(settings: SchedulerSettings(), jobs: old),
          to: Snapshot(settings: SchedulerSettings(), jobs: jobs))))
  }

  /// Another daemon takes the place of this one, which was killed.
  ///
  /// - Parameter hasLedger: whether it has the ledger, too.
  mutating func restart(jobs: [JobSpec], after members: [MemberID], hasLedger: Bool = false) {
    let now = scheduler.now
    scheduler = VirtualScheduler(
      at: now, isPunctual: true,
      core: SchedulerCore(
        cluster: MemberFacts(machine: "one", lease: .seconds(15), grace: .seconds(2))))
    deliveries = []
    var previous = hasLedger ? ledger.previous : PreviousState()
    previous.previousMembers = members
    send(.started(Snapshot(settings: SchedulerSettings(), jobs: jobs), after: previous))
  }

  static func name(_ text: String) -> JobName {
    // The tests' own names are valid.
    JobName(text) ?? .placeholder
  }

  var name: JobName { Self.name("job") }

  func wall(_ milliseconds: Int64) -> WallInstant {
    WallInstant(milliseconds: Self.start.milliseconds + milliseconds)
  }

  var suspension: String? {
    scheduler.core.view(of: name, at: scheduler.now)?.suspension?.reason
  }

  func claim(_ milliseconds: Int64) -> SlotClaim {
    SlotClaim(
      job: name, slot: wall(milliseconds), schedule: schedule, isAtLeastOnce: true,
      validUntil: wall(milliseconds + 600_000))
  }

  private var schedule: UInt64 { declared }
  private var declared: UInt64 = 0

  mutating func send(_ event: SchedulerEvent) { perform(scheduler.send(event)) }

  mutating func pass(_ duration: Duration) {
    let end = scheduler.now.monotonic + duration
    while true {
      let next = min(end, deliveries.map(\.at).min() ?? end, scheduler.nextInstant ?? end)
      while let due = scheduler.next(until: next) { for one in due { send(one.event) } }
      scheduler.move(to: next)
      while let place = deliveries.firstIndex(where: { $0.at <= scheduler.now.monotonic }) {
        send(.claims(deliveries.remove(at: place).outcome))
      }
      if next >= end, scheduler.nextInstant.map({ $0 > end }) ?? true { return }
    }
  }

  /// takt is stopped for this long; its runs continue.
  mutating func freeze(for duration: Duration) { scheduler.pass(duration) }

  private var view: ClusterView.Waiting? {
    scheduler.core.clusterView(at: scheduler.now)?.waiting.first
  }

  /// The number of slots that wait for the engine's answer, and to be settled.
  var waiting: Int { view?.claims ?? 0 }
  var unsettled: Int { view?.unsettled ?? 0 }

  private mutating func perform(_ effects: [SchedulerEffect]) {
    for effect in effects {
      if case .record(let entry) = effect { ledger.record([entry]) }
      switch effect {
      case .claims(let batch): carry(batch)
      case .start(let request):
        jobs[request.run] = request.spec.name
        starts.append(
          request.isHook
            ? "hook"
            : "\(request.spec.name) \((request.slot - Self.start).milliseconds)"
              + (request.fence.map { " fence \($0.number)" } ?? ""))
        scheduler.setEnd(of: request.run, .attempt(result), at: scheduler.now.monotonic + runTime)
      case .signal(let run, let signal):
        signals.append("\(jobs[run]?.text ?? "?") \(signal.rawValue)")
        scheduler.changeEnd(of: run, .attempt(.signalled(15)), at: scheduler.now.monotonic)
      case .record(.verdict(let record)):
        verdicts.append(
          "\(record.job) \((record.slots.first - Self.start).milliseconds) \(record.verdict.name)"
            + (["skipped", "missed"].contains(record.verdict.name)
              ? "(\(record.verdict.detail ?? ""))" : ""))
      case .log(let record):
        if case .text(let text)? = record[.message] { messages.append(text) }
      case .finish: isFinished = true
      case .awaitLedger(let run): if keeps { send(.kept(run)) }
      case .arm, .holdTimer, .disarm, .record, .leased, .served: break
      }
    }
  }

  private mutating func carry(_ batch: ClaimBatch) {
    for case .declare(name, let schedule, _, _, _, _) in batch.requests { declared = schedule }
    let outcome: ClaimOutcome =
      isReachable
      ? .answered(engine.perform(batch, at: scheduler.now.wall + engineAhead))
      : .failed(number: batch.number, ClaimFailure("unreachable"))
    deliveries.append((scheduler.now.monotonic + delay * 2, outcome))
  }

  /// Runs without a claim that the engine has not confirmed, as the ledger has them.
  var unreported: [UnclaimedRun] { ledger.previous.unreported }

  /// The problems, as `takt cluster` shows them.
  var problems: [String] { scheduler.core.clusterView(at: scheduler.now)?.problems ?? [] }

  /// The labels that a job needs and that no machine has.
  func missingLabels(of job: String) -> [String: String]? {
    JobName(job).flatMap { scheduler.core.view(of: $0, at: scheduler.now) }?.missingLabels
  }

  // MARK: Another machine

  mutating func leave(_ member: MemberID) {
    _ = engine.perform(
      ClaimBatch(number: 3, member: member, facts: nil, leaves: true), at: scheduler.now.wall)
  }

  mutating func joinOther(
    lease: Duration = .seconds(600), labels: [String: String] = [:], named name: String = "two",
    clockOffset: Duration = .zero
  ) -> MemberID {
    let reply = engine.perform(
      ClaimBatch(
        number: 1, member: nil,
        facts: MemberFacts(
          machine: name, labels: labels, lease: lease, grace: .seconds(2),
          clockOffset: clockOffset)),
      at: scheduler.now.wall)
    return reply.member ?? MemberID(0)
  }

  mutating func otherAsks(
    _ requests: [ClaimRequest], as member: MemberID, at milliseconds: Int64,
    lease: Duration = .seconds(600), named name: String = "two"
  ) {
    _ = engine.perform(
      ClaimBatch(
        number: 2, member: member,
        facts: MemberFacts(machine: name, lease: lease, grace: .seconds(2)),
        requests: [.declare(self.name, schedule: schedule, isChanged: false)] + requests),
      at: wall(milliseconds))
  }
}
