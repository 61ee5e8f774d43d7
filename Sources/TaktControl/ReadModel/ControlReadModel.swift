import Dispatch
import Synchronization
package import TaktCore
package import TaktTime
import TimerMachine

/// The data for clients, fed by messages that the scheduler sends anyway. The scheduler hands over
/// messages and continues; the rest is done on a separate queue, for many at a time: waking a
/// thread costs more than its work for one. A reader finds everything handed over so far, so that
/// messages may wait for long while nobody watches.
///
/// Safe from any thread.
///
/// `@unchecked Sendable`: except for `inbox`, which has its lock, mutable state is accessed only on
/// `queue`: each method that is not private switches to it, and `enter` is called only there.
package final class ControlReadModel: Observer, Ledger, SlotGauge, @unchecked Sendable {
  /// The time that messages wait for others while somebody watches.
  private static let gathering = Duration.milliseconds(20)
  /// With this many, messages are entered even if nobody watches.
  private static let gatheredMax = 2048

  /// A message that was handed over.
  private enum News {
    case records([LogRecord])
    case entries([LedgerEntry], at: Now)
    case start(SlotStart, at: WallInstant)
    case report(ReloadReport)
    case previous([StoredRun])
    case previousVerdicts([VerdictRecord])

    /// The number of records or entries; output of runs counts by its length.
    var size: Int {
      switch self {
      case .records(let records): records.count
      case .entries(let entries, _): entries.reduce(0) { $0 + 1 + $1.outputBytes / 256 }
      case .start, .report: 1
      case .previous(let runs): runs.count
      case .previousVerdicts(let records): records.count
      }
    }
  }

  private struct Inbox {
    /// Messages that are not entered yet, in order.
    var news: [News] = []
    var size = 0
    var isWatched = false
    /// True if they will be entered without a reader.
    var isEntering = false
    /// Its thread enters the messages. Nil only during `init`.
    var alarm: Alarm?
  }

  private let queue = DispatchQueue(label: "takt.control.books", qos: .utility)
  private let time: any TimeSource
  private let next: any Ledger
  private let inbox = Mutex(Inbox())
  private var state: ControlState
  private var watchers: [UInt64: @Sendable () -> Void] = [:]
  private var lastWatcher: UInt64 = 0
  private let onBegan: @Sendable (RunID) -> Void
  private let onEnded: @Sendable (RunID) -> Void

  /// - Parameters:
  ///   - next: the ledger that stores the entries.
  ///   - settings: the figures of each job that are kept until a reload changes them.
  ///   - onBegan: called synchronously for each run that begins.
  ///   - onEnded: called synchronously for each run that has ended.
  package init(
    next: any Ledger, time: any TimeSource, settings: MetricsSettings = MetricsSettings(),
    onBegan: @escaping @Sendable (RunID) -> Void, onEnded: @escaping @Sendable (RunID) -> Void
  ) {
    self.next = next
    state = ControlState(settings)
    self.time = time
    self.onBegan = onBegan
    self.onEnded = onEnded
    inbox.withLock {
      $0.alarm = Alarm(name: "takt-page", nice: 2) { [weak self] in
        if let self { queue.sync { enter() } }
      }
    }
  }

  /// Notes the delay of a periodic action for some reader.
  func beat(late: Duration) {
    let now = time.wall
    queue.async { [self] in
      enter()
      state.beat(due: now - late, at: now)
    }
  }

  package func observe(_ records: [LogRecord]) { enqueue(.records(records)) }

  /// Takes entries, and passes them on.
  package func record(_ entries: [LedgerEntry]) {
    for entry in entries {
      switch entry {
      case .began(let run): onBegan(run.head.run)
      case .ended(let run): onEnded(run.head.run)
      default: break
      }
    }
    next.record(entries)
    enqueue(.entries(entries, at: time.now))
  }

  package func apply(_ report: ReloadReport) { enqueue(.report(report)) }

  package func whenKept(_ done: @escaping @Sendable () -> Void) { next.whenKept(done) }

  package func served(_ start: SlotStart) { enqueue(.start(start, at: time.wall)) }

  /// Takes runs that a previous daemon ended, newest first.
  package func restore(previous runs: [StoredRun]) { enqueue(.previous(runs)) }

  /// Takes verdicts of previous daemons, newest first.
  package func restore(previous records: [VerdictRecord]) { enqueue(.previousVerdicts(records)) }

  /// Reads, or changes, the state after all earlier messages.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (inout ControlState) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        enter()
        continuation.resume(returning: body(&state))
      }
    }
  }

  /// Calls `notify` for new events, on the read model's queue; never twice for the same ones. It
  /// must return quickly.
  func watch(_ notify: @escaping @Sendable () -> Void) async -> UInt64 {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        lastWatcher += 1
        watchers[lastWatcher] = notify
        inbox.withLock { $0.isWatched = true }
        // Waiting messages are entered now.
        enter()
        continuation.resume(returning: lastWatcher)
      }
    }
  }

  func unwatch(_ number: UInt64) {
    queue.async { [self] in
      watchers[number] = nil
      inbox.withLock { [isWatched = !watchers.isEmpty] in $0.isWatched = isWatched }
    }
  }

  /// Notifies the watchers even without news.
  func notifyWatchers() {
    queue.async { [self] in for notify in watchers.values { notify() } }
  }

  private func enqueue(_ news: News) {
    inbox.withLock { inbox in
      inbox.news.append(news)
      inbox.size += news.size
      let isFull = inbox.size >= Self.gatheredMax
      guard isFull || inbox.isWatched, !inbox.isEntering else { return }
      inbox.isEntering = true
      inbox.alarm?.set(after: isFull ? .zero : Self.gathering)
    }
  }

  /// Enters the messages, and notifies the watchers of new events.
  private func enter() {
    let gathered = inbox.withLock { inbox in
      defer {
        inbox.news = []
        inbox.size = 0
        inbox.isEntering = false
      }
      return inbox.news
    }
    let last = state.ring.last
    for news in gathered {
      switch news {
      case .records(let records): state.apply(records)
      case .entries(let entries, let now): state.apply(entries, at: now)
      case .start(let start, let wall): state.apply(start, at: wall)
      case .report(let report):
        state.metrics.count(report)
        if let plan = report.plan { state.adopt(plan.settings.metrics) }
      case .previous(let runs): state.restore(previous: runs)
      case .previousVerdicts(let records): state.restore(previous: records)
      }
    }
    if state.ring.last > last { for notify in watchers.values { notify() } }
  }
}

extension LedgerEntry {
  /// The bytes of a run's output in it.
  fileprivate var outputBytes: Int {
    switch self {
    case .attemptOutput(_, _, let output, _): output.head.count + output.tail.count
    case .ended(let record): record.totals.output.head.count + record.totals.output.tail.count
    default: 0
    }
  }
}
