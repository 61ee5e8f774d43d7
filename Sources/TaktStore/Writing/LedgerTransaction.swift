internal import GRDB
import TaktCore
import TaktTime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes a batch within one transaction.
struct LedgerTransaction {
  let db: Database
  let daemon: Int64
  /// The numbers of jobs that are known; those that a transaction adds count when it is done.
  var jobs: [JobName: Int64]
  /// Jobs that may have slots in `pending`.
  var pendingJobs: Set<JobName>

  mutating func write(_ batch: LedgerBatch, at now: WallInstant) throws {
    for entry in batch.others { try write(entry) }
    for record in batch.verdicts { try write(record) }
    for slot in batch.pending { try write(slot) }
    for (run, change) in batch.runs { try write(run, change) }
    for (attempt, facts) in batch.attempts { try write(attempt, facts) }
    for (run, process) in batch.processes { try write(run, process) }
    for (attempt, output, at) in batch.outputs { try write(attempt, output, at) }
    for mark in batch.marks.values { try write(mark) }
    try execute("UPDATE daemons SET seen_at = ? WHERE id = ?", [now.milliseconds, daemon])
  }

  /// The number of a job; a new one for a name that is not known.
  mutating func number(of job: JobName) throws -> Int64 {
    if let number = jobs[job] { return number }
    try execute("INSERT INTO jobs (name) VALUES (?) ON CONFLICT DO NOTHING", [job.text])
    let number =
      try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT id FROM jobs WHERE name = ?"), arguments: [job.text]) ?? 0
    jobs[job] = number
    return number
  }

  private func execute(_ sql: String, _ arguments: StatementArguments) throws {
    let statement = try db.cachedStatement(sql: sql)
    statement.setUncheckedArguments(arguments)
    try statement.execute()
  }

  private mutating func write(_ entry: LedgerEntry) throws {
    switch entry {
    case .schedule(let version):
      let job = try number(of: version.job)
      try end(job, at: version.from)
      try execute(
        """
        INSERT INTO schedules (job, schedule, enabled, anchor, clock_from, wall_from, instants_from,
          began_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          job, StoredSchedule.text(version.schedule), version.isEnabled, version.anchor,
          version.from.clock, version.from.wall, version.instantsFrom,
          version.from.at.milliseconds,
        ])
    case .scheduleEnded(let name, let edge): try end(try number(of: name), at: edge)
    case .clockStepped(let at, let step):
      try execute(
        "INSERT INTO clock_steps (at, by_us) VALUES (?, ?)",
        [at.milliseconds, step.microseconds])
    case .reloaded(let reload):
      try execute(
        "INSERT INTO reloads (at, kept, lines) VALUES (?, ?, ?)",
        [reload.at.milliseconds, reload.kept, reload.lines.joined(separator: "\n")])
    case .verdict, .pending, .mark, .claimed, .began, .attemptBegan, .backedOff, .attemptOutput,
      .ended, .settled, .process:
      break
    }
  }

  private func end(_ job: Int64, at edge: ScheduleEdge) throws {
    try execute(
      """
      UPDATE schedules SET clock_to = ?, wall_to = ?, ended_at = ?
      WHERE job = ? AND ended_at IS NULL
      """, [edge.clock, edge.wall, edge.at.milliseconds, job])
  }

  private mutating func write(_ record: VerdictRecord) throws {
    let job = try number(of: record.job)
    let (first, last) = (record.slots.first.milliseconds, record.slots.last.milliseconds)
    try execute(
      """
      INSERT INTO verdicts (job, first, last, count, verdict, detail, run, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        job, first, last, record.slots.count, record.verdict.name, record.verdict.detail,
        record.run.map { Int64($0.number) }, record.at.milliseconds,
      ])
    // A slot that waits is decided by itself; a series only reaches over it.
    if record.slots.count == 1, pendingJobs.contains(record.job) {
      try execute("DELETE FROM pending WHERE job = ? AND slot = ?", [job, first])
    }
  }

  private mutating func write(_ pending: LedgerBatch.PendingSlot) throws {
    try execute(
      "INSERT OR IGNORE INTO pending (job, slot) VALUES (?, ?)",
      [try number(of: pending.job), pending.slot.milliseconds])
    pendingJobs.insert(pending.job)
  }

  private mutating func write(_ mark: JobMark) throws {
    let job = try number(of: mark.job)
    let (cursor, suspension) = (mark.cursor, mark.suspension)
    try execute(
      """
      UPDATE jobs SET clock_label = ?, clock_ns = ?, anchor = ?, clock_mark = ?, wall_mark = ?,
        delayed = ?, ahead = ?, streak = ?, ran = ?, suspended_at = ?, suspended_until = ?,
        suspend_reason = ?, daemon = ? WHERE id = ?
      """,
      [
        cursor.clockLabel, cursor.clockInstant.nanoseconds, cursor.anchor, cursor.clockMark,
        cursor.wallMark, cursor.delayed, cursor.ahead.isEmpty ? nil : cursor.ahead,
        mark.failureStreak, mark.ranCount, suspension?.since.milliseconds,
        suspension?.until?.milliseconds, suspension?.reason, daemon, job,
      ])
  }
}

// MARK: - Runs

extension LedgerTransaction {
  private mutating func write(_ run: RunID, _ change: LedgerBatch.Run) throws {
    if let head = change.head { try upsert(head, change) }
    guard let retry = change.retry else {
      if change.head == nil, let attempts = change.attempts {
        try execute("UPDATE runs SET attempts = ? WHERE run = ?", [attempts, Int64(run.number)])
      }
      return
    }
    // A run that begins has none to take away; a further attempt that is claimed may have one.
    if retry == nil, change.beganAt != nil { return }
    try execute(RunRows.retrySQL, RunRows.values(run, retry, attempts: change.attempts))
  }

  private mutating func upsert(_ head: RunHead, _ change: LedgerBatch.Run) throws {
    try execute(RunRows.upsertSQL, RunRows.values(head, of: try number(of: head.job), change))
    let record = change.record
    if let record, !record.totals.output.isEmpty {
      let output = record.totals.output
      try execute(
        "INSERT OR REPLACE INTO outputs (run, at, head, tail, dropped) VALUES (?, ?, ?, ?, ?)",
        [
          Int64(head.run.number), record.endedAt.milliseconds, Data(output.head),
          Data(output.tail), output.droppedBytes,
        ])
    }
  }

  private func write(
    _ attempt: LedgerBatch.Attempt, _ facts: LedgerBatch.AttemptFacts
  ) throws {
    try execute(RunRows.attemptSQL, RunRows.values(attempt, facts, daemon: daemon))
  }

  /// What an attempt has printed, in place of what the oldest attempts of its run have where there
  /// are very many.
  private func write(
    _ attempt: LedgerBatch.Attempt, _ output: KeptOutput, _ at: WallInstant
  ) throws {
    let run = Int64(attempt.run.number)
    try execute(
      """
      INSERT OR REPLACE INTO attempt_outputs (run, attempt, at, head, tail, dropped)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        run, attempt.number, at.milliseconds, Data(output.head), Data(output.tail),
        output.droppedBytes,
      ])
    // The last attempt is one of them, and is kept elsewhere.
    let gone = attempt.number - StoredOutput.attemptsMax + 1
    guard gone > 0 else { return }
    try execute("DELETE FROM attempt_outputs WHERE run = ? AND attempt <= ?", [run, gone])
  }

  /// The process of an attempt that began before this batch.
  private func write(_ run: RunID, _ process: ProcessIdentity) throws {
    try execute(
      """
      UPDATE attempts SET pid = ?, ticks_from = ?, ticks_to = ?, mark = ?, cgroup = ?, daemon = ?
      WHERE run = ? AND attempt = (SELECT attempts FROM runs WHERE run = ?)
      """,
      [
        process.pid, Int64(clamping: process.sinceTicks), Int64(clamping: process.untilTicks),
        process.knownMark, process.controlGroup, daemon, Int64(run.number), Int64(run.number),
      ])
  }

  /// The leftover processes of these daemons have been searched for.
  func settle(_ daemons: [Int64], at now: WallInstant) throws {
    for daemon in daemons {
      try execute(
        "UPDATE daemons SET settled_at = ? WHERE id = ? AND settled_at IS NULL",
        [now.milliseconds, daemon])
    }
  }
}
