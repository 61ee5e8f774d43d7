import Dispatch
package import TaktCore
package import TimerMachine
package import TaktTime

/// The shell round the core: it feeds events and performs effects, on one serial queue, and nothing
/// else.
///
/// Safe from any thread.
///
/// `@unchecked Sendable`: all that changes is touched on the queue of `turns` alone, and `handle`, the
/// one way in, checks that it is there; `obey` and `look` go there as well.
package final class Scheduler: SchedulerControl, @unchecked Sendable {
  private let turns: TurnQueue
  private let factory: any TimerFactory
  private let time: any TimeSource
  private let ledger: any Ledger
  private let log: TurnLog
  private let gauge: (any SlotGauge)?
  private let onFinish: @Sendable () -> Void
  private let cluster: (any ClusterPort)?
  private var core = SchedulerCore()
  private lazy var timers = TimerBoard(queue: turns.queue, factory: factory, observer: log) {
    [weak self] id in self?.fired(id)
  }
  private var runner: (any ActionRunner)?
  /// Attempts that this turn has made.
  private var starting: [AttemptRequest] = []
  /// What this turn wants kept, and whose runs wait for that.
  private var entries: [LedgerEntry] = []
  private var awaiting: [RunID] = []
  private var isTurnOpen = false
  /// So many effects come of an event that brings many jobs; their lists are not kept.
  private static let manyEffects = 4096
  /// What one event wants done; the same list for all of them.
  private var effects: [SchedulerEffect] = []

  /// A scheduler that waits for `start`.
  ///
  /// - Parameters:
  ///   - turns: where everything is decided; timers of `factory` are delivered on its queue.
  ///   - gauge: is told of each slot that starts; nil where nobody measures.
  ///   - cluster: the machines that share jobs with this one; nil for none.
  ///   - onFinish: called once on that queue, when a stop is complete.
  package init(
    turns: TurnQueue, factory: any TimerFactory, ledger: any Ledger, observer: any Observer,
    gauge: (any SlotGauge)? = nil, cluster: (any ClusterPort)? = nil,
    onFinish: @escaping @Sendable () -> Void
  ) {
    self.cluster = cluster
    if let cluster { core.join(cluster.facts) }
    self.turns = turns
    self.gauge = gauge
    self.factory = factory
    time = factory.time
    self.ledger = ledger
    self.onFinish = onFinish
    log = TurnLog(observer: observer)
  }

  /// Begins with this set of jobs, whose runs `runner` does, where a previous daemon has left off.
  package func start(_ snapshot: Snapshot, after previous: PreviousState, runner: any ActionRunner)
  {
    turns.perform { [self] in
      self.runner = runner
      handle(.started(snapshot, after: previous))
    }
  }

  package func send(_ event: SchedulerEvent) {
    send([event])
  }

  /// Handles events, in their order, as soon as the queue is free.
  package func send(_ events: [SchedulerEvent]) {
    guard !events.isEmpty else { return }
    turns.perform { [self] in for event in events { handle(event) } }
  }

  /// Does what somebody wants as soon as the queue is free.
  package func perform(
    _ command: SchedulerCommand, reply: @escaping @Sendable (SchedulerReply) -> Void
  ) {
    turns.perform { [self] in
      openTurn()
      let (answer, effects) = core.perform(command, at: time.now)
      for effect in effects { perform(effect) }
      reply(answer)
    }
  }

  /// Looks at the core as soon as the queue is free.
  package func query<Value: Sendable>(
    _ question: @escaping @Sendable (SchedulerCore, Now) -> Value,
    reply: @escaping @Sendable (Value) -> Void
  ) {
    turns.perform { [self] in reply(question(core, time.now)) }
  }

  private func handle(_ event: SchedulerEvent) {
    dispatchPrecondition(condition: .onQueue(turns.queue))
    openTurn()
    core.handle(event, at: time.now, into: &effects)
    if effects.count >= Self.manyEffects {
      entries.reserveCapacity(entries.count + effects.count)
    }
    // Taken out: what is performed may not change the list that is gone through.
    var list: [SchedulerEffect] = []
    swap(&list, &effects)
    perform(list)
    list.removeAll(keepingCapacity: list.count < Self.manyEffects)
    effects = list
  }

  /// A wake serves many jobs, each in a call of its own. What they log and start goes on at once
  /// when the queue is done with them.
  private func openTurn() {
    guard !isTurnOpen else { return }
    isTurnOpen = true
    turns.perform { [self] in
      isTurnOpen = false
      if cluster != nil { flushClaims() }
      flush()
    }
  }

  /// The log first: what a run prints comes after its start. Then the ledger: what is to start is
  /// on its way there before it does.
  private func flush() {
    log.flush()
    flushLedger()
    guard !starting.isEmpty else { return }
    let requests = starting
    starting = []
    runner?.start(requests)
  }

  /// All that a turn wants of the cluster's engine goes there together.
  private func flushClaims() {
    var effects: [SchedulerEffect] = []
    core.endTurn(at: time.now, into: &effects)
    perform(effects)
  }

  private func flushLedger() {
    if !entries.isEmpty {
      ledger.record(entries)
      entries.removeAll(keepingCapacity: entries.count < Self.manyEffects)
    }
    for run in awaiting { ledger.whenKept { [self] in send(.kept(run)) } }
    awaiting = []
  }

  private func perform(_ effects: [SchedulerEffect]) {
    // Lent, not copied out of the list: the gate's `run`.
    let span = effects.span
    for place in span.indices { perform(span[place]) }
  }

  private func perform(_ effect: SchedulerEffect) {
    switch effect {
    case .arm(let timer, let deadline, let due, let leeway, let token):
      timers.arm(timer, at: deadline, due: due, leeway: leeway, token: token) { key(of: timer) }
    case .holdTimer(let job, let rest): timers.hold(job, rest) { key(of: .job(job)) }
    case .disarm(let timer):
      timers.disarm(timer, as: core.phase == .running ? .removed : .stopping)
    case .start(let request): starting.append(request)
    case .signal(let run, let signal):
      flush()
      runner?.stop(run, signal: signal)
    case .record(let entry): entries.append(entry)
    case .awaitLedger(let run): awaiting.append(run)
    case .log(let record): log.observe(record)
    case .claims(let batch): cluster?.send(batch)
    case .leased(let batch, let duration): cluster?.leased(batch: batch, for: duration)
    case .served(let start): gauge?.served(start)
    case .finish:
      log.flush()
      flushLedger()
      onFinish()
    }
  }

  private func fired(_ timer: TimerID) {
    guard let token = timers.token(of: timer) else { return }
    handle(.timerFired(timer, token: token))
  }

  /// What the log calls a timer.
  private func key(of timer: TimerID) -> TimerKey {
    switch timer {
    case .job(let id): .job(core.jobName(of: id))
    case .pause(let id): .pause(core.jobName(of: id))
    case .freshness(let id): .freshness(core.jobName(of: id))
    case .run(let run): .run(run)
    case .expected(let run): .expected(run)
    case .placement: .cluster
    case .shutdown: .shutdown
    }
  }
}

/// Collects the records of one turn of the scheduler's queue and hands them over together: a wake
/// that serves a hundred jobs wakes the writer once.
///
/// `@unchecked Sendable`: what changes is touched on the scheduler's queue alone, where the core's
/// effects are performed and the timer machines are operated and claimed.
final class TurnLog: Observer, @unchecked Sendable {
  /// A turn with more records hands them over in several goes.
  private static let recordsMax = 4096

  private let observer: any Observer
  private var records: [LogRecord] = []

  init(observer: any Observer) {
    self.observer = observer
  }

  func observe(_ records: [LogRecord]) {
    self.records += records
    if self.records.count >= Self.recordsMax { flush() }
  }

  func observe(_ record: LogRecord) {
    records.append(record)
    if records.count >= Self.recordsMax { flush() }
  }

  func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool {
    observer.wants(level, routine: isRoutine)
  }

  func flush() {
    guard !records.isEmpty else { return }
    observer.observe(records)
    records.removeAll(keepingCapacity: true)
  }
}
