import Dispatch
import Synchronization
import TaktCore
import TaktSystem

/// Hands batches to a carrier on a thread of its own, and answers each once, in order, and by its
/// deadline, whatever that thread is doing.
///
/// Answers come from one serial queue, on which the deadlines are kept too. Nobody waits for the
/// thread: its reply to a batch after the deadline is dropped. Safe from any thread.
final class BatchQueue: Sendable {
  private struct Entry: Sendable {
    var id: UInt64
    var batch: ClaimBatch
    var deadline: ContinuousClock.Instant
    var isStarted = false
  }

  /// The deadlines' timer.
  ///
  /// `@unchecked Sendable`: it is used on the queue of the answers alone, once `init` has made it.
  private struct Alarm: @unchecked Sendable {
    let source: any DispatchSourceTimer
  }

  private struct State {
    /// Unanswered batches. Deadlines ascend, as all batches are given the same time.
    var entries: [Entry] = []
    var lastID: UInt64 = 0
    var hasThread = false
    /// The deadlines' timer is set, or about to be: perhaps for a batch that has been answered
    /// since.
    var isArmed = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)
  private let answers = DispatchQueue(label: "takt.claims.answers")
  private let alarm: Alarm
  private let patience: Duration
  /// The carrier finishes this long before the deadline, since it knows more about a failure.
  private var haste: Duration { min(patience / 20, .milliseconds(250)) }
  private let makeCarrier: @Sendable () -> any BatchCarrier
  private let lateness: @Sendable () -> ClaimFailure
  private let onOutcome: @Sendable (ClaimOutcome) -> Void

  /// - Parameters:
  ///   - patience: the longest time from `send` to the answer.
  ///   - lateness: the failure of a batch that has missed its deadline.
  ///   - makeCarrier: called once, on the thread.
  init(
    patience: Duration, lateness: @escaping @Sendable () -> ClaimFailure,
    onOutcome: @escaping @Sendable (ClaimOutcome) -> Void,
    makeCarrier: @escaping @Sendable () -> any BatchCarrier
  ) {
    self.patience = patience
    self.lateness = lateness
    self.onOutcome = onOutcome
    self.makeCarrier = makeCarrier
    alarm = Alarm(source: DispatchSource.makeTimerSource(queue: answers))
    alarm.source.setEventHandler { [weak self] in self?.expire() }
    alarm.source.activate()
  }

  /// Returns at once.
  func send(_ batch: ClaimBatch) {
    let needsThread = state.withLock { state -> Bool in
      guard !state.isClosed else {
        answer(.failed(number: batch.number, Self.closed))
        return false
      }
      state.lastID += 1
      state.entries.append(
        Entry(id: state.lastID, batch: batch, deadline: ContinuousClock.now + patience))
      if !state.isArmed {
        state.isArmed = true
        answers.async { self.arm() }
      }
      defer { state.hasThread = true }
      return !state.hasThread
    }
    arrived.signal()
    guard needsThread else { return }
    do throws(SystemError) {
      try Thread.start(name: "takt-claims") { self.serve() }
    } catch {
      let text = SystemError.text(error.number)
      refuseAll(ClaimFailure("The system gives takt no thread for its claims: \(text)."))
    }
  }

  /// Fails all unanswered batches. Waits for nothing.
  func close() {
    state.withLock { $0.isClosed = true }
    refuseAll(Self.closed)
    answers.async { [alarm] in alarm.source.cancel() }
    arrived.signal()
  }

  private static let closed = ClaimFailure("The connection to the cluster's engine is closed.")

  /// Called without a thread, or without more work for it.
  private func refuseAll(_ failure: ClaimFailure) {
    state.withLock { state in
      for entry in state.entries {
        answer(.failed(number: entry.batch.number, failure))
      }
      state.entries = []
      if !state.isClosed { state.hasThread = false }
    }
  }

  /// Called with the lock, so that answers are in the order of the batches.
  private func answer(_ outcome: ClaimOutcome) {
    answers.async { [onOutcome] in onOutcome(outcome) }
  }

  // MARK: Deadlines, on the queue

  /// The timer is set for the oldest batch, and left running when that is answered: it would have
  /// to be set again for each. An idle driver causes no wake-ups.
  private func arm() {
    let next = state.withLock { state in
      state.isArmed = !state.entries.isEmpty
      return state.entries.first?.deadline
    }
    guard let next else { return }
    let left = min(max(next - .now, .zero), .seconds(365 * 86_400))
    // A millisecond later rather than earlier: it would only be armed again.
    alarm.source.schedule(deadline: .now() + .milliseconds(Int(left / .milliseconds(1)) + 1))
  }

  private func expire() {
    let now = ContinuousClock.now
    state.withLock { state in
      while let entry = state.entries.first, entry.deadline <= now {
        state.entries.removeFirst()
        answer(.failed(number: entry.batch.number, lateness()))
      }
    }
    arm()
  }

  // MARK: The thread

  private func serve() {
    var carrier = makeCarrier()
    while true {
      let entry: Entry
      switch next(until: carrier.wakeAt) {
      case .entry(let next): entry = next
      case .wake:
        carrier.wake()
        continue
      case .closed: return carrier.close()
      }
      let outcome = carrier.carry(entry.batch, until: entry.deadline - haste)
      // On this thread: another one would have to be woken.
      answers.sync {
        let isFirst = state.withLock { state in
          // Entries before it are answered: the thread has carried them, or was too late.
          guard state.entries.first?.id == entry.id else { return false }
          state.entries.removeFirst()
          return true
        }
        if isFirst { onOutcome(outcome) }
      }
    }
  }

  private enum Next {
    case entry(Entry)
    case wake
    case closed
  }

  /// Blocks, until this instant at most.
  private func next(until instant: ContinuousClock.Instant?) -> Next {
    while true {
      if let instant {
        let left = max(.zero, instant - .now) / .milliseconds(1)
        let end = DispatchTime.now() + .milliseconds(Int(min(left, 3_600_000).rounded(.up)))
        if arrived.wait(timeout: end) == .timedOut { return .wake }
      } else {
        arrived.wait()
      }
      var isClosed = false
      let entry = state.withLock { state -> Entry? in
        isClosed = state.isClosed
        guard let index = state.entries.firstIndex(where: { !$0.isStarted }) else { return nil }
        state.entries[index].isStarted = true
        return state.entries[index]
      }
      if let entry { return .entry(entry) }
      if isClosed { return .closed }
    }
  }
}
