import Glibc
import Synchronization
import TaktCore
import TaktSystem

/// Starts that wait because the system has no descriptor or no process for them now. Each end of
/// another process may free one. None delays another.
///
/// Safe from any thread.
final class DelayedStarts: Sendable {
  struct Start: Sendable {
    var command: Command
    /// The command with all that was looked up for it; nil if that failed.
    let prepared: PreparedCommand?
    let failure: StartFailure

    /// A refused look-up is none of these: the job has look-ups of its own that hang.
    fileprivate var isForWant: Bool {
      guard failure.refusal == nil else { return false }
      return SystemError("", number: failure.number).isWantOfDescriptors
        || failure.number == EAGAIN && failure.stage == .process && prepared != nil
    }
  }

  private struct State {
    var starts: [Start] = []
    /// The last end of a process of takt's.
    var lastEnd: ContinuousClock.Instant?
    var isRetryDue = false
    var reportedAt: ContinuousClock.Instant?
  }

  /// The time a start waits while no process ends, and the time in all.
  private static let patience = Duration.seconds(30)
  private static let waitMax = Duration.seconds(600)
  /// The minimum time between two log lines.
  private static let reportInterval = Duration.seconds(60)

  private let state = Mutex(State())

  /// Adds a start that has failed because resources ran out that others free when they end. False
  /// if it failed for another reason, or has waited for too long.
  func add(_ start: Start) -> Bool {
    guard start.isForWant else { return false }
    return state.withLock { state in
      let now = ContinuousClock.now
      let since = start.command.delayedSince ?? now
      let last = max(since, state.lastEnd ?? since)
      guard now < min(last + Self.patience, since + Self.waitMax) else { return false }
      var start = start
      start.command.delayedSince = since
      state.starts.append(start)
      return true
    }
  }

  func isReportDue() -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      if let last = state.reportedAt, now < last + Self.reportInterval { return false }
      state.reportedAt = now
      return true
    }
  }

  /// Takes all out, the oldest first, to be tried again now.
  func popAll() -> [Start] {
    state.withLock { state in
      defer { state.starts = [] }
      return state.starts
    }
  }

  func remove(_ id: ProcessID) -> Start? {
    state.withLock { state in
      guard let index = state.starts.firstIndex(where: { $0.command.id == id }) else { return nil }
      return state.starts.remove(at: index)
    }
  }

  /// Called when a process has ended. True if starts are to be tried again.
  func processEnded() -> Bool {
    state.withLock { state in
      state.lastEnd = .now
      return !state.starts.isEmpty
    }
  }

  /// True if starts wait and no retry is scheduled.
  func beginRetryWait() -> Bool {
    state.withLock { state in
      guard !state.starts.isEmpty, !state.isRetryDue else { return false }
      state.isRetryDue = true
      return true
    }
  }

  func endRetryWait() { state.withLock { $0.isRetryDue = false } }
}
