internal import GRDB
import TaktCore

extension LedgerFindings {
  init(_ reading: LedgerReading) throws {
    former = try reading.former()
    badRows = reading.badRows
    lastSeen = try Int64.fetchOne(reading.db, sql: "SELECT max(seen_at) FROM daemons")
      .map { WallInstant(milliseconds: $0) }
    instances = try String.fetchAll(
      reading.db, sql: "SELECT instance FROM daemons WHERE down_at IS NULL AND boot = ?",
      arguments: [reading.boot])
    let sql = """
      SELECT attempts.run, pid, ticks_from, ticks_to, jobs.name AS name FROM runs
      JOIN attempts ON attempts.run = runs.run JOIN jobs ON jobs.id = runs.job
      WHERE runs.outcome IS NULL AND pid IS NOT NULL AND attempts.ended_at IS NULL
        AND runs.began_at >= (SELECT min(up_at) FROM daemons WHERE boot = ?)
      """
    processes = try Row.fetchAll(reading.db, sql: sql, arguments: [reading.boot]).compactMap {
      // One that makes no sense is nobody's process.
      try? LeftProcess($0)
    }
  }
}

extension LedgerFindings.LeftProcess {
  fileprivate init?(_ row: Row) throws {
    guard let job = JobName(try row.text("name")), let run = try row.run(ifAny: "run"),
      let pid = Int32(exactly: try row.integer("pid")), pid > 1
    else { return nil }
    self.init(
      job: job, run: run,
      identity: ProcessIdentity(
        pid: pid, sinceTicks: UInt64(try row.count("ticks_from")),
        untilTicks: UInt64(try row.count("ticks_to"))))
  }
}
