import Dispatch
import TimerMachine
import TimerMachineTesting
import TaktTime

/// Virtual time with a queue that nothing runs on.
struct Bench {
  let manual = ManualTimerFactory()
  let queue = DispatchQueue(label: "unused")
  let log = FireLog()

  func machine(
    _ name: String = "subject", factory: (any TimerFactory)? = nil,
    observer: (any TimerObserver)? = nil
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory ?? manual, queue: queue, observer: observer) {
      [log] in log.record($0)
    }
  }

  /// Milliseconds since the beginning.
  var now: Int64 { manual.clock.monotonic.milliseconds }
}

extension MonotonicInstant {
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
