@preconcurrency import Dispatch
import TaktTime

/// Rings when the system's wall clock reaches an instant: also when the clock is set meanwhile, and
/// right after a sleep. For systems that report neither.
///
/// One dispatch source, activated at once and never suspended; disarmed means "far in the future".
package final class WallAlarm: Sendable {
  private static let queue = DispatchQueue(label: "wall alarms")

  private let source: any DispatchSourceTimer

  /// An alarm that is set for nothing. `onDue` may still be called for an earlier setting.
  package init(onDue: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: Self.queue)
    source.setEventHandler(handler: onDue)
    source.schedule(wallDeadline: .distantFuture)
    source.activate()
  }

  deinit { source.cancel() }

  /// Sets it for an instant, in place of the one before; nil for none.
  package func set(_ instant: WallInstant?) {
    source.schedule(wallDeadline: instant.map(DispatchWallTime.init) ?? .distantFuture)
  }
}

extension DispatchWallTime {
  /// The same moment as Dispatch counts it, which takes what is beyond its range for another clock.
  init(_ instant: WallInstant) {
    if instant.nanoseconds >= Int64(1) << 61 {
      self = .distantFuture
    } else {
      let delay = instant - SystemTimeSource().wall
      self = .now() + DispatchTimeInterval(nanoseconds: delay.nanosecondsSaturated)
    }
  }
}

extension DispatchTimeInterval {
  /// In a coarser unit, and then up to that much shorter, where `Int` does not hold it: on watches
  /// with 32 bits.
  init(nanoseconds: Int64) {
    if let exact = Int(exactly: nanoseconds) {
      self = .nanoseconds(exact)
    } else if let milliseconds = Int(exactly: nanoseconds / 1_000_000) {
      self = .milliseconds(milliseconds)
    } else {
      self = .seconds(Int(clamping: nanoseconds / 1_000_000_000))
    }
  }
}
