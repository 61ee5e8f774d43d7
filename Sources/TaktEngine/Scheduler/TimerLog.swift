package import TaktCore
import TaktTime
package import TimerMachine

/// Logs every transition of the scheduler's timer machines.
///
/// `@unchecked Sendable`: the names are touched only on the scheduler's queue, where its timer
/// machines are made and used.
final class TimerLog: TimerObserver, @unchecked Sendable {
  private let observer: any Observer
  /// The due time of the present arming, as people read it.
  ///
  /// Computed from the deadline it could be off by the time between two readings of clocks.
  var due: WallInstant?
  /// The reason for the present cancellation.
  var end: TimerEnd?
  /// By the jobs' numbers.
  private var jobs: [JobName?] = []

  init(observer: any Observer) {
    self.observer = observer
  }

  /// Sets the name of a timer in the log.
  func name(_ id: TimerID, _ key: TimerKey) {
    let (number, name): (JobID, JobName)
    switch (id, key) {
    case (.job(let job), .job(let text)), (.pause(let job), .pause(let text)),
      (.freshness(let job), .freshness(let text)):
      (number, name) = (job, text)
    default: return
    }
    while jobs.count <= Int(number.index) { jobs.append(nil) }
    jobs[Int(number.index)] = name
  }

  func observe(_ transition: TimerTransition) {
    guard observer.wants(transition),
      let key = key(of: TimerID(number: transition.machine))
    else { return }
    observer.observe(
      transition.record(
        key, due: transition.deadline == nil ? nil : due ?? transition.due,
        end: transition.event == .cancel && transition.cause == .requested ? end : nil))
  }

  private func key(of id: TimerID) -> TimerKey? {
    switch id {
    case .job(let number): jobs[Int(number.index)].map(TimerKey.job)
    case .pause(let number): jobs[Int(number.index)].map(TimerKey.pause)
    case .freshness(let number): jobs[Int(number.index)].map(TimerKey.freshness)
    case .run(let run): .run(run)
    case .expected(let run): .expected(run)
    case .placement: .cluster
    case .shutdown: .shutdown
    }
  }

  /// Logs a schedule that the timer did not accept. It cannot come from a valid job; the other jobs
  /// continue.
  static func refused(
    _ key: TimerKey, _ error: any Error, at wall: WallInstant, to observer: any Observer
  ) {
    observer.observe(
      LogRecord(
        at: wall, .error, .scheduler,
        [
          LogField(.machine, .machine(.timer(key))),
          LogField(.message, .text("cannot arm the timer: \(error)")),
        ]))
  }
}

/// Logs every transition of the timer machines that belong to no job and no run, by their names.
package final class OtherTimerLog: TimerObserver {
  private let observer: any Observer

  package init(observer: any Observer) {
    self.observer = observer
  }

  package func observe(_ transition: TimerTransition) {
    guard observer.wants(transition) else { return }
    observer.observe(transition.record(.other(transition.name), due: transition.due))
  }
}

extension Observer {
  fileprivate func wants(_ transition: TimerTransition) -> Bool {
    wants(transition.level, routine: transition.isRoutine)
  }
}

extension TimerTransition {
  fileprivate var isRoutine: Bool { cause != .refused }

  fileprivate var level: LogLevel { isRoutine ? .debug : .warning }

  fileprivate func record(_ key: TimerKey, due: WallInstant?, end: TimerEnd? = nil) -> LogRecord {
    LogRecord(
      at: wall, level, .timer, routine: isRoutine,
      content: .timer(
        TimerRecord(
          key: key, sequence: sequence, from: from, to: to, event: event, cause: cause, due: due,
          end: end)))
  }

  /// The armed deadline as wall clock time, to the nearest millisecond.
  fileprivate var due: WallInstant? {
    deadline.map { deadline in
      let distance = deadline.nanoseconds.subtractingSaturated(monotonic.nanoseconds)
      let due = wall.nanoseconds.addingSaturated(distance).addingSaturated(500_000)
      return WallInstant(nanoseconds: due)
    }
  }
}
