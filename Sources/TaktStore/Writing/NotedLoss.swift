internal import GRDB
import TaktCore
import TaktTime

/// The note of a previous daemon, and its effect on the ledger of that daemon: no slot until then
/// is decided a second time, and each counts as lost.
struct NotedLoss {
  let note: LossNote
  /// For each job whose position the note moves, the first and the last instant.
  private var ranges: [(job: JobName, first: Int64, last: Int64)] = []
  private var pending: [(job: JobName, slot: WallInstant)] = []

  init(_ note: LossNote, at now: WallInstant) {
    var note = note
    // A clock that was ahead, or a file whose time was set.
    note.until = min(note.until, now)
    self.note = note
  }

  /// Moves the jobs past everything that may have happened.
  mutating func apply(to previous: inout PreviousState, boot: String) {
    (ranges, pending) = ([], [])
    previous.lastRun = max(previous.lastRun, note.lastRun)
    for (name, job) in previous.jobs {
      let edge = edge(of: job, boot: boot)
      let old = job.checkpoint.cursor
      previous.jobs[name]?.checkpoint.cursor.clockMark = edge.clock
      previous.jobs[name]?.checkpoint.cursor.wallMark = edge.wall
      if let delayed = old.delayed, delayed <= edge.clock {
        previous.jobs[name]?.checkpoint.cursor.delayed = nil
      }
      pending += job.pending.map { (name, $0) }
      previous.jobs[name]?.pending = []
      let first = min(old.clockMark, old.wallMark).milliseconds
      let last = max(edge.clock, edge.wall).milliseconds
      if first < last { ranges.append((name, first, last)) }
    }
    // The next attempt may have been made.
    for index in previous.runs.indices
    where previous.runs[index].isEnded && previous.runs[index].head.delivery != .atLeastOnce {
      previous.runs[index].retry = nil
    }
  }

  private func edge(
    of job: PreviousJob, boot: String
  ) -> (clock: ScheduleInstant, wall: ScheduleInstant) {
    let cursor = job.checkpoint.cursor
    let until = ScheduleInstant(note.until)
    var clock = until
    if job.isSameBoot, note.boot == boot, let instant = note.monotonic {
      clock = JobClock(reading: cursor.clockReading, instant: cursor.clockInstant)
        .reading(at: instant)
    }
    // A grid that starts later has no slot yet.
    if clock < cursor.anchor { clock = cursor.clockMark }
    return (max(clock, cursor.clockMark), max(until, cursor.wallMark))
  }

  /// Records the losses, before anything new.
  func record(in db: Database) throws {
    let reason =
      note.entryCount == nil
      ? "takt ended while the ledger could not be written, and its note is empty or damaged"
      : "takt ended while the ledger could not be written"
    try db.execute(
      sql: "INSERT INTO losses (at, count, what, reason) VALUES (?, ?, 'entries', ?)",
      arguments: [note.until.milliseconds, note.entryCount ?? 0, reason])
    let insertion = """
      INSERT INTO losses (at, job, first, last, count, what, reason)
      SELECT ?, id, ?, ?, ?, 'verdicts', ? FROM jobs WHERE name = ?
      """
    for (job, first, last) in ranges {
      try db.execute(
        sql: insertion,
        arguments: [note.until.milliseconds, first, last, Self.uncounted, reason, job.text])
    }
    for (job, slot) in pending {
      try db.execute(
        sql: insertion,
        arguments: [
          note.until.milliseconds, slot.milliseconds, slot.milliseconds, 1, reason, job.text,
        ])
    }
    try db.execute(sql: "DELETE FROM pending")
  }

  /// The count of a loss that only the schedule can count.
  static let uncounted: Int64 = 9_000_000_000_000_000
}
