import GRDB
import Glibc
import TaktCore
import TaktStore
import TaktTesting
import TaktTime

/// A ledger with changed values and deleted rows. A daemon starts with it, handles some timers and
/// writes; then each command that reads a ledger reads this one.
struct LedgerTarget: FuzzTarget {
  static let name = "ledger"
  static let summary = "rows of the ledger, at the start of a daemon, in takt verify and runs"

  private static let fileName = "ledger.sqlite"

  private let day: KeptDay
  private let lock: StateFolderLock
  /// The ledger before any change.
  private let kept: [UInt8]
  private let tables: [LedgerTable]

  init() throws {
    day = try KeptDay()
    let folder = try ScratchFolder().path
    lock = try StateFolderLock(folder: folder, holder: "fuzz")
    let writer = Self.writer(in: lock)
    _ = try writer.begin()
    let entries = day.entries(after: PreviousState(), wakes: 40)
    writer.write(entries + (try KeptDay.rareEntries(after: entries)), [])
    guard writer.write(taking: { LedgerLosses() }) else {
      throw ScratchFolder.Failure(text: writer.failure ?? "the ledger cannot be written")
    }
    writer.close()
    let path = "\(folder)/\(Self.fileName)"
    tables = try LedgerTable.all(of: path)
    guard let bytes = Files.bytes(of: path) else {
      throw ScratchFolder.Failure(text: "\(path) cannot be read")
    }
    kept = bytes
  }

  mutating func read(_ bytes: [UInt8]) {
    let path = "\(lock.folder)/\(Self.fileName)"
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    Files.write(kept, to: path)
    do {
      try change(path, by: bytes)
    } catch {
      preconditionFailure("the ledger cannot be changed: \(error)")
    }
    startDaemon()
    do {
      try readAll(about: KeptDay.jobs[bytes.count % KeptDay.jobs.count])
    } catch LedgerArchive.Failure.unreadable {
      // It reports a reason; nothing else is promised.
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func change(_ path: String, by bytes: [UInt8]) throws {
    var input = InputBytes(bytes)
    let database = try DatabaseQueue(path: path)
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = OFF; BEGIN")
      while let choice = input.byte() {
        let table = tables[Int(choice) % tables.count]
        let row = Int(input.byte() ?? 0)
        let column = Int(input.byte() ?? 0) % (table.columns.count + 1)
        // Changes that violate a column's constraints are left out.
        if column == table.columns.count {
          try? db.execute(sql: table.deletion, arguments: [row % max(1, table.rowCount)])
        } else {
          try? db.execute(
            sql: table.change(of: column), arguments: [input.value(), row % max(1, table.rowCount)])
        }
      }
      try db.execute(sql: "COMMIT")
    }
    try database.close()
  }

  private func startDaemon() {
    let writer = Self.writer(in: lock)
    let findings: LedgerFindings
    do {
      findings = try writer.begin()
    } catch {
      return
    }
    for job in findings.onceJobs { _ = job.at.rfc3339() }
    writer.write(day.entries(after: findings.previous, wakes: 8), [])
    _ = writer.write { LedgerLosses() }
    writer.close()
  }

  private func readAll(about name: String) throws {
    let zones = FixedZones()
    let archive = try LedgerArchive(folder: lock.folder)
    defer { archive.close() }
    let (first, last) = (FixedTime.wall + .seconds(-86_400), FixedTime.wall + .seconds(86_400))
    _ = try? archive.audit(zones: zones, countableMax: 2_000)
    _ = try? archive.statistics()
    _ = try? archive.absences(from: first, to: last)
    _ = try? archive.verdicts(VerdictQuery(jobs: nil, since: first, before: last, limit: 50))
    _ = try? archive.previous(boot: KeptDay.boot, zones: zones)
    for run in (try? archive.runs(RunQuery())) ?? [] { _ = try? archive.outputs(of: run.head.run) }
    guard let job = JobName(name) else { preconditionFailure("'\(name)' is a name") }
    _ = try? archive.inquire(job, from: nil, to: last, zones: zones)
    _ = try? archive.backfilledSlots(of: job)
    _ = try? archive.records(of: job, on: [FixedTime.wall])
    if let expectation = try? archive.expectation(of: job, zones: zones) {
      EngineAudit.check(
        EngineSlots(), of: job, versions: expectation.versions, mark: expectation.mark)
    }
  }

  private static func writer(in lock: StateFolderLock) -> LedgerWriter {
    LedgerWriter(
      lock: lock,
      writer: SQLiteLedger.Writer(
        instance: "fuzz", boot: KeptDay.boot, version: "1", file: "/nowhere/jobs.yaml",
        startTicks: 1, pidSpace: "pid:[1]"),
      history: History(), checkAfter: .seconds(86_400), zones: FixedZones(),
      observer: SilentObserver(),
      time: FixedTime(), onRenewed: {})
  }
}

/// A table of the ledger, and statements that change one of its rows.
private struct LedgerTable {
  let name: String
  let columns: [String]
  let key: String
  let rowCount: Int

  static func all(of path: String) throws -> [LedgerTable] {
    let database = try DatabaseQueue(path: path)
    defer { try? database.close() }
    return try database.read { db in
      let names = try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
          AND name NOT LIKE 'grdb_%' ORDER BY name
          """)
      return try names.map { name in
        let rows = try Row.fetchAll(db, sql: "SELECT name, pk FROM pragma_table_info('\(name)')")
        return LedgerTable(
          name: name, columns: rows.map { $0["name"] },
          key: rows.filter { $0["pk"] > 0 }.map { $0["name"] as String }.joined(separator: ", "),
          rowCount: try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0)
      }
    }
  }

  var deletion: String { "DELETE FROM \(name) WHERE \(isTheRow)" }

  func change(of column: Int) -> String {
    "UPDATE \(name) SET \(columns[column]) = ? WHERE \(isTheRow)"
  }

  private var isTheRow: String {
    "(\(key)) = (SELECT \(key) FROM \(name) ORDER BY \(key) LIMIT 1 OFFSET ?)"
  }
}

/// Numbers and values, taken from the start of an input.
private struct InputBytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Nil at the end.
  mutating func byte() -> UInt8? { rest.popFirst() }

  private mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func number() -> Int64 {
    bytes(8).reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  /// A value of each kind that SQLite has; numbers are mostly near powers of two.
  mutating func value() -> DatabaseValue {
    switch (byte() ?? 0) % 7 {
    case 0: .null
    case 1: Int64(Int8(truncatingIfNeeded: byte() ?? 0)).databaseValue
    case 2: number().databaseValue
    case 3:
      (Int64(1) << Int64((byte() ?? 0) % 64) &+ Int64(Int8(truncatingIfNeeded: byte() ?? 0)))
        .databaseValue
    case 4: (FixedTime.wall.milliseconds &+ number() >> 20).databaseValue
    case 5: Double(bitPattern: UInt64(bitPattern: number())).databaseValue
    default:
      String(decoding: bytes(Int(byte() ?? 0)), as: UTF8.self).databaseValue
    }
  }
}
