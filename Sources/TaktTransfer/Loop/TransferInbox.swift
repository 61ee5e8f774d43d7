import CTaktTransfer
import Synchronization

/// What callers ask of the thread of the transfers. Safe from any thread.
final class TransferInbox: Sendable {
  /// A transfer that nobody has begun yet.
  struct Submission: Sendable {
    var id: UInt64
    var deadline: ContinuousClock.Instant
    var makeExchange: @Sendable () -> any Exchange
  }

  /// The library's handle of all transfers.
  ///
  /// `@unchecked Sendable`: the pointer is used on the loop's thread, and by others for the one call
  /// that the library allows from any thread, under the lock that its owner takes before it goes.
  struct Multi: @unchecked Sendable {
    var pointer: UnsafeMutableRawPointer
  }

  /// What has come since the last turn.
  struct Mail {
    var submissions: [Submission] = []
    var withdrawn: [UInt64] = []
    var isEmpty: Bool { submissions.isEmpty && withdrawn.isEmpty }
  }

  private struct State {
    var lastID: UInt64 = 0
    /// Whether there is a thread, or somebody makes one.
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

  /// True when the caller is to start the thread.
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

  /// The loop can be woken from now on.
  func open(_ multi: Multi) { state.withLock { $0.multi = multi } }

  func drain() -> Mail {
    state.withLock { state in
      defer { state.mail = Mail() }
      return state.mail
    }
  }

  /// The thread ends, unless something has come. True when it may.
  func closeIfEmpty() -> Bool {
    state.withLock { state in
      guard state.mail.isEmpty else { return false }
      state.isServed = false
      state.multi = nil
      return true
    }
  }

  /// There is no thread; what nobody serves is handed back.
  func close() -> [Submission] {
    state.withLock { state in
      state.isServed = false
      state.multi = nil
      defer { state.mail = Mail() }
      return state.mail.submissions
    }
  }
}
