import Dispatch
import TaktTime

extension DispatchTime {
  /// The same moment as Dispatch counts it.
  ///
  /// Dispatch reads zero as "now" and takes what is beyond its range for another clock.
  init(_ instant: MonotonicInstant) {
    if instant.nanoseconds >= 1 << 61 {
      self = .distantFuture
    } else {
      self.init(uptimeNanoseconds: UInt64(max(1, instant.nanoseconds)))
    }
  }
}
