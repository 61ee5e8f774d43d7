package import TaktTime

package enum LogLevel: String, CaseIterable, Hashable, Comparable, Sendable {
  case debug, info, notice, warning, error

  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .notice: 2
    case .warning: 3
    case .error: 4
    }
  }

  /// From `debug` up to `error`.
  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

package enum LogEvent: String, CaseIterable, Hashable, Sendable {
  /// A transition of a timer machine.
  case timer
  case slot
  case run
  /// A line that a run has printed.
  case output
  /// The progress of a run of a plugin.
  case progress
  /// A measurement by a run of a plugin.
  case metric
  /// Anything about a service plugin itself.
  case plugin
  /// A step of a reload.
  case reload
  /// A line of a reload's plan.
  case plan
  case ledger
  case scheduler
}

package struct LogField: Hashable, Sendable {
  package var key: LogKey
  package var value: LogValue

  package init(_ key: LogKey, _ value: LogValue) {
    self.key = key
    self.value = value
  }
}

package enum LogValue: Hashable, Sendable {
  case text(String)
  /// Bytes that are probably text; parts that are not UTF-8 are shown as U+FFFD.
  case bytes([UInt8])
  case number(Int64)
  /// A time in milliseconds, shown with three places.
  case milliseconds(Duration)
  case instant(WallInstant)
  /// A state machine, shown by its name.
  case machine(MachineID)
}

/// A state machine whose transitions are logged; the text is its name there.
package enum MachineID: Hashable, Sendable, CustomStringConvertible {
  case timer(TimerKey)
  case run(RunID)

  /// `timer:JOB`, `pause-timer:JOB`, `freshness-timer:JOB`, `run-timer:N`, `expected-timer:N`,
  /// `cluster-timer`, `shutdown-timer`, `run:N`
  package var description: String {
    var bytes: [UInt8] = []
    appendName(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The owner of a timer.
package enum TimerKey: Hashable, Sendable {
  /// A job's next slot.
  case job(JobName)
  /// The end of a job's suspension.
  case pause(JobName)
  /// A run's timeout, the grace of its stop, or its back-off.
  case run(RunID)
  /// The end of the time within which a job should succeed.
  case freshness(JobName)
  /// The end of a run's expected time.
  case expected(RunID)
  /// The lease of a machine of a cluster, and the turns of its claims.
  case cluster
  /// The grace of a stop of takt.
  case shutdown
  /// Belongs to no job and no run.
  case other(String)

  /// Nil unless it is a job's own.
  var job: JobName? {
    switch self {
    case .job(let name), .pause(let name), .freshness(let name): name
    case .run, .expected, .cluster, .shutdown, .other: nil
    }
  }
}
