internal import GRDB
package import TaktCore
package import TaktTime

/// The facts that a daemon finds in the ledger at its start.
package struct LedgerFindings: Sendable {
  package var previous = PreviousState()
  /// Daemons of this boot whose leftover processes have not been searched for.
  package var daemons: [PreviousDaemon] = []
  /// Processes without a recorded end that a daemon of an earlier version has started; it recorded
  /// neither a mark nor itself.
  package var unmarked: [LeftoverProcess] = []
  /// The time of the previous daemon's last write; nil if there was none.
  package var lastSeen: WallInstant?

  /// Jobs that run once, the first added first.
  package var onceJobs: [OnceJob] = []
  /// The number of invalid rows, which were skipped.
  package var badRows = 0

  /// A daemon that has used this ledger, or the one that it is a copy of.
  package struct PreviousDaemon: Hashable, Sendable {
    /// Nil if the ledger could not record it.
    package var id: Int64?
    package var pid: Int32
    /// The start of its process, in clock ticks; nil in a row of an earlier version.
    package var startTicks: UInt64?
    /// The namespace of its process numbers.
    package var pidSpace: String?
    /// True if it used the state folder in which the ledger is now. A copy has another identity.
    package var isOfThisFolder: Bool
    /// The member of its cluster that it was last.
    package var member: MemberID?
    package var processes: [LeftoverProcess] = []
    /// Those of its service plugins, and those that the ledger could not record.
    package var services: [ProcessIdentity] = []

    package var hasLeftovers: Bool { !processes.isEmpty || !services.isEmpty }
  }

  /// The process of an attempt that has no recorded end.
  package struct LeftoverProcess: Hashable, Sendable {
    package var run: RunID
    package var identity: ProcessIdentity
  }
}

extension LedgerFindings {
  init(_ reading: LedgerReading, in folder: StateDirectory.Identity) throws {
    previous = try reading.previous()
    badRows = reading.badRows
    lastSeen = try Int64.fetchOne(reading.db, sql: "SELECT max(seen_at) FROM daemons")
      .map { WallInstant(milliseconds: $0) }
    daemons = try Row.fetchAll(
      reading.db, sql: "SELECT * FROM daemons WHERE settled_at IS NULL AND boot = ? ORDER BY id",
      arguments: [reading.boot]
    ).compactMap {
      // An invalid row proves nothing.
      try? PreviousDaemon($0, in: folder)
    }
    try readProcesses(reading)
    try readServices(reading.db)
    for row in try Row.fetchAll(reading.db, sql: "SELECT * FROM once ORDER BY id") {
      guard let job = try? OnceJob(row) else {
        badRows += 1
        continue
      }
      onceJobs.append(job)
    }
    try readUnreported(reading.db, in: folder)
  }

  /// Those of a daemon with another state folder are that daemon's to report: this ledger is a
  /// copy.
  private mutating func readUnreported(
    _ db: Database, in folder: StateDirectory.Identity
  ) throws {
    let sql = """
      SELECT unreported.*, folder_device, folder_inode
      FROM unreported JOIN daemons ON daemons.id = unreported.daemon
      """
    for row in try Row.fetchAll(db, sql: sql) {
      guard let run = try? UnclaimedRun(row), let owner = try? row.folder else {
        badRows += 1
        continue
      }
      if owner == folder { previous.unreported.append(run) }
    }
    previous.unreported.sort()
  }

  private mutating func readProcesses(_ reading: LedgerReading) throws {
    let sql = """
      SELECT attempts.*, jobs.name AS name,
        runs.began_at >= (SELECT min(up_at) FROM daemons WHERE boot = ?) AS is_recent
      FROM runs JOIN attempts ON attempts.run = runs.run JOIN jobs ON jobs.id = runs.job
      WHERE runs.outcome IS NULL AND pid IS NOT NULL AND attempts.ended_at IS NULL
      """
    for row in try Row.fetchAll(reading.db, sql: sql, arguments: [reading.boot]) {
      guard let process = try? LeftoverProcess(row) else { continue }
      if let daemon = try? row.integer(ifAny: "daemon") {
        if let index = daemons.firstIndex(where: { $0.id == daemon }) {
          daemons[index].processes.append(process)
        }
      } else if (try? row.integer(ifAny: "is_recent")) == 1 {
        unmarked.append(process)
      }
    }
  }

  /// Adds the note that a daemon left next to the ledger.
  mutating func add(_ noted: PreviousDaemon) {
    let place = daemons.firstIndex { $0.pid == noted.pid && $0.startTicks == noted.startTicks }
    if let place {
      daemons[place].services += noted.services
    } else {
      daemons.append(noted)
    }
  }

  private mutating func readServices(_ db: Database) throws {
    for index in daemons.indices {
      daemons[index].services = try Row.fetchAll(
        db, sql: "SELECT * FROM services WHERE daemon = ?", arguments: [daemons[index].id]
      ).compactMap { try? ProcessIdentity($0) }
    }
  }
}

extension Row {
  fileprivate var folder: StateDirectory.Identity {
    get throws {
      StateDirectory.Identity(
        device: try integer(ifAny: "folder_device"), inode: try integer(ifAny: "folder_inode"))
    }
  }
}

extension LedgerFindings.PreviousDaemon {
  fileprivate init?(_ row: Row, in folder: StateDirectory.Identity) throws {
    guard let pid = Int32(exactly: try row.integer("pid")), pid > 0 else { return nil }
    let recorded = try row.folder
    self.init(
      id: try row.integer("id"), pid: pid,
      startTicks: try row.integer(ifAny: "start_ticks").flatMap { UInt64(exactly: $0) },
      pidSpace: try row.text(ifAny: "pid_space"), isOfThisFolder: recorded == folder,
      member: try row.integer(ifAny: "member").flatMap { UInt64(exactly: $0) }.map { MemberID($0) })
  }
}

extension LedgerFindings.LeftoverProcess {
  fileprivate init?(_ row: Row) throws {
    guard JobName(try row.text("name")) != nil, let run = try row.run(ifAny: "run"),
      let identity = try ProcessIdentity(row)
    else { return nil }
    self.init(run: run, identity: identity)
  }
}

extension ProcessIdentity {
  /// Nil for a number that no process of takt's can have.
  fileprivate init?(_ row: Row) throws {
    guard let pid = Int32(exactly: try row.integer("pid")), pid > 1 else { return nil }
    self.init(
      pid: pid, sinceTicks: UInt64(try row.count("ticks_from")),
      untilTicks: UInt64(try row.count("ticks_to")), mark: try row.text(ifAny: "mark") ?? "",
      controlGroup: try row.text(ifAny: "cgroup"))
  }
}

extension UnclaimedRun {
  fileprivate init(_ row: Row) throws {
    self.init(
      try row.value("job", JobName.init), try row.instant("slot"),
      askedAs: try row.integer(ifAny: "member").flatMap { UInt64(exactly: $0) }
        .map { MemberID($0) })
  }
}

extension OnceJob {
  fileprivate init(_ row: Row) throws {
    self.init(
      name: try row.value("name", JobName.init), text: try row.text("keys"),
      at: try row.instant("due"))
  }
}
