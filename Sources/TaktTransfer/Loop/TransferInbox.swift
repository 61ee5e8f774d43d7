import CTaktTransfer
import Synchronization

/// Requests of callers to the transfers' thread. Safe from any thread.
final class TransferInbox: Sendable {
  /// A transfer that has not started yet.
  struct Submission: Sendable {
    var id: UInt64
    var deadline: ContinuousClock.Instant
    var makeExchange: @Sendable () -> any Exchange
  }

  /// The library's handle of all transfers.
  ///
  /// `@unchecked Sendable`: the pointer is used on the loop's thread, and by others for the one
  /// call that the library allows from any thread, under the lock that its owner takes before it
  /// frees it.
  struct Multi: @unchecked Sendable {
    var pointer: UnsafeMutableRawPointer
  }

  /// Messages since the last turn.
  struct Mail {
    var submissions: [Submission] = []
    var withdrawn: [UInt64] = []
    var isEmpty: Bool { submissions.isEmpty && withdrawn.isEmpty }
  }

  private struct State {
    var lastID: UInt64 = 0
    /// True if there is a thread, or a caller is starting one.
    var isServed = false
    var multi: Multi?
    var mail = Mail()
  }

  private let state = Mutex(State())

  func nextID() -> UInt64 {
    state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  /// Returns true if the caller is to start the thread.
  func submit(_ submission: Submission) -> Bool {
    state.withLock { state in
      state.mail.submissions.append(submission)
      defer { state.isServed = true }
      wake(state)
      return !state.isServed
    }
  }

  func withdraw(_ id: UInt64) {
    state.withLock { state in
      guard state.isServed else { return }
      state.mail.withdrawn.append(id)
      wake(state)
    }
  }

  private func wake(_ state: State) {
    if let multi = state.multi { ctransfer_multi_wakeup(multi.pointer) }
  }

  /// Allows callers to wake the loop from now on.
  func open(_ multi: Multi) { state.withLock { $0.multi = multi } }

  func drain() -> Mail {
    state.withLock { state in
      defer { state.mail = Mail() }
      return state.mail
    }
  }

  /// Returns true if the thread may end, since there is no mail.
  func closeIfEmpty() -> Bool {
    state.withLock { state in
      guard state.mail.isEmpty else { return false }
      state.isServed = false
      state.multi = nil
      return true
    }
  }

  /// Called without a thread; returns the submissions that nobody serves.
  func close() -> [Submission] {
    state.withLock { state in
      state.isServed = false
      state.multi = nil
      defer { state.mail = Mail() }
      return state.mail.submissions
    }
  }
}
