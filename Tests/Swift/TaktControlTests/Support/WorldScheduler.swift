import Dispatch
import Synchronization
import TaktTime

@testable import TaktControl
@testable import TaktCore

/// Both clocks of a world: those of its scheduler.
final class WorldClock: TimeSource {
  private let state: Mutex<Now>

  init(_ now: Now) { state = Mutex(now) }

  var now: Now { state.withLock { $0 } }
  var wall: WallInstant { now.wall }
  var monotonic: MonotonicInstant { now.monotonic }

  func set(_ now: Now) { state.withLock { $0 = now } }
}

/// A scheduler in virtual time, on a queue of its own. Attempts end when a test says so.
final class WorldScheduler: SchedulerControl {
  private struct State {
    var scheduler: VirtualScheduler
    var requests: [AttemptRequest] = []
    var engine = MemoryEngine()
    /// The failure of the cluster's engine; nil while it answers.
    var engineFailure: ClaimFailure?
    var isSilent = false
    var unanswered: [@Sendable () -> Void] = []
  }

  private let clock: WorldClock
  private let readModel: ControlReadModel
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "test.scheduler")

  init(clock: WorldClock, readModel: ControlReadModel, cluster: MemberFacts? = nil) {
    self.clock = clock
    self.readModel = readModel
    state = Mutex(
      State(
        scheduler: VirtualScheduler(
          at: clock.now, isPunctual: true,
          core: cluster.map { SchedulerCore(cluster: $0) } ?? SchedulerCore())))
  }

  /// Performs a batch of other machines on the cluster's engine.
  @discardableResult
  func others(_ batch: ClaimBatch) -> ClaimReply {
    queue.sync { state.withLock { $0.engine.perform(batch, at: clock.wall) } }
  }

  /// From now on the cluster's engine fails like this; nil ends that.
  func failEngine(_ failure: ClaimFailure?) { state.withLock { $0.engineFailure = failure } }

  /// The requests of started attempts, the oldest first.
  var requests: [AttemptRequest] { state.withLock { $0.requests } }

  /// From now on no request is answered; requests wait until `speak`.
  func fallSilent() { state.withLock { $0.isSilent = true } }

  func speak() {
    let unanswered = state.withLock { state in
      defer { (state.isSilent, state.unanswered) = (false, []) }
      return state.unanswered
    }
    for answer in unanswered { answer() }
  }

  /// Hands the scheduler an event.
  func send(_ event: SchedulerEvent) { queue.sync { handle(event) } }

  func end(_ run: RunID, _ result: AttemptResult = .exited(0), printed text: String = "") {
    queue.sync { finish(run, result, KeptOutput(head: Array(text.utf8))) }
  }

  /// Lets time pass, with all events that are due.
  func pass(_ duration: Duration) {
    queue.sync {
      let end = clock.monotonic + duration
      while let due = advance(until: end) { for due in due { handle(due.event) } }
    }
  }

  /// Lets time pass while nothing can fire; events that were due happen at the end.
  func stall(_ duration: Duration) {
    queue.sync {
      state.withLock { state in
        state.scheduler.pass(duration)
        clock.set(state.scheduler.now)
      }
      while let due = advance(until: clock.monotonic) { for due in due { handle(due.event) } }
    }
  }

  /// Waits until there is a request without an answer.
  func awaitUnanswered() async {
    while state.withLock(\.unanswered.isEmpty) { await Task.yield() }
  }

  /// The clock moves to the next due event, or to `end` if there is none.
  private func advance(until end: MonotonicInstant) -> [VirtualScheduler.Due]? {
    state.withLock { state in
      defer { clock.set(state.scheduler.now) }
      return state.scheduler.next(until: end)
    }
  }

  func perform(
    _ command: SchedulerCommand, reply: @escaping @Sendable (SchedulerReply) -> Void
  ) {
    queue.async { [self] in
      let (answer, effects) = state.withLock { $0.scheduler.perform(command) }
      perform(effects)
      reply(answer)
    }
  }

  func query<Value: Sendable>(
    _ question: @escaping @Sendable (SchedulerCore, Now) -> Value,
    reply: @escaping @Sendable (Value) -> Void
  ) {
    queue.async { [self] in
      let core: SchedulerCore? = state.withLock { state in
        guard state.isSilent else { return state.scheduler.core }
        state.unanswered.append { [weak self] in self?.query(question, reply: reply) }
        return nil
      }
      if let core { reply(question(core, clock.now)) }
    }
  }

  private func handle(_ event: SchedulerEvent) {
    perform(state.withLock { $0.scheduler.send(event) })
  }

  private func finish(_ run: RunID, _ result: AttemptResult, _ kept: KeptOutput = KeptOutput()) {
    let facts = OutputFacts(stdoutBytes: kept.head.count, kept: kept)
    handle(.actionEnded(run, AttemptReport(result, output: facts)))
  }

  private func perform(_ effects: [SchedulerEffect]) {
    var next: [() -> Void] = []
    for effect in effects {
      switch effect {
      case .start(let request): state.withLock { $0.requests.append(request) }
      case .record(let entry): readModel.record(entry)
      case .served(let start): readModel.served(start)
      case .log(let record): readModel.observe(record)
      // A process ends at once on a signal.
      case .signal(let run, let signal):
        next.append { self.finish(run, .signalled(signal == .kill ? 9 : 15)) }
      case .awaitLedger(let run): next.append { self.handle(.kept(run)) }
      case .claims(let batch): next.append { self.handle(.claims(self.carry(batch))) }
      case .arm, .holdTimer, .disarm, .leased, .finish: break
      }
    }
    for next in next { next() }
  }

  private func carry(_ batch: ClaimBatch) -> ClaimOutcome {
    state.withLock { state in
      if let failure = state.engineFailure { return .failed(number: batch.number, failure) }
      return .answered(state.engine.perform(batch, at: clock.wall))
    }
  }
}
