internal import GRDB
import TaktCore
import TaktTime

/// Checkpoints, schedules and verdicts.
extension LedgerTransaction {
  mutating func writeMarks(of batch: LedgerBatch) throws {
    var new: [(place: Int, number: Int64)] = []
    var numbers: [Int64] = []
    numbers.reserveCapacity(batch.checkpoints.places.count)
    for place in batch.checkpoints.places {
      guard case .checkpoint(let checkpoint) = batch.entries[place] else { continue }
      if let known = try jobs.number(of: checkpoint.job) {
        try update(checkpoint, of: known)
        numbers.append(known)
      } else {
        let number = try jobs.newNumber()
        new.append((place, number))
        numbers.append(number)
      }
    }
    for job in new.prefix(JobNumbers.countMax) {
      if case .checkpoint(let checkpoint) = batch.entries[job.place] {
        jobs.learnIfRoom(checkpoint.job, job.number)
      }
    }
    (checkpoints, markedNumbers) = (batch.checkpoints, numbers)
    try insert(new, of: batch)
  }

  private func insert(_ new: [(place: Int, number: Int64)], of batch: LedgerBatch) throws {
    try statements.insert(
      """
      INSERT OR ROLLBACK INTO jobs (id, name, clock_label, clock_ns, anchor, clock_mark, wall_mark,
        delayed, ahead, streak, ran, suspended_at, suspended_until, suspend_reason, alarms, daemon)
      VALUES
      """, "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", in: db, new
    ) { values, job in
      guard case .checkpoint(let checkpoint) = batch.entries[job.place] else { return }
      values.add(job.number)
      values.add(checkpoint.job.text)
      bind(checkpoint, to: &values)
    }
  }

  private func update(_ checkpoint: JobCheckpoint, of job: Int64) throws {
    try execute(
      """
      UPDATE jobs SET clock_label = ?, clock_ns = ?, anchor = ?, clock_mark = ?, wall_mark = ?,
        delayed = ?, ahead = ?, streak = ?, ran = ?, suspended_at = ?, suspended_until = ?,
        suspend_reason = ?, alarms = ?, daemon = ? WHERE id = ?
      """
    ) {
      bind(checkpoint, to: &$0)
      $0.add(job)
    }
  }

  /// The columns of a checkpoint, from `clock_label` to `daemon`.
  private func bind(_ checkpoint: JobCheckpoint, to values: inout BoundValues) {
    let cursor = checkpoint.cursor
    values.add(cursor.clockReading)
    values.add(cursor.clockInstant.nanoseconds)
    values.add(cursor.anchor)
    values.add(cursor.clockMark)
    values.add(cursor.wallMark)
    values.add(cursor.delayed)
    values.add(cursor.ahead.isEmpty ? nil : cursor.ahead)
    values.add(checkpoint.failureStreak)
    values.add(checkpoint.ranCount)
    values.add(checkpoint.suspension?.since.milliseconds)
    values.add(checkpoint.suspension?.until?.milliseconds)
    values.add(checkpoint.suspension?.reason)
    values.add(checkpoint.alarms?.text)
    values.add(daemon)
  }

  /// Schedules, services, clock steps, reloads and jobs that run once. New schedules are held back
  /// until another entry must see their rows, so that one statement inserts many.
  mutating func writeOthers(of batch: LedgerBatch) throws {
    var beginning: [(place: Int, job: Int64)] = []
    for place in batch.others {
      switch batch.entries[place] {
      case .schedule(let version):
        let job = try number(of: version.job)
        if !jobs.isFirstSchedule(of: job) {
          try insert(&beginning, of: batch)
          try endSchedule(of: job, at: version.from)
        }
        beginning.append((place, job))
      case .scheduleEnded(let name, let edge):
        try insert(&beginning, of: batch)
        try endSchedule(of: try number(of: name), at: edge)
      case .rare(let entry): try write(entry)
      case .verdict, .pending, .checkpoint, .claimed, .began, .attemptBegan, .backedOff,
        .attemptOutput, .attemptUse,
        .ended, .settled, .process:
        break
      }
    }
    try insert(&beginning, of: batch)
  }

  private func write(_ entry: RareEntry) throws {
    switch entry {
    case .clockStepped(let at, let step):
      try execute("INSERT INTO clock_steps (at, by_us) VALUES (?, ?)") {
        $0.add(at.milliseconds)
        $0.add(step.microseconds)
      }
    case .reloaded(let reload):
      try execute("INSERT INTO reloads (at, kept, lines) VALUES (?, ?, ?)") {
        $0.add(reload.at.milliseconds)
        $0.add(reload.kept)
        $0.add(reload.lines.joined(separator: "\n"))
      }
    case .once(let job):
      try execute("INSERT OR REPLACE INTO once (name, keys, due) VALUES (?, ?, ?)") {
        $0.add(job.name.text)
        $0.add(job.text)
        $0.add(job.at.milliseconds)
      }
    case .onceRemoved(let name):
      try execute("DELETE FROM once WHERE name = ?") { $0.add(name.text) }
    case .service(let number, let process): try writeService(number, process)
    case .serviceEnded(let number): try removeService(number)
    case .joined(let member):
      try execute("UPDATE daemons SET member = ? WHERE id = ?") {
        $0.add(Int64(clamping: member.number))
        $0.add(daemon)
      }
    case .ranUnclaimed(let run):
      try execute(
        "INSERT OR REPLACE INTO unreported (job, slot, member, daemon) VALUES (?, ?, ?, ?)"
      ) {
        $0.add(run.job.text)
        $0.add(run.slot.milliseconds)
        $0.add(run.member.map { Int64(clamping: $0.number) })
        $0.add(daemon)
      }
    case .reported(let job, let slot):
      try execute("DELETE FROM unreported WHERE job = ? AND slot = ?") {
        $0.add(job.text)
        $0.add(slot.milliseconds)
      }
    // Written after the row of its run.
    case .parameters: break
    }
  }

  /// Inserts the schedules that were held back, at most one for each job. They come in the order of
  /// their jobs' numbers, so that SQLite appends to its indexes.
  private func insert(_ beginning: inout [(place: Int, job: Int64)], of batch: LedgerBatch) throws {
    beginning.sort { $0.job < $1.job }
    // Many jobs share a schedule. The batch keeps all of them, so that an identity stands for one.
    var texts: [ObjectIdentifier: String] = [:]
    try statements.insert(
      """
      INSERT OR ROLLBACK INTO schedules (job, schedule, enabled, anchor, clock_from, wall_from,
        instants_from, began_at) VALUES
      """, "(?, ?, ?, ?, ?, ?, ?, ?)", in: db, beginning
    ) { values, beginning in
      guard case .schedule(let version) = batch.entries[beginning.place] else { return }
      values.add(beginning.job)
      values.add(Self.text(&texts[version.schedule.identity], version.schedule))
      values.add(version.isEnabled)
      values.add(version.anchor)
      values.add(version.from.clock)
      values.add(version.from.wall)
      values.add(version.instantsFrom)
      values.add(version.from.at.milliseconds)
    }
    beginning.removeAll()
  }

  private static func text(_ known: inout String?, _ schedule: Schedule) -> String {
    if let known { return known }
    let text = StoredSchedule.text(schedule)
    known = text
    return text
  }

  private func endSchedule(of job: Int64, at edge: ScheduleEdge) throws {
    try execute(
      """
      UPDATE schedules SET clock_to = ?, wall_to = ?, ended_at = ?
      WHERE job = ? AND ended_at IS NULL
      """
    ) {
      $0.add(edge.clock)
      $0.add(edge.wall)
      $0.add(edge.at.milliseconds)
      $0.add(job)
    }
  }

  mutating func write(_ record: VerdictRecord) throws {
    let job = try number(of: record.job)
    let first = record.slots.first.milliseconds
    try execute(
      """
      INSERT INTO verdicts (job, first, last, count, verdict, detail, run, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """
    ) {
      $0.add(job)
      $0.add(first)
      $0.add(record.slots.last.milliseconds)
      $0.add(record.slots.count)
      $0.add(record.verdict.name)
      $0.add(record.verdict.detail)
      $0.add(record.run.map { Int64($0.number) })
      $0.add(record.at.milliseconds)
    }
    // A slot that waits is decided by itself; a series only reaches over it.
    if record.slots.count == 1, pendingJobs.contains(record.job) {
      try execute("DELETE FROM pending WHERE job = ? AND slot = ?") {
        $0.add(job)
        $0.add(first)
      }
    }
  }

  mutating func write(_ pending: LedgerBatch.PendingSlot) throws {
    let job = try number(of: pending.job)
    try execute("INSERT OR IGNORE INTO pending (job, slot) VALUES (?, ?)") {
      $0.add(job)
      $0.add(pending.slot.milliseconds)
    }
    newPendingJobs.insert(pending.job)
  }
}

extension BoundValues {
  fileprivate mutating func add(_ instant: ScheduleInstant?) { add(instant?.milliseconds) }
}
