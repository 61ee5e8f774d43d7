import TaktTime
import TimerMachine

extension TimerSchedule {
  /// A grid whose numbers are this benchmark's own and cannot be refused.
  static func grid(
    _ interval: Duration, _ start: MonotonicInstant, _ leeway: Duration
  ) -> TimerSchedule {
    guard let schedule = try? TimerSchedule.every(interval, startingAt: start, leeway: leeway)
    else { preconditionFailure("the benchmark's own schedule is wrong") }
    return schedule
  }
}
