internal import GRDB
import TaktCore
import TaktTime

extension LedgerFindings {
  init(_ reading: LedgerReading, in folder: StateDirectory.Identity) throws {
    former = try reading.former()
    badRows = reading.badRows
    lastSeen = try Int64.fetchOne(reading.db, sql: "SELECT max(seen_at) FROM daemons")
      .map { WallInstant(milliseconds: $0) }
    daemons = try Row.fetchAll(
      reading.db, sql: "SELECT * FROM daemons WHERE settled_at IS NULL AND boot = ? ORDER BY id",
      arguments: [reading.boot]
    ).compactMap {
      // A row that makes no sense proves nothing.
      try? PreviousDaemon($0, in: folder)
    }
    try readProcesses(reading)
  }

  private mutating func readProcesses(_ reading: LedgerReading) throws {
    let sql = """
      SELECT attempts.*, jobs.name AS name,
        runs.began_at >= (SELECT min(up_at) FROM daemons WHERE boot = ?) AS is_recent
      FROM runs JOIN attempts ON attempts.run = runs.run JOIN jobs ON jobs.id = runs.job
      WHERE runs.outcome IS NULL AND pid IS NOT NULL AND attempts.ended_at IS NULL
      """
    for row in try Row.fetchAll(reading.db, sql: sql, arguments: [reading.boot]) {
      guard let process = try? LeftProcess(row) else { continue }
      if let daemon = try? row.integer(ifAny: "daemon") {
        if let index = daemons.firstIndex(where: { $0.id == daemon }) {
          daemons[index].processes.append(process)
        }
      } else if (try? row.integer(ifAny: "is_recent")) == 1 {
        unmarked.append(process)
      }
    }
  }
}

extension LedgerFindings.PreviousDaemon {
  fileprivate init?(_ row: Row, in folder: StateDirectory.Identity) throws {
    guard let pid = Int32(exactly: try row.integer("pid")), pid > 0 else { return nil }
    let recorded = StateDirectory.Identity(
      device: try row.integer(ifAny: "folder_device"),
      inode: try row.integer(ifAny: "folder_inode"))
    self.init(
      id: try row.integer("id"), pid: pid,
      startTicks: try row.integer(ifAny: "start_ticks").flatMap { UInt64(exactly: $0) },
      pidSpace: try row.text(ifAny: "pid_space"), isOfThisFolder: recorded == folder)
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
        untilTicks: UInt64(try row.count("ticks_to")), mark: try row.text(ifAny: "mark") ?? "",
        controlGroup: try row.text(ifAny: "cgroup")))
  }
}
