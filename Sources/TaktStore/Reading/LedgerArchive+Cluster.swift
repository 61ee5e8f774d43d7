internal import GRDB
package import TaktCore
package import TaktTime

/// The slots that a shared job should have according to the ledger, as far as this machine has
/// come.
package struct JobExpectation: Sendable {
  package var versions: [AuditedVersion]
  package var mark: ScheduleEdge
  /// Records of earlier slots are deleted; nil if there are all.
  package var horizon: WallInstant?
}

extension LedgerArchive {
  /// Nil for a job that the ledger does not know.
  package func expectation(
    of job: JobName, zones: any ZoneSource
  ) throws(Failure) -> JobExpectation? {
    try read { db in
      let row = try Row.fetchOne(
        db,
        sql: "SELECT id, clock_mark, wall_mark FROM jobs WHERE name = ? AND clock_mark IS NOT NULL",
        arguments: [job.text])
      guard let row else { return nil }
      let schedules = StoredSchedules(zones)
      let versions = try Row.fetchAll(
        db, sql: "SELECT * FROM schedules WHERE job = ? ORDER BY id",
        arguments: [try row.integer("id")]
      ).compactMap { try LedgerReading.version($0, job, schedules) }
      let horizon = try Int64.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'horizon'")
      return JobExpectation(
        versions: versions,
        mark: ScheduleEdge(
          clock: try row.scheduleInstant("clock_mark"), wall: try row.scheduleInstant("wall_mark"),
          at: WallInstant(milliseconds: 0)),
        horizon: horizon.map { WallInstant(milliseconds: $0) })
    }
  }

  package func records(
    of job: JobName, on slots: [WallInstant]
  ) throws(Failure) -> [ClusterAudit.LocalRecord] {
    if slots.isEmpty { return [] }
    return try read { db in
      let number =
        try Int64.fetchOne(db, sql: "SELECT id FROM jobs WHERE name = ?", arguments: [job.text])
        ?? -1
      let pending = try Set(
        Int64.fetchAll(db, sql: "SELECT slot FROM pending WHERE job = ?", arguments: [number]))
      let statement = try db.cachedStatement(
        sql: """
          SELECT last, verdict, detail FROM verdicts WHERE job = ? AND first <= ?
          ORDER BY first DESC LIMIT 1
          """)
      return try slots.map { slot in
        if pending.contains(slot.milliseconds) { return .pending }
        let row = try Row.fetchOne(statement, arguments: [number, slot.milliseconds])
        guard let row, try row.integer("last") >= slot.milliseconds else { return .none }
        return LedgerAudit.verdict(try row.text("verdict"), try row.text(ifAny: "detail"))
          .map { .decided($0) } ?? .none
      }
    }
  }
}
