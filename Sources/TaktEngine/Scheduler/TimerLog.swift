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
    var fields = [
      LogField(.machine, .machine(.timer(key))),
      LogField(.seq, .number(Int64(transition.sequence))),
    ]
    if case .job(let job) = key { fields.append(LogField(.job, .text(job.text))) }
    fields += [
      LogField(.from, .text(transition.from.rawValue)),
      LogField(.to, .text(transition.to.rawValue)),
      LogField(.cause, .text(transition.event.rawValue)),
    ]
    if let deadline = transition.deadline {
      let due = transition.wall + (deadline - transition.monotonic)
      fields.append(LogField(.due, .instant(due)))
    }
    if transition.cause != .requested {
      fields.append(LogField(.reason, .text(transition.cause.rawValue)))
    }
    observer.observe(
      LogRecord(
        at: transition.wall, transition.cause == .refused ? .warning : .debug, .timer,
        routine: transition.cause != .refused, fields))
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
