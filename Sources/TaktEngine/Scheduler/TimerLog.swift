import TaktCore
import TaktTime
import TimerMachine

/// Writes every transition of one of the scheduler's timer machines to the log.
final class TimerLog: TimerObserver {
  private let key: TimerKey
  private let observer: any Observer

  init(of key: TimerKey, observer: any Observer) {
    self.key = key
    self.observer = observer
  }

  func observe(_ transition: TimerTransition) {
    let level = transition.cause == .refused ? LogLevel.warning : .debug
    let isRoutine = transition.cause != .refused
    guard observer.wants(level, routine: isRoutine) else { return }
    let due = transition.deadline.map { transition.wall + ($0 - transition.monotonic) }
    let record = TimerRecord(
      key: key, sequence: transition.sequence, from: transition.from, to: transition.to,
      event: transition.event, cause: transition.cause, due: due)
    observer.observe(
      LogRecord(
        at: transition.wall, level, .timer, routine: isRoutine, content: .timer(record)))
  }

  /// A schedule that the timer would not take. It cannot come from a valid job; if it does, the log
  /// says so and the other jobs go on.
  static func refused(
    _ key: TimerKey, _ error: any Error, at wall: WallInstant, to observer: any Observer
  ) {
    observer.observe(
      LogRecord(
        at: wall, .error, .scheduler,
        [
          LogField(.machine, .machine(.timer(key))),
          LogField(.message, .text("the timer cannot be armed: \(error)")),
        ]))
  }
}
