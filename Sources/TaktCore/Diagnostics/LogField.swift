package import TaktTime

/// How much a record matters.
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

/// What kind of thing happened.
package enum LogEvent: String, CaseIterable, Hashable, Sendable {
  /// A transition of a timer machine.
  case timer
  /// The verdict on a slot.
  case slot
  /// A transition of a run.
  case run
  /// A line that a run has printed.
  case output
  /// How far a run of a plugin is.
  case progress
  /// A value that a run of a plugin has measured.
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

/// One fact.
package struct LogField: Hashable, Sendable {
  package var key: LogKey
  package var value: LogValue

  package init(_ key: LogKey, _ value: LogValue) {
    self.key = key
    self.value = value
  }
}

/// The value of a fact.
package enum LogValue: Hashable, Sendable {
  case text(String)
  /// Bytes that are probably text; what is not UTF-8 is shown as U+FFFD.
  case bytes([UInt8])
  case number(Int64)
  /// A time in milliseconds, shown with three places.
  case milliseconds(Duration)
  case instant(WallInstant)
  /// A state machine, shown by its name.
  case machine(MachineID)
}

/// A state machine whose transitions the log tells; the text is its name there.
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

/// Whose timer it is.
package enum TimerKey: Hashable, Sendable {
  /// A job's next slot.
  case job(JobName)
  /// The end of a job's suspension.
  case pause(JobName)
  /// A run's timeout, the grace of its stop, or its back-off.
  case run(RunID)
  /// When a job has not succeeded for too long.
  case freshness(JobName)
  /// How long a run is expected to take.
  case expected(RunID)
  /// The lease of a machine of a cluster, and the turns of its claims.
  case cluster
  /// The grace of a stop of takt.
  case shutdown
  /// One that belongs to no job and no run, by its name.
  case other(String)

  /// The job, where it is a job's own.
  var job: JobName? {
    switch self {
    case .job(let name), .pause(let name), .freshness(let name): name
    case .run, .expected, .cluster, .shutdown, .other: nil
    }
  }
}
