import Dispatch
import Synchronization
package import TaktCore
package import TaktTime
import TimerMachine

/// What those see who look at takt, fed by what the scheduler says anyway. The scheduler hands over
/// what it has and goes on; all the rest is done on a queue of its own, for many at a time: to wake a
/// thread costs more than what it would do for one. A reader finds all that was handed over, so
/// that it may wait for long when nobody watches.
///
/// Safe from any thread.
///
/// `@unchecked Sendable`: but for `inbox`, which has its lock, all that changes is touched on `queue`
/// alone: each method that is not private goes there for it, and `enter` is called there only.
package final class ControlReadModel: Observer, Ledger, SlotGauge, @unchecked Sendable {
  /// How long what is handed over waits for more when somebody watches.
  private static let gathering = Duration.milliseconds(20)
  /// When this much is there, it is entered although nobody watches.
  private static let gatheredMax = 2048

  /// Something that was handed over.
  private enum News {
    case records([LogRecord])
    case entries([LedgerEntry], at: Now)
    case start(SlotStart, at: WallInstant)
    case report(ReloadReport)
    case previous([StoredRun])
    case previousVerdicts([VerdictRecord])

    /// How many records or entries it is; what runs have printed counts by its length.
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
    /// What is not in the ledger yet, in its order.
    var news: [News] = []
    var size = 0
    var isWatched = false
    /// It will be entered without anybody asking.
    var isEntering = false
    /// Its thread enters the news. Nil only during `init`.
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
  ///   - next: the ledger that keeps the entries.
  ///   - settings: which figures of each job are kept until a reload says otherwise.
  ///   - onBegan: told, in the caller's turn, of each run that begins.
  ///   - onEnded: told in the same way of each run that has ended.
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

  /// What takt does every few seconds for some reader was late by so much.
  func beat(late: Duration) {
    let now = time.wall
    queue.async { [self] in
      enter()
      state.beat(due: now - late, at: now)
    }
  }

  package func observe(_ records: [LogRecord]) { enqueue(.records(records)) }

  /// Takes entries, and hands them on.
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

  /// Takes runs that a previous daemon ended, the newest first.
  package func restore(previous runs: [StoredRun]) { enqueue(.previous(runs)) }

  /// Takes verdicts of previous daemons, the newest first.
  package func restore(previous records: [VerdictRecord]) { enqueue(.previousVerdicts(records)) }

  /// Reads, or changes, after all that was handed over before.
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

  /// From now on `notify` is called when there are new events, on the read model's queue; never
  /// twice for the same ones, and not to be kept long.
  func watch(_ notify: @escaping @Sendable () -> Void) async -> UInt64 {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        lastWatcher += 1
        watchers[lastWatcher] = notify
        inbox.withLock { $0.isWatched = true }
        // What has waited until now waits no longer.
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

  /// Tells those who watch, although there may be nothing new.
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

  /// Enters what was handed over, and tells those who watch of new events.
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
  /// How much of what a run has printed is in it.
  fileprivate var outputBytes: Int {
    switch self {
    case .attemptOutput(_, _, let output, _): output.head.count + output.tail.count
    case .ended(let record): record.totals.output.head.count + record.totals.output.tail.count
    default: 0
    }
  }
}
