internal import GRDB
package import TaktCore
package import TaktTime

/// The ledger's facts about a slot and its surroundings.
package struct SlotEvidence: Sendable {
  package typealias Absence = DaemonAbsence

  package struct ClockStep: Hashable, Sendable {
    package var at: WallInstant
    package var by: Duration
  }

  package var record: VerdictRecord
  /// Nil if none has started.
  package var run: StoredRun?
  /// The run by which this machine has served a slot that it had left to another one.
  package var laterRun: StoredRun?
  package var lateness: Duration?
  /// The time at which its run asked the ledger for its claim; nil if it did not have to.
  package var claimedAt: WallInstant?
  /// Another run of the job that was active when the slot was due.
  package var blocking: StoredRun?
  /// The number of other runs that were active when the slot was due.
  package var activeCount = 0
  package var absences: [Absence] = []
  package var steps: [ClockStep] = []
  package var schedule: Schedule?
  /// True if the jobs file disabled the job then; nil if the ledger no longer has it.
  package var isDisabled: Bool?
  /// The job's suspension, if it was suspended then and still is.
  package var suspension: Suspension?
}

/// The ledger's answer to a query about an instant.
package struct SlotInquiry: Sendable {
  /// In order.
  package var slots: [SlotEvidence] = []
  /// True if there are more of them, before these.
  package var hasMore = false
  package var before: VerdictRecord?
  package var after: VerdictRecord?
  /// A slot in question that has no verdict yet.
  package var pending: WallInstant?
  /// A run of the job that has not ended; no hook.
  package var active: StoredRun?
  /// The run that checks the job's condition, for a slot in question.
  package var condition: StoredRun?
  package var activeCount = 0
  package var suspension: Suspension?
  /// The times of the ledger's first schedule of the job, and of the one that applied at the
  /// instant.
  package var knownSince: WallInstant?
  package var schedule: Schedule?
}

extension LedgerArchive {
  private static let slotsMax = 5

  /// The records of a job's slots from `first` to before `end`, or of its last decided slot.
  package func inquire(
    _ job: JobName, from first: WallInstant?, to end: WallInstant, zones: any ZoneSource
  ) throws(Failure) -> SlotInquiry {
    try read { db in
      try InquiryReading(db: db, job: job, schedules: StoredSchedules(zones))?
        .inquiry(from: first, to: end, max: Self.slotsMax) ?? SlotInquiry()
    }
  }
}

/// A snapshot of a job's part of the ledger.
private struct InquiryReading {
  let db: Database
  let job: JobName
  let number: Int64
  let schedules: StoredSchedules
  let hasLateness: Bool

  /// Nil for a job that the ledger does not know.
  init?(db: Database, job: JobName, schedules: StoredSchedules) throws {
    self.db = db
    self.job = job
    self.schedules = schedules
    let found = try Int64.fetchOne(
      db, sql: "SELECT id FROM jobs WHERE name = ?", arguments: [job.text])
    guard let found else { return nil }
    number = found
    hasLateness = try db.columns(in: "runs").contains { $0.name == "late_us" }
  }

  func inquiry(from first: WallInstant?, to end: WallInstant, max count: Int) throws -> SlotInquiry
  {
    var inquiry = SlotInquiry()
    // No two records overlap, so that those that start first also end first.
    let found = try records(
      "first < ? ORDER BY first DESC LIMIT \(count + 1)", [end.milliseconds])
    let start = first ?? WallInstant(nanoseconds: .min)
    let wanted = found.filter { $0.slots.last >= start }
    inquiry.slots = try (first == nil ? Array(wanted.prefix(1)) : wanted.prefix(count).reversed())
      .map(evidence)
    inquiry.hasMore = first != nil && wanted.count > count
    inquiry.before = found.first { $0.slots.last < start }
    inquiry.after = try records("first >= ? ORDER BY first LIMIT 1", [end.milliseconds]).first
    inquiry.pending = try Int64.fetchOne(
      db,
      sql:
        "SELECT slot FROM pending WHERE job = ? AND slot >= ? AND slot < ? ORDER BY slot LIMIT 1",
      arguments: [number, first?.milliseconds ?? 0, end.milliseconds]
    ).map { WallInstant(milliseconds: $0) }
    inquiry.active = try run(
      "runs.job = ? AND outcome IS NULL AND kind <> 'hook' ORDER BY run LIMIT 1", [number])
    inquiry.condition = try run(
      "runs.job = ? AND outcome IS NULL AND hook = '\(HookKind.onlyIf.rawValue)' "
        + "ORDER BY run DESC LIMIT 1", [number])
    inquiry.activeCount =
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM runs WHERE outcome IS NULL AND began_at IS NOT NULL") ?? 0
    inquiry.suspension = try suspension()
    inquiry.knownSince = try Int64.fetchOne(
      db, sql: "SELECT min(began_at) FROM schedules WHERE job = ?", arguments: [number]
    ).map { WallInstant(milliseconds: $0) }
    inquiry.schedule = try schedule(at: first ?? end)
    return inquiry
  }

  private func records(_ condition: String, _ arguments: [Int64]) throws -> [VerdictRecord] {
    try Row.fetchAll(
      db,
      sql: "SELECT first, last, count, verdict, detail, run, at FROM verdicts WHERE job = ? AND "
        + condition, arguments: StatementArguments([number] + arguments)
    ).map { row in
      let detail = try row.text(ifAny: "detail")
      return VerdictRecord(
        job: job,
        slots: SlotSeries(
          first: try row.instant("first"), last: try row.instant("last"),
          count: try row.count("count")),
        verdict: try row.value("verdict") { LedgerAudit.verdict($0, detail) },
        at: try row.instant("at"), run: try row.run(ifAny: "run"))
    }
  }

  private func run(_ condition: String, _ arguments: [Int64]) throws -> StoredRun? {
    try Row.fetchOne(
      db, sql: "\(RunRows.selectSQL) WHERE \(condition)", arguments: StatementArguments(arguments)
    ).map { try $0.storedRun() }
  }

  private func evidence(of record: VerdictRecord) throws -> SlotEvidence {
    var evidence = SlotEvidence(record: record)
    let slot = record.slots.first
    if let number = record.run {
      let text = Int64(clamping: number.number)
      evidence.run = try run("run = ?", [text])
      evidence.claimedAt = try Int64.fetchOne(
        db, sql: "SELECT claimed_at FROM runs WHERE run = ?", arguments: [text]
      ).map { WallInstant(milliseconds: $0) }
      if hasLateness {
        evidence.lateness = try Int64.fetchOne(
          db, sql: "SELECT late_us FROM runs WHERE run = ?", arguments: [text]
        ).map { .microseconds($0) }
      }
      evidence.lateness = evidence.lateness ?? evidence.run?.beganAt.map { $0 - slot }
    }
    if record.verdict == .skipped(.elsewhere), record.slots.count == 1 {
      evidence.laterRun = try run(
        "runs.job = ? AND slot = ? AND kind NOT IN ('hook', 'backfill', 'manual') ORDER BY run DESC LIMIT 1",
        [number, slot.milliseconds])
    }
    let start = evidence.run?.beganAt ?? record.at
    let due = evidence.lateness.map { start - $0 } ?? slot
    let own = Int64(clamping: record.run?.number ?? .max)
    evidence.blocking = try run(
      """
      runs.job = ? AND kind <> 'hook' AND run <> ? AND began_at <= ? \
      AND (ended_at IS NULL OR ended_at > ?) ORDER BY run DESC LIMIT 1
      """, [number, own, due.milliseconds, due.milliseconds])
    if let lateness = evidence.lateness, lateness >= .seconds(1) {
      evidence.activeCount =
        try Int.fetchOne(
          db,
          sql: """
            SELECT count(*) FROM runs WHERE run <> ? AND began_at <= ?
            AND (ended_at IS NULL OR ended_at > ?)
            """, arguments: [own, due.milliseconds, due.milliseconds]) ?? 0
    }
    evidence.absences = try DaemonTimes.absences(
      in: db, from: slot, to: max(record.slots.last, start))
    evidence.steps = try Row.fetchAll(
      db, sql: "SELECT at, by_us FROM clock_steps WHERE at BETWEEN ? AND ? ORDER BY at LIMIT 3",
      arguments: [slot.milliseconds - 86_400_000, start.milliseconds + 60_000]
    ).map { row in
      SlotEvidence.ClockStep(
        at: try row.instant("at"), by: .microseconds(try row.integer("by_us")))
    }
    evidence.schedule = try schedule(at: slot)
    if record.verdict == .skipped(.suspended) {
      evidence.isDisabled = try isDisabled(at: slot)
      evidence.suspension = try suspension().flatMap { $0.since <= record.slots.last ? $0 : nil }
    }
    return evidence
  }

  private func suspension() throws -> Suspension? {
    let row = try Row.fetchOne(
      db, sql: "SELECT suspended_at, suspended_until, suspend_reason FROM jobs WHERE id = ?",
      arguments: [number])
    guard let row, let since = try row.instant(ifAny: "suspended_at") else { return nil }
    return Suspension(
      since: since, until: try row.instant(ifAny: "suspended_until"),
      reason: try row.text(ifAny: "suspend_reason") ?? "")
  }

  private func schedule(at instant: WallInstant) throws -> Schedule? {
    try version("schedule", at: instant, String.self).flatMap { schedules.schedule($0) }
  }

  private func isDisabled(at instant: WallInstant) throws -> Bool? {
    try version("enabled", at: instant, Bool.self).map { !$0 }
  }

  /// A column of the version of the schedule that applied at an instant.
  private func version<Value: DatabaseValueConvertible>(
    _ column: String, at instant: WallInstant, _ type: Value.Type
  ) throws -> Value? {
    try Value.fetchOne(
      db,
      sql: """
        SELECT \(column) FROM schedules WHERE job = ? AND began_at <= ?
        AND (ended_at IS NULL OR ended_at > ?) ORDER BY id DESC LIMIT 1
        """, arguments: [number, instant.milliseconds, instant.milliseconds])
  }
}
