public import Dispatch
public import TaktTime

/// One `DispatchSourceTimer` for each machine: the reference that others are measured against.
///
/// Precise and simple, at the system's price: one wake for each fire. Linux ignores leeway.
public final class DispatchTimerFactory: TimerFactory {
  /// The clocks that deadlines are measured on.
  public let time: any TimeSource

  /// A factory on the system's timers.
  ///
  /// - Parameter time: must run with the system's monotonic clock, which the alarms are set on.
  public init(time: any TimeSource = SystemTimeSource()) {
    self.time = time
  }

  /// Makes an adapter that is armed for nothing; see `TimerFactory`.
  public func makeAdapter(
    queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
  ) -> any TimerAdapter {
    DispatchTimerAdapter(queue: queue, time: time, onDue: onDue)
  }
}
