import TaktClaims
import TaktCore
import TaktTesting
import TaktTime

/// Replies of the cluster's database to a machine's batches, separated by zero bytes, and the
/// machine's behaviour while there are replies, and some time after.
struct PostgresReplyTarget: FuzzTarget {
  static let name = "postgres"
  static let summary = "replies of takt.batch in PostgreSQL, and what the scheduler makes of them"

  private let fresh: VirtualScheduler
  private let firstBatches: [ClaimBatch]

  init() throws {
    guard let name = JobName("a"), let other = JobName("b") else {
      preconditionFailure("'a' and 'b' are names")
    }
    var schedule = Schedule()
    schedule.every = Every(.seconds(5), from: .epoch)
    var once = JobSpec(name: name, timing: Timing(schedule: schedule), action: .shell("x"))
    once.delivery = .atLeastOnce
    schedule.every = Every(.seconds(7), from: .end)
    let rests = JobSpec(name: other, timing: Timing(schedule: schedule), action: .shell("x"))
    var scheduler = VirtualScheduler(
      at: FixedTime.start, isPunctual: true,
      core: SchedulerCore(
        cluster: MemberFacts(machine: "one", lease: .seconds(15), grace: .seconds(5))))
    let effects = scheduler.send(.started(Snapshot(jobs: [once, rests])))
    fresh = scheduler
    firstBatches = Self.batches(in: effects)
  }

  private static func batches(in effects: [SchedulerEffect]) -> [ClaimBatch] {
    effects.compactMap { if case .claims(let batch) = $0 { batch } else { nil } }
  }

  mutating func read(_ bytes: [UInt8]) {
    var run = Run(scheduler: fresh, batches: firstBatches)
    for reply in bytes.split(separator: 0, omittingEmptySubsequences: false) {
      run.pass()
      run.answer(String(decoding: reply, as: UTF8.self))
    }
    for _ in 0..<8 { run.pass() }
  }

  /// One machine in virtual time.
  private struct Run {
    var scheduler: VirtualScheduler
    var batches: [ClaimBatch]

    mutating func answer(_ text: String) {
      guard !batches.isEmpty else { return }
      let batch = batches.removeFirst()
      let outcome: ClaimOutcome =
        switch ReplyText.read(text, to: batch) {
        case .reply(let reply): .answered(reply)
        case .otherSchema, nil: .failed(number: batch.number, ClaimFailure("unreadable"))
        }
      send(.claims(outcome))
    }

    /// Performs events that are due in the next seconds, up to a bound.
    mutating func pass() {
      let end = scheduler.now.monotonic + .seconds(4)
      for _ in 0..<20 {
        guard let due = scheduler.next(until: end) else { break }
        for due in due { send(due.event) }
      }
      _ = scheduler.core.clusterView(at: scheduler.now)
    }

    private mutating func send(_ event: SchedulerEvent) {
      let effects = scheduler.send(event)
      batches += PostgresReplyTarget.batches(in: effects)
      for effect in effects {
        switch effect {
        case .start(let request):
          scheduler.setEnd(
            of: request.run, .attempt(.exited(0)), at: scheduler.now.monotonic + .seconds(1))
        case .signal(let run, _):
          scheduler.changeEnd(of: run, .attempt(.signalled(15)), at: scheduler.now.monotonic)
        case .awaitLedger(let run): send(.kept(run))
        case .arm, .holdTimer, .disarm, .record, .claims, .leased, .served, .log, .finish: break
        }
      }
    }
  }
}

/// A page of `takt.audit`, and libpq's messages for a failed connection.
struct PostgresAuditTarget: FuzzTarget {
  static let name = "postgres-audit"
  static let summary = "what takt verify reads from PostgreSQL, and errors of libpq"

  mutating func read(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let message = PostgresMessage.read(text) { $0 }
    _ = PostgresMessage.kind(of: message.words)
    guard let page = PostgresPage(text), let job = JobName("a") else { return }
    var slots = EngineSlots()
    page.add(to: &slots, isFirst: true)
    page.add(to: &slots, isFirst: false)
    EngineAudit.check(slots, of: job)
  }
}
