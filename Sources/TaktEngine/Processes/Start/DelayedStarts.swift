import Glibc
import Synchronization
import TaktCore
import TaktSystem

/// Starts that wait, since the system has no descriptor or no process for them now. Each end of another
/// process may give them one. None keeps another from its start.
///
/// Safe from any thread.
final class DelayedStarts: Sendable {
  struct Start: Sendable {
    var command: Command
    /// The command with all that was looked up for it; nil where that failed.
    let prepared: PreparedCommand?
    /// Why it could not start.
    let failure: StartFailure

    /// A look-up that is refused is none of these: it is its job's own that hang.
    fileprivate var isForWant: Bool {
      guard failure.refusal == nil else { return false }
      return SystemError("", number: failure.number).isWantOfDescriptors
        || failure.number == EAGAIN && failure.stage == .process && prepared != nil
    }
  }

  private struct State {
    var starts: [Start] = []
    /// When a process of takt's ended last.
    var lastEnd: ContinuousClock.Instant?
    var isRetryDue = false
    var reportedAt: ContinuousClock.Instant?
  }

  /// How long a start waits while no process ends, and how long in all.
  private static let patience = Duration.seconds(30)
  private static let waitMax = Duration.seconds(600)
  /// The log has one line in this time.
  private static let reportInterval = Duration.seconds(60)

  private let state = Mutex(State())

  /// Takes a start that has failed, if it did for want of what others give back when they end. False where
  /// it did not, or where it has waited for too long.
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

  /// Whether the log is to have a line now.
  func isReportDue() -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      if let last = state.reportedAt, now < last + Self.reportInterval { return false }
      state.reportedAt = now
      return true
    }
  }

  /// All, the oldest first, to be tried again now: they wait no longer.
  func popAll() -> [Start] {
    state.withLock { state in
      defer { state.starts = [] }
      return state.starts
    }
  }

  /// Takes a start out that is to wait no longer; nil where it does not wait.
  func remove(_ id: ProcessID) -> Start? {
    state.withLock { state in
      guard let index = state.starts.firstIndex(where: { $0.command.id == id }) else { return nil }
      return state.starts.remove(at: index)
    }
  }

  /// A process has ended. True when starts are to be tried again.
  func processEnded() -> Bool {
    state.withLock { state in
      state.lastEnd = .now
      return !state.starts.isEmpty
    }
  }

  /// True where starts wait and nothing else tries them again by the clock.
  func beginRetryWait() -> Bool {
    state.withLock { state in
      guard !state.starts.isEmpty, !state.isRetryDue else { return false }
      state.isRetryDue = true
      return true
    }
  }

  func endRetryWait() { state.withLock { $0.isRetryDue = false } }
}
