internal import GRDB
package import TaktCore
package import TaktTime

/// The result of comparing a ledger with the slots that its schedules name.
package struct LedgerAuditReport: Hashable, Sendable {
  package var jobs = 0
  package var verdictCounts = VerdictCounts()
  /// The number of slots that wait for their verdicts.
  package var pending = 0
  /// The number of slots whose verdicts the ledger could not take, by its own account.
  package var lost = 0
  /// The number of losses of an unknown number of slots.
  package var uncountedLosses = 0
  /// The ledger's own accounts of its losses.
  package var losses: [String] = []
  /// Only the first findings; `findingCount` has all.
  package var findings: [AuditFinding] = []
  package var findingCount = 0
  /// Only slots from then on were checked; nil for all that the ledger ever had.
  package var since: WallInstant?

  /// True if every slot has exactly one verdict.
  package var isBalanced: Bool { findingCount == 0 && lost == 0 && uncountedLosses == 0 }
}

extension LedgerArchive {
  /// Computes the slots that there should be, and compares.
  ///
  /// - Parameter since: only later slots are checked; nil for all that the ledger still has.
  package func audit(
    since: WallInstant? = nil, zones: any ZoneSource, countableMax: Int = JobAudit.countableMax
  ) throws(Failure) -> LedgerAuditReport {
    var report = try read { db in
      try LedgerAudit(db: db, since: since, zones: zones, countableMax: countableMax).report()
    }
    if let loss = try notedLoss() {
      report.losses.append(loss)
      report.uncountedLosses += 1
    }
    return report
  }

  /// True if the ledger could not be written, so that recent events are missing.
  package var isBehind: Bool { (try? notedLoss()) != nil }

  /// The text of a note next to the ledger whose loss is not recorded in it; nil without one.
  private func notedLoss() throws(Failure) -> String? {
    let folder = String(path.dropLast(LedgerFile.name.count + 1))
    guard let directory = StateDirectory(path: folder) else { return nil }
    do throws(StateFolderProblem) {
      guard let note = try LossNote(in: directory) else { return nil }
      let until = note.until.rfc3339()
      guard let count = note.entryCount else {
        return "\(until): entries (the ledger could not be written, and the note "
          + "\(folder)/\(LossNote.name) is empty or damaged)"
      }
      return
        "\(until): \(count) entries (the ledger could not be written up to then; a daemon that "
        + "runs may still write them, and the next one records what is lost)"
    } catch {
      let reason = error.kind == .link ? "it is a symbolic link" : "it is not a regular file"
      throw .unreadable(path: error.path, reason: reason)
    }
  }
}

/// A snapshot of the whole ledger.
struct LedgerAudit {
  let db: Database
  let since: WallInstant?
  let zones: any ZoneSource
  var countableMax = JobAudit.countableMax

  private static let findingsMax = 1000

  func report() throws -> LedgerAuditReport {
    let horizon = try Int64.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'horizon'")
    let start = [horizon, since?.milliseconds].compactMap(\.self).max()
    var report = LedgerAuditReport()
    report.since = start.map { WallInstant(milliseconds: $0) }
    if let damage = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), damage != "ok" {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: damage)
    }
    report.losses = try losses()
    report.uncountedLosses =
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM losses WHERE job IS NULL AND what = 'verdicts' AND at > ?",
        arguments: [start ?? .min]) ?? 0
    let rows = try Row.fetchAll(
      db, sql: "SELECT id, name, clock_mark, wall_mark FROM jobs WHERE clock_mark IS NOT NULL")
    let schedules = StoredSchedules(zones)
    for row in rows {
      guard let name = JobName(try row.text("name")) else { continue }
      report.jobs += 1
      let audit = try audit(
        name, number: try row.integer("id"), row, schedules, start: start ?? .min)
      add(audit, to: &report)
    }
    try addUnpaired(to: &report, start: start ?? .min)
    return report
  }

  private func add(_ audit: JobAudit, to report: inout LedgerAuditReport) {
    report.verdictCounts.add(audit.verdictCounts)
    report.pending += audit.pendingCount
    report.lost += audit.lostCount
    report.findingCount += audit.findingCount
    report.findings += audit.findings.prefix(Self.findingsMax - report.findings.count)
  }

  private func audit(
    _ name: JobName, number: Int64, _ row: Row, _ schedules: StoredSchedules, start: Int64
  ) throws -> JobAudit {
    let versions = try Row.fetchAll(
      db, sql: "SELECT * FROM schedules WHERE job = ? ORDER BY id", arguments: [number]
    ).compactMap { try LedgerReading.version($0, name, schedules) }
    let pending = try Int64.fetchAll(
      db, sql: "SELECT slot FROM pending WHERE job = ?", arguments: [number])
    let losses = try Row.fetchAll(
      db, sql: "SELECT first, last, count FROM losses WHERE job = ?", arguments: [number]
    ).map { row in
      RecordLoss(
        first: try row.instant("first"), last: try row.instant("last"),
        count: try row.count("count"))
    }
    let mark = ScheduleEdge(
      clock: ScheduleInstant(milliseconds: try row.integer("clock_mark")),
      wall: ScheduleInstant(milliseconds: try row.integer("wall_mark")),
      at: WallInstant(milliseconds: 0))
    let newest =
      mark.isPlausible
      ? nil
      : try Int64.fetchOne(
        db, sql: "SELECT max(last) FROM verdicts WHERE job = ?", arguments: [number])
    var audit = JobAudit(
      job: name, versions: versions, mark: mark,
      pending: pending.map { WallInstant(milliseconds: $0) }, losses: losses,
      since: ScheduleInstant(milliseconds: start),
      newest: newest.map { ScheduleInstant(milliseconds: $0) }, countableMax: countableMax)
    let sql = """
      SELECT first, last, count, verdict, detail, run, at FROM verdicts
      WHERE job = ? AND last > ? ORDER BY first
      """
    let records = try Row.fetchCursor(db, sql: sql, arguments: [number, start])
    while let record = try records.next() { try Self.add(record, into: &audit) }
    audit.finish()
    return audit
  }

  private static func add(_ row: Row, into audit: inout JobAudit) throws {
    let slots = SlotSeries(
      first: try row.instant("first"), last: try row.instant("last"),
      count: try row.count("count"))
    let (name, detail) = (try row.text("verdict"), try row.text(ifAny: "detail"))
    guard let verdict = verdict(name, detail) else {
      return audit.addUnknown(slots, detail.map { "\(name)(\($0))" } ?? name)
    }
    audit.add(
      VerdictRecord(
        job: audit.job, slots: slots, verdict: verdict, at: try row.instant("at"),
        run: try row.run(ifAny: "run")))
  }

  /// Nil for a verdict, or a reason of one, that this version does not know.
  static func verdict(_ name: String, _ detail: String?) -> Verdict? {
    switch name {
    case "ran": .ran
    case "skipped": detail.flatMap(SkipReason.init).map { .skipped($0) }
    case "coalesced": detail.flatMap { try? InstantText($0).instant }.map { .coalesced(into: $0) }
    case "missed": detail.flatMap(MissCause.init).map { .missed($0) }
    case "cancelled": detail.flatMap(CancelReason.init).map { .cancelled($0) }
    default: nil
    }
  }

  private func losses() throws -> [String] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT losses.*, jobs.name AS name FROM losses LEFT JOIN jobs ON jobs.id = losses.job
        ORDER BY losses.id LIMIT 100
        """
    ).map { row in
      let (at, count) = (try row.instant("at"), try row.integer("count"))
      let name = try row.text(ifAny: "name")
      // A loss that no schedule can count is named without a number.
      let number = count > 0 && count < 1_000_000_000_000 ? "\(count) " : ""
      return
        "\(at.rfc3339()): \(name.map { "\($0): " } ?? "")"
        + "\(number)\(try row.text("what")) (\(try row.text("reason")))"
    }
  }

  /// A slot that has run has a run, and a run of a slot that has started has a verdict.
  private func addUnpaired(to report: inout LedgerAuditReport, start: Int64) throws {
    let lost =
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM losses WHERE job IS NULL") ?? 0
    // Once runs have been lost, nobody can say which.
    guard lost == 0 else { return }
    let runsHorizon =
      try Int64.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'runs_horizon'") ?? 0
    let withoutVerdict = """
      SELECT jobs.name AS name, slot, run FROM runs JOIN jobs ON jobs.id = runs.job
      WHERE kind = 'slot' AND began_at IS NOT NULL AND slot > ? AND run > ?
        AND NOT EXISTS (SELECT 1 FROM verdicts WHERE verdicts.job = runs.job
          AND verdicts.first = runs.slot AND verdicts.run = runs.run)
      """
    let withoutRun = """
      SELECT jobs.name AS name, first AS slot, run FROM verdicts
      JOIN jobs ON jobs.id = verdicts.job WHERE verdict = 'ran' AND first > ? AND run > ?
        AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.run = verdicts.run)
      """
    for (sql, what) in [(withoutVerdict, "no verdict"), (withoutRun, "no run")] {
      let rows = try Row.fetchCursor(db, sql: sql, arguments: [start, runsHorizon])
      while let row = try rows.next() {
        report.findingCount += 1
        guard report.findings.count < Self.findingsMax, let name = JobName(try row.text("name"))
        else {
          continue
        }
        let run = try row.integer("run")
        report.findings.append(
          AuditFinding(
            job: name, kind: .unpaired,
            slots: SlotSeries(try row.instant("slot")),
            detail: "run \(run): \(what)"))
      }
    }
  }
}
