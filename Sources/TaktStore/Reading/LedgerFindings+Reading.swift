internal import GRDB
import TaktCore

extension LedgerFindings {
  init(_ reading: LedgerReading) throws {
    former = try reading.former()
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
      row in
      guard let job = JobName(row["name"]) else { return nil }
      let (from, to): (Int64, Int64) = (row["ticks_from"], row["ticks_to"])
      return LeftProcess(
        job: job, run: LedgerReading.run(row["run"]),
        identity: ProcessIdentity(
          pid: row["pid"], sinceTicks: UInt64(max(0, from)), untilTicks: UInt64(max(0, to))))
    }
  }
}
