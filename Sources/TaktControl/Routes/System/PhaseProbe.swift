import NIOCore
import Synchronization
import TaktCore

/// The scheduler's phase, for probes: however many ask, its queue is asked a few times a second.
///
/// Safe from any thread.
final class PhaseProbe: Sendable {
  /// The time for which an answer is reused.
  private static let freshness = TimeAmount.milliseconds(50)

  private struct State {
    var answer: (phase: SchedulerPhase, at: NIODeadline)?
    /// True if the scheduler has been asked and has not answered.
    var isAsking = false
    var waiters: [UInt64: EventLoopPromise<SchedulerPhase?>] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let scheduler: any SchedulerControl
  private let state = Mutex(State())

  init(_ scheduler: any SchedulerControl) { self.scheduler = scheduler }

  /// Nil if the scheduler does not answer in time.
  func phase(within patience: TimeAmount, on loop: any EventLoop) async -> SchedulerPhase? {
    let promise = loop.makePromise(of: SchedulerPhase?.self)
    let (known, number, asks) = state.withLock { state in
      if let answer = state.answer, answer.at + Self.freshness > .now() {
        return (answer.phase as SchedulerPhase?, UInt64(0), false)
      }
      state.lastWaiter += 1
      state.waiters[state.lastWaiter] = promise
      defer { state.isAsking = true }
      return (nil, state.lastWaiter, !state.isAsking)
    }
    if let known {
      promise.succeed(known)
      return known
    }
    let timeout = loop.scheduleTask(in: patience) { [self] in
      // A waiter that is removed is answered, exactly once.
      state.withLock { $0.waiters.removeValue(forKey: number) }?.succeed(nil)
    }
    if asks { scheduler.query({ core, _ in core.phase }, reply: { [self] in answered($0) }) }
    let phase = try? await promise.futureResult.get()
    timeout.cancel()
    return phase ?? nil
  }

  private func answered(_ phase: SchedulerPhase) {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      state.answer = (phase, .now())
      state.isAsking = false
      return state.waiters.values
    }
    for waiter in waiters { waiter.succeed(phase) }
  }
}
