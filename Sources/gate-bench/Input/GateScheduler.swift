import TaktCore
import TaktTime

/// The scheduler core in virtual time: each job's timer fires when it is due, and each run succeeds
/// at once.
///
/// Not on `VirtualScheduler`, whose wake table would be counted with the core.
struct GateScheduler {
  private(set) var core = SchedulerCore()
  private(set) var now = FixedTime.start
  /// How many slots have run.
  private(set) var slotCount = 0
  /// What one slot wants kept, a slot after the other; first what the start does.
  private(set) var entries: [[LedgerEntry]] = []
  private(set) var records: [LogRecord] = []
  private(set) var starts: [SlotStart] = []

  private var timers: [JobID: Timer] = [:]
  private var effects: [SchedulerEffect] = []
  private let isKeeping: Bool

  private struct Timer {
    var deadline: MonotonicInstant
    var token: UInt64
  }

  /// A scheduler that has started.
  ///
  /// - Parameter isKeeping: whether what the core says is kept, or dropped.
  init(_ snapshot: Snapshot, isKeeping: Bool) {
    self.isKeeping = isKeeping
    _ = handle(.started(snapshot))
  }

  /// The jobs whose timers are armed, in the order in which they fire.
  var dueJobs: [JobID] {
    timers.sorted { ($0.value.deadline, $0.value.token) < ($1.value.deadline, $1.value.token) }
      .map(\.key)
  }

  /// Lets so many slots come, in the order in which they are due.
  mutating func serve(_ count: Int) {
    for _ in 0..<count { serve(Array(dueJobs.prefix(1))) }
  }

  /// Lets the timers of these jobs fire, one after the other, and their runs end.
  mutating func serve(_ ids: [JobID]) {
    for id in ids {
      guard let timer = timers[id] else { continue }
      move(to: timer.deadline)
      if let run = handle(.timerFired(.job(id), token: timer.token)) {
        slotCount += 1
        _ = handle(.attemptEnded(run, AttemptReport(.exited(0))))
      }
    }
  }

  mutating func reload(_ plan: ReloadPlan) { _ = handle(.reloaded(plan)) }

  /// Returns the run that is started, if one is.
  private mutating func handle(_ event: SchedulerEvent) -> RunID? {
    core.handle(event, at: now, into: &effects)
    let started = take(effects)
    effects.removeAll(keepingCapacity: true)
    return started
  }

  private mutating func move(to instant: MonotonicInstant) {
    let step = max(.zero, instant - now.monotonic)
    now = Now(wall: now.wall + step, monotonic: now.monotonic + step)
  }

  private mutating func take(_ effects: [SchedulerEffect]) -> RunID? {
    var turn: [LedgerEntry] = []
    var started: RunID?
    for place in effects.indices {
      switch effects[place] {
      case .arm(.job(let id), let deadline, _, let token):
        timers[id] = Timer(deadline: deadline, token: token)
      case .disarm(.job(let id)): timers[id] = nil
      case .start(let request): started = request.run
      case .record(let entry): if isKeeping { turn.append(entry) }
      case .log(let record): if isKeeping { records.append(record) }
      case .served(let start): if isKeeping { starts.append(start) }
      case .arm, .disarm, .signal, .awaitLedger, .finish: break
      }
    }
    if isKeeping { entries.append(turn) }
    return started
  }
}
