import DequeModule
import TaktTime

/// The memory of a removed job, for its return: a slot is decided once in the job's life, and its
/// anchor is set once.
struct RemovedJob: Sendable {
  var cursor: ScheduleCursor
  var at: [WallInstant]
  var failureStreak: Int
  var ranCount: Int
  var suspension: Suspension?
  var alarms: JobAlarms?
}

/// The removed jobs; the oldest is forgotten when there are too many.
struct RemovedJobs: Sendable {
  static let countMax = 10_000

  private var removedJobs: [JobName: (memory: RemovedJob, number: UInt64)] = [:]
  /// Removals are numbered, so that the oldest is forgotten first.
  private var order: Deque<(name: JobName, number: UInt64)> = []

  mutating func remove(_ name: JobName) -> RemovedJob? {
    removedJobs.isEmpty ? nil : removedJobs.removeValue(forKey: name)?.memory
  }

  mutating func keep(_ memory: RemovedJob, of name: JobName) {
    let number = (order.last?.number ?? 0) + 1
    removedJobs[name] = (memory, number)
    order.append((name, number))
    // A job that came back, or was removed once more, has left its old entry behind.
    while removedJobs.count > Self.countMax || order.count > 2 * Self.countMax,
      let oldest = order.popFirst()
    {
      if removedJobs[oldest.name]?.number == oldest.number { removedJobs[oldest.name] = nil }
    }
  }
}

extension RemovedJob {
  /// A job as a previous daemon left it.
  init(_ previous: PreviousJob, at now: Now) {
    cursor = ScheduleCursor(previous.checkpoint.cursor, isSameBoot: previous.isSameBoot, at: now)
    at = previous.version.schedule.at
    failureStreak = previous.checkpoint.failureStreak
    ranCount = previous.checkpoint.ranCount
    suspension = previous.checkpoint.suspension
    alarms = previous.checkpoint.alarms
    alarms?.loseOpenCalls()
  }
}
