import Dispatch
import Synchronization
import TaktCore

/// What those see who look at takt, fed by what the scheduler says anyway. The scheduler hands over
/// what it has and goes on; all the rest is done on a queue of its own.
///
/// Safe from any thread.
///
/// `@unchecked Sendable`: all that changes is touched on `queue` alone: each method that is not private
/// goes there for it, and `tellSoon` is called there only.
public final class ControlBooks: Observer, Ledger, SlotGauge, @unchecked Sendable {
  /// Those who read events are told of new ones so often at most.
  private static let tellInterval = DispatchTimeInterval.milliseconds(20)

  private let queue = DispatchQueue(label: "takt.control.books", qos: .utility)
  private let time: any TimeSource
  private let next: any Ledger
  private var state = ControlState()
  private var watchers: [UInt64: @Sendable () -> Void] = [:]
  private var lastWatcher: UInt64 = 0
  private var isTelling = false
  private let onBegan: @Sendable (RunID) -> Void
  private let onEnded: @Sendable (RunID) -> Void

  /// - Parameters:
  ///   - next: the ledger that keeps the entries.
  ///   - onBegan: told, in the caller's turn, of each run that begins.
  ///   - onEnded: told in the same way of each run that has ended.
  public init(
    next: any Ledger, time: any TimeSource, onBegan: @escaping @Sendable (RunID) -> Void,
    onEnded: @escaping @Sendable (RunID) -> Void
  ) {
    self.next = next
    self.time = time
    self.onBegan = onBegan
    self.onEnded = onEnded
  }

  /// Takes records of the log.
  public func observe(_ records: [LogRecord]) {
    queue.async { [self] in
      state.take(records)
      tellSoon()
    }
  }

  /// Takes entries, and hands them on.
  public func record(_ entries: [LedgerEntry]) {
    for entry in entries {
      switch entry {
      case .began(let run): onBegan(run.run)
      case .ended(let run): onEnded(run.run)
      default: break
      }
    }
    next.record(entries)
    let now = time.now
    queue.async { [self] in state.take(entries, at: now) }
  }

  /// Takes what a reload did.
  public func take(_ report: ReloadReport) {
    queue.async { [self] in state.metrics.take(report) }
  }

  /// Hands the wish on.
  public func whenKept(_ done: @escaping @Sendable () -> Void) { next.whenKept(done) }

  /// Takes a slot that starts.
  public func served(_ start: SlotStart) {
    let wall = time.wall
    queue.async { [self] in state.take(start, at: wall) }
  }

  /// Takes runs that a former takt has ended, the newest first.
  public func take(former runs: [StoredRun]) {
    queue.async { [self] in state.take(former: runs) }
  }

  /// Reads, or changes, after all that was handed over before.
  func read<Sight: Sendable>(
    _ body: @escaping @Sendable (inout ControlState) -> Sight
  ) async -> Sight {
    await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: body(&state)) }
    }
  }

  /// From now on `tell` is called when there are new events, on the books' queue; never twice for
  /// the same ones, and not to be kept long.
  func watch(_ tell: @escaping @Sendable () -> Void) async -> UInt64 {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        lastWatcher += 1
        watchers[lastWatcher] = tell
        continuation.resume(returning: lastWatcher)
      }
    }
  }

  /// Ends a watch.
  func unwatch(_ number: UInt64) {
    queue.async { [self] in watchers[number] = nil }
  }

  /// Tells those who watch, although there may be nothing new.
  func tell() {
    queue.async { [self] in for tell in watchers.values { tell() } }
  }

  private func tellSoon() {
    guard !isTelling, !watchers.isEmpty else { return }
    isTelling = true
    queue.asyncAfter(deadline: .now() + Self.tellInterval) { [self] in
      isTelling = false
      for tell in watchers.values { tell() }
    }
  }
}
