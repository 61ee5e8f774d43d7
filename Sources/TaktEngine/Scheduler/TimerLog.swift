import TaktCore
import TaktTime
import TimerMachine

/// Writes every transition of the scheduler's timer machines to the log.
///
/// `@unchecked Sendable`: the names are touched on the scheduler's queue alone, where its timer
/// machines are made, operated and claimed.
final class TimerLog: TimerObserver, @unchecked Sendable {
  private let observer: any Observer
  /// By the jobs' numbers.
  private var jobs: [JobName?] = []

  init(observer: any Observer) {
    self.observer = observer
  }

  /// Says what the log calls a timer.
  func name(_ id: TimerID, _ key: TimerKey) {
    guard case .job(let number) = id, case .job(let name) = key else { return }
    while jobs.count <= Int(number.index) { jobs.append(nil) }
    jobs[Int(number.index)] = name
  }

  func observe(_ transition: TimerTransition) {
    let level = transition.cause == .refused ? LogLevel.warning : .debug
    let isRoutine = transition.cause != .refused
    guard observer.wants(level, routine: isRoutine),
      let key = key(of: TimerID(number: transition.machine))
    else { return }
    let record = TimerRecord(
      key: key, sequence: transition.sequence, from: transition.from, to: transition.to,
      event: transition.event, cause: transition.cause, due: transition.due)
    observer.observe(
      LogRecord(at: transition.wall, level, .timer, routine: isRoutine, content: .timer(record)))
  }

  private func key(of id: TimerID) -> TimerKey? {
    switch id {
    case .job(let number): jobs[Int(number.index)].map(TimerKey.job)
    case .run(let run): .run(run)
    case .expected(let run): .expected(run)
    case .shutdown: .shutdown
    }
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

extension TimerTransition {
  /// The armed deadline on the clock that people read.
  fileprivate var due: WallInstant? {
    deadline.map { deadline in
      let distance = deadline.nanoseconds.subtractingSaturated(monotonic.nanoseconds)
      return WallInstant(nanoseconds: wall.nanoseconds.addingSaturated(distance))
    }
  }
}
