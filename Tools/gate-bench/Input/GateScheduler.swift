import TaktCore
import TaktTesting
import TaktTime

/// The scheduler core in virtual time: each job's timer fires when it is due, and each run succeeds
/// at once.
///
/// Not on `VirtualScheduler`, whose wake table would be counted with the core.
struct GateScheduler {
  private(set) var core = SchedulerCore()
  private(set) var now = FixedTime.start
  private(set) var slotCount = 0
  /// The entries of one slot after the other; the first are those of the start.
  private(set) var entries: [[LedgerEntry]] = []
  private(set) var records: [LogRecord] = []
  private(set) var starts: [SlotStart] = []

  /// By the jobs' numbers.
  private var timers: [Timer?] = []
  private var effects: [SchedulerEffect] = []
  private let isKeeping: Bool

  private struct Timer {
    var deadline: MonotonicInstant
    var token: UInt64
  }

  /// A scheduler that has started.
  ///
  /// - Parameter isKeeping: true to keep the core's entries and records, false to drop them.
  init(_ snapshot: Snapshot, isKeeping: Bool) {
    self.isKeeping = isKeeping
    _ = handle(.started(snapshot))
  }

  /// The jobs whose timers are armed, in the order in which they fire.
  var dueJobs: [JobID] {
    timers.enumerated().compactMap { index, timer in
      timer.map { (id: JobID(index: UInt32(index)), timer: $0) }
    }
    .sorted { ($0.timer.deadline, $0.timer.token) < ($1.timer.deadline, $1.timer.token) }
    .map(\.id)
  }

  /// Runs this many slots, in the order in which they are due.
  mutating func serve(_ count: Int) {
    for _ in 0..<count { serve(Array(dueJobs.prefix(1))) }
  }

  /// Lets the timers of these jobs fire, one after the other, and their runs end.
  mutating func serve(_ ids: [JobID]) {
    for id in ids {
      guard let timer = timers[Int(id.index)] else { continue }
      move(to: timer.deadline)
      if let run = handle(.timerFired(.job(id), token: timer.token)) {
        slotCount += 1
        _ = handle(.actionEnded(run, AttemptReport(.exited(0))))
      }
    }
  }

  mutating func reload(_ plan: ReloadPlan) { _ = handle(.reloaded(plan)) }

  /// Returns the run that is started, if one is.
  private mutating func handle(_ event: SchedulerEvent) -> RunID? {
    core.handle(event, at: now, into: &effects)
    if isKeeping { keep() }
    var started: RunID?
    for place in effects.indices {
      switch effects[place] {
      case .arm(.job(let id), let deadline, _, _, let token):
        while timers.count <= Int(id.index) { timers.append(nil) }
        timers[Int(id.index)] = Timer(deadline: deadline, token: token)
      case .holdTimer(let id, _), .disarm(.job(let id)): timers[Int(id.index)] = nil
      case .start(let request): started = request.run
      case .arm, .disarm, .signal, .record, .awaitLedger, .claims, .leased, .served, .log,
        .finish:
        break
      }
    }
    effects.removeAll(keepingCapacity: true)
    return started
  }

  private mutating func keep() {
    var turn: [LedgerEntry] = []
    for effect in effects {
      switch effect {
      case .record(let entry): turn.append(entry)
      case .log(let record): records.append(record)
      case .served(let start): starts.append(start)
      case .arm, .holdTimer, .disarm, .start, .signal, .awaitLedger, .claims, .leased,
        .finish:
        break
      }
    }
    entries.append(turn)
  }

  private mutating func move(to instant: MonotonicInstant) {
    guard instant > now.monotonic else { return }
    let step = instant - now.monotonic
    now = Now(wall: now.wall + step, monotonic: now.monotonic + step)
  }
}
