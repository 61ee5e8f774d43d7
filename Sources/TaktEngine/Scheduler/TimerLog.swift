import TaktCore
import TimerMachine
import TaktTime

/// Writes every transition of the scheduler's timer machines to the log.
final class TimerLog: TimerObserver {
  private let observer: any Observer

  init(observer: any Observer) {
    self.observer = observer
  }

  func observe(_ transition: TimerTransition) {
    var fields = [
      LogField(.machine, .text(transition.name)),
      LogField(.seq, .number(Int64(transition.sequence))),
    ]
    if let job = Self.job(of: transition.name) { fields.append(LogField(.job, .text(job))) }
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
  func refused(_ key: TimerKey, _ error: any Error, at wall: WallInstant) {
    observer.observe(
      LogRecord(
        at: wall, .error, .scheduler,
        [
          LogField(.machine, .text(key.description)),
          LogField(.message, .text("the timer cannot be armed: \(error)")),
        ]))
  }

  private static func job(of machine: String) -> String? {
    let prefix = "timer:"
    return machine.hasPrefix(prefix) ? String(machine.dropFirst(prefix.count)) : nil
  }
}
