import Dispatch
package import TaktCore
package import TimerMachine
package import TaktTime

/// The shell around the core: it only feeds events and performs effects, on one serial queue.
///
/// Safe from any thread.
///
/// `@unchecked Sendable`: all mutable state is touched only on the queue of `turns`, and `handle`,
/// which takes all events, checks that it is there; `perform` and `query` go there as well.
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
  /// The ledger entries of this turn, and the runs that wait for them.
  private var entries: [LedgerEntry] = []
  private var awaiting: [RunID] = []
  private var isTurnOpen = false
  /// The number of effects of an event that brings many jobs; longer lists are not kept.
  private static let manyEffects = 4096
  /// The effects of one event; the same list for all events.
  private var effects: [SchedulerEffect] = []

  /// A scheduler that waits for `start`.
  ///
  /// - Parameters:
  ///   - turns: the queue of all decisions; timers of `factory` are delivered on it.
  ///   - gauge: gets each slot that starts; nil without measurements.
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

  /// Starts with this set of jobs, run by `runner`, from the state that the previous daemon has
  /// left.
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

  /// Handles events, in order, as soon as the queue is free.
  package func send(_ events: [SchedulerEvent]) {
    guard !events.isEmpty else { return }
    turns.perform { [self] in for event in events { handle(event) } }
  }

  /// Performs a command as soon as the queue is free.
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

  /// Reads the core as soon as the queue is free.
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
    // Taken out: the list must not change while it is iterated.
    var list: [SchedulerEffect] = []
    swap(&list, &effects)
    perform(list)
    list.removeAll(keepingCapacity: list.count < Self.manyEffects)
    effects = list
  }

  /// A wake-up serves many jobs, each in a call of its own. Their log records and starts are passed
  /// on together when the queue is done with them.
  private func openTurn() {
    guard !isTurnOpen else { return }
    isTurnOpen = true
    turns.perform { [self] in
      isTurnOpen = false
      if cluster != nil { flushClaims() }
      flush()
    }
  }

  /// The log first: a run's output comes after its start. Then the ledger: the entry of a start is
  /// on its way there before the start.
  private func flush() {
    log.flush()
    flushLedger()
    guard !starting.isEmpty else { return }
    let requests = starting
    starting = []
    runner?.start(requests)
  }

  /// Sends all requests of a turn to the cluster's engine together.
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
    // Borrowed, not copied out of the list, for the performance gate's `run`.
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

/// Collects the records of one turn of the scheduler's queue and passes them on together: a wake-up
/// for a hundred jobs wakes the writer once.
///
/// `@unchecked Sendable`: mutable state is touched only on the scheduler's queue, where the core's
/// effects are performed and the timer machines are used.
final class TurnLog: Observer, @unchecked Sendable {
  /// A turn with more records passes them on in several batches.
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
