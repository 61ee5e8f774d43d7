package import Dispatch
import TaktTime

/// One alarm, and therefore one thread, per adapter. Meant for the single alarm of a coalescing
/// factory: each wake-up then wakes one thread. A dispatch timer wakes two, because the thread that
/// waits for timers hands each one to another.
package final class AlarmTimerFactory: TimerFactory {
  /// Runs a body on the adapter's queue.
  package typealias Turn = @Sendable (_ body: () -> Void) -> Void

  package let time: any TimeSource = SystemTimeSource()
  private let name: String
  private let turn: Turn

  /// - Parameters:
  ///   - name: the name of each thread, at most 15 characters.
  ///   - turn: runs its argument on the adapter's queue before it returns. Called by the alarm's
  ///     thread.
  package init(name: String, turn: @escaping Turn) {
    self.name = name
    self.turn = turn
  }

  package func makeAdapter(
    queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
  ) -> any TimerAdapter {
    AlarmTimerAdapter(name: name, queue: queue, time: time, turn: turn, onDue: onDue)
  }
}

/// An alarm with its arming.
private final class AlarmTimerAdapter: TimerAdapter {
  /// The part that the alarm's thread uses, which may outlive the adapter for a moment.
  private final class Body: Sendable {
    let time: any TimeSource
    let onDue: @Sendable (UInt64) -> Void
    let armed = Guarded<TimerArming?>(nil)

    init(time: any TimeSource, onDue: @escaping @Sendable (UInt64) -> Void) {
      self.time = time
      self.onDue = onDue
    }

    /// Runs on the queue, so that an adapter disarmed there is not called. Does nothing if the call
    /// belongs to an earlier arming: the alarm is set for the present one.
    func callDue() {
      let ticket = armed.withLock { armed -> UInt64? in
        guard let arming = armed, time.monotonic >= arming.deadline else { return nil }
        armed = nil
        return arming.ticket
      }
      if let ticket { onDue(ticket) }
    }
  }

  private let queue: DispatchQueue
  private let body: Body
  private let alarm: Alarm

  init(
    name: String, queue: DispatchQueue, time: any TimeSource,
    turn: @escaping AlarmTimerFactory.Turn, onDue: @escaping @Sendable (UInt64) -> Void
  ) {
    let body = Body(time: time, onDue: onDue)
    self.queue = queue
    self.body = body
    alarm = Alarm(name: name) { turn { body.callDue() } }
  }

  func arm(_ arming: TimerArming) {
    // The alarm is set under the lock, so that it always agrees with the arming.
    body.armed.withLock { armed in
      armed = arming
      alarm.set(arming.deadline)
    }
  }

  func disarm() {
    body.armed.withLock { armed in
      armed = nil
      alarm.set(nil)
    }
  }

  func perform(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
