import Foundation
import GRDB
import Glibc
import Synchronization
import TaktCore
import TestSupport
import Testing

@testable import TaktStore
import TaktTime

/// The ledger's records of processes that a daemon may have left: whose they are, how they are
/// known, and whether they have been searched for.
@Suite struct LedgerProvenanceTests {
  private static let identity = ProcessIdentity(
    pid: 4711, sinceTicks: 100, untilTicks: 102, mark: String(repeating: "0f", count: 16),
    controlGroup: "/takt-1/3")

  /// A ledger whose daemon was killed while an attempt was in progress.
  private func killed(inOneBatch: Bool = true) throws -> LedgerBench {
    let (bench, job) = try LedgerBench.opened(startTicks: 99)
    let process = LedgerEntry.process(RunID(1), Self.identity)
    if inOneBatch {
      bench.ledger?.record(job.load + job.begins(1, run: 1) + [process])
    } else {
      bench.keep(job.load + job.begins(1, run: 1))
      bench.ledger?.record([process])
    }
    bench.keep(job.runs(2, run: 2) + [.process(RunID(2), Self.identity)])
    return bench
  }

  @Test(arguments: [false, true])
  func `the processes of attempts without an end are known by mark, group and daemon`(
    inOneBatch: Bool
  ) throws {
    let bench = try killed(inOneBatch: inOneBatch)
    try bench.open()
    let daemon = try #require(bench.findings.daemons.first)
    #expect(bench.findings.daemons.count == 1)
    #expect(daemon.pid == getpid())
    #expect(daemon.startTicks == 99)
    #expect(daemon.pidSpace == "pid:[1]")
    #expect(daemon.isOfThisFolder)
    #expect(daemon.processes.map(\.identity) == [Self.identity])
    #expect(daemon.processes.map(\.run) == [RunID(1)])
    #expect(bench.findings.unmarked == [])
  }

  @Test(arguments: [false, true])
  func `the processes of services are known until they end, or have been searched for`(
    inOneBatch: Bool
  ) throws {
    let bench = try LedgerBench()
    try bench.open(startTicks: 99)
    var other = Self.identity
    other.pid = 4712
    let entries: [LedgerEntry] = [
      .service(1, Self.identity), .service(2, other), .serviceEnded(2), .serviceEnded(3),
    ]
    for entries in inOneBatch ? [entries] : entries.map({ [$0] }) {
      bench.keep(entries)
    }
    try bench.open()
    #expect(bench.findings.daemons.map(\.services) == [[Self.identity]])
    // The same number, of another daemon.
    bench.keep([.service(1, other), .serviceEnded(1)])
    try bench.open()
    #expect(bench.findings.daemons.map(\.services) == [[Self.identity], []])
    bench.ledger?.settle(bench.findings.daemons)
    #expect(bench.isKept())
    try bench.open()
    let left = try bench.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM services") }
    #expect(left == 0)
  }

  /// The findings of a daemon that starts now, after a kill.
  private func reserved(in bench: LedgerBench, boot: String = "this") throws
    -> LedgerFindings.PreviousDaemon?
  {
    let folder = try #require(StateDirectory(path: bench.folder.path))
    return ProcessReserve.read(in: folder, boot: boot)
  }

  private func expectReserved(_ numbers: [Int32], in bench: LedgerBench) throws {
    let end = Date(timeIntervalSinceNow: 60)
    var found: [Int32] = []
    repeat {
      found = try reserved(in: bench)?.services.map(\.pid).sorted() ?? []
      usleep(5000)
    } while found != numbers && Date() < end
    #expect(found == numbers)
  }

  @Test func `processes that the ledger cannot record are known until it can`() throws {
    let (bench, job) = try LedgerBench.opened(startTicks: 99)
    bench.ledger?.settle([])
    bench.keep(job.load)
    var (second, third) = (Self.identity, Self.identity)
    (second.pid, third.pid) = (4712, 4713)
    third.controlGroup = nil
    try bench.sql { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      bench.ledger?.record(job.begins(1, run: 1) + [.process(RunID(1), Self.identity)])
      try expectReserved([4711], in: bench)
      #expect(bench.hasLogged("another process has locked it"))
      bench.ledger?.record([.service(1, second), .service(2, third)])
      try expectReserved([4711, 4712, 4713], in: bench)
      let daemon = try #require(try reserved(in: bench))
      #expect(daemon.pid == getpid() && daemon.startTicks == 99 && daemon.pidSpace == "pid:[1]")
      #expect(daemon.isOfThisFolder)
      #expect(Set(daemon.services) == [Self.identity, second, third])
      #expect(try reserved(in: bench, boot: "another") == nil)
      bench.ledger?.record(job.ends(1, run: 1) + [.serviceEnded(1), .service(3, second)])
      try expectReserved([4712, 4713], in: bench)
      try db.execute(sql: "ROLLBACK")
    }
    #expect(bench.isKept(), "\(bench.said.messages.withLock { $0 })")
    try expectReserved([], in: bench)
    try bench.open(startTicks: 100)
    #expect(bench.findings.daemons.map(\.services) == [[third, second]])
  }

  @Test func `a daemon that the ledger does not know, either, is found by its processes`() throws {
    let bench = try killed()
    let folder = try #require(StateDirectory(path: bench.folder.path))
    let writer = SQLiteLedger.Writer(
      instance: "test", boot: "this", version: "test", file: "test", startTicks: 7)
    let reserve = try #require(ProcessReserve(in: folder, of: writer))
    reserve.write([Self.identity])
    try bench.open()
    #expect(bench.findings.daemons.map(\.startTicks) == [99, 7])
    #expect(bench.findings.daemons.map(\.id) == [1, nil])
    #expect(bench.findings.daemons.last?.services == [Self.identity])
    bench.ledger?.settle(bench.findings.daemons)
    #expect(bench.isKept())
    // Once, and then the room is the new daemon's.
    reserve.write([Self.identity, Self.identity])
    #expect(try reserved(in: bench) == nil)
  }

  @Test func `a damaged line names no process`() throws {
    let bench = try LedgerBench()
    let folder = try #require(StateDirectory(path: bench.folder.path))
    let writer = SQLiteLedger.Writer(
      instance: "test", boot: "this", version: "test", file: "test", startTicks: 7)
    var other = Self.identity
    other.controlGroup = "/system.slice/takt.service/run-12"
    let reserve = try #require(ProcessReserve(in: folder, of: writer))
    reserve.write([Self.identity, other])
    let path = bench.folder.appendingPathComponent(ProcessReserve.name)
    let whole = try Data(contentsOf: path)
    let length = try #require(whole.firstIndex(of: 0))
    #expect(try reserved(in: bench)?.services == [Self.identity, other])
    // Text that is cut off, or changed, anywhere.
    for place in 0..<length {
      try whole.prefix(place).write(to: path)
      let left = try reserved(in: bench)?.services ?? []
      #expect(left.allSatisfy { $0 == Self.identity || $0 == other }, "cut at \(place): \(left)")
      var changed = whole
      changed[place] ^= 1
      try changed.write(to: path)
      let found = try reserved(in: bench)?.services ?? []
      #expect(found.count < 2, "changed at \(place)")
      #expect(found.allSatisfy { $0 == Self.identity || $0 == other }, "changed at \(place)")
    }
    for bytes in [Data(), Data(repeating: 0xff, count: 300_000), Data("0\t0\n\n\t\n".utf8)] {
      try bytes.write(to: path)
      #expect(try reserved(in: bench) == nil)
    }
  }

  @Test func `somebody's file of that name stays as it is, and that is said`() throws {
    let bench = try LedgerBench()
    let path = bench.folder.appendingPathComponent(ProcessReserve.name)
    try Data("my own list\n".utf8).write(to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
    try bench.open(startTicks: 99)
    bench.ledger?.settle([])
    #expect(bench.hasLogged("takt cannot reserve space in the file"))
    #expect(try Data(contentsOf: path) == Data("my own list\n".utf8))
  }

  @Test func `no more processes are named than there is room for`() throws {
    let bench = try LedgerBench()
    let folder = try #require(StateDirectory(path: bench.folder.path))
    let writer = SQLiteLedger.Writer(
      instance: "test", boot: "this", version: "test", file: "test", startTicks: 7)
    let reserve = try #require(ProcessReserve(in: folder, of: writer))
    reserve.write(repeatElement(Self.identity, count: 10_000))
    let count = try reserved(in: bench)?.services.count ?? 0
    #expect(count > 500 && count < 10_000)
    let path = bench.folder.appendingPathComponent(ProcessReserve.name).path
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect(size == ProcessReserve.size)
    reserve.write([])
    #expect(try reserved(in: bench) == nil)
  }

  @Test func `services of another start of the machine are forgotten`() throws {
    let bench = try LedgerBench()
    try bench.open(startTicks: 99)
    bench.keep([.service(1, Self.identity)])
    try bench.open(boot: "another")
    #expect(bench.findings.daemons == [])
    let left = try bench.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM services") }
    #expect(left == 0)
  }

  @Test func `leftovers of a daemon are searched for once`() throws {
    let bench = try killed()
    try bench.open()
    bench.ledger?.settle(bench.findings.daemons)
    #expect(bench.isKept())
    try bench.open()
    // The second daemon alone: it did not say that it ended, either.
    #expect(bench.findings.daemons.count == 1)
    #expect(bench.findings.daemons.first?.processes == [])
    bench.ledger?.settle(bench.findings.daemons)
    #expect(bench.isKept())
    let settled = try bench.sql {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM daemons WHERE settled_at IS NOT NULL")
    }
    #expect(settled == 2)
    // Nor is anything searched for that was left before the machine was started again.
    try bench.open(boot: "another")
    #expect(bench.findings.daemons == [])
  }

  @Test func `a folder that was moved is the same, a copy is another`() throws {
    let bench = try killed()
    let copy = bench.folder.appendingPathExtension("copy")
    let moved = bench.folder.appendingPathExtension("moved")
    try FileManager.default.copyItem(at: bench.folder, to: copy)
    let second = try LedgerBench(copy)
    try second.open()
    #expect(second.findings.daemons.map(\.isOfThisFolder) == [false])
    #expect(second.findings.previous.runs.count == 1)
    // From now on the copy knows itself.
    try second.open()
    #expect(second.findings.daemons.map(\.isOfThisFolder) == [false, true])

    #expect(rename(bench.folder.path, moved.path) == 0)
    unlink(moved.appendingPathComponent("lock").path)
    let third = try LedgerBench(moved)
    try third.open()
    #expect(third.findings.daemons.map(\.isOfThisFolder) == [true])
    #expect(third.findings.daemons.first?.processes.count == 1)
  }

  @Test func `a folder that was removed and made again is recorded again`() throws {
    let bench = try killed()
    try FileManager.default.removeItem(at: bench.folder)
    // Something else gets the number that the folder had.
    let other = bench.folder.appendingPathExtension("other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: other) }
    bench.keep(try GridJob("a").runs(3, run: 3))
    try bench.open()
    #expect(bench.findings.daemons.map(\.isOfThisFolder) == [true])
  }

  @Test func `a ledger of the version before is continued, and its attempts prove nothing`()
    throws
  {
    let bench = try LedgerBench()
    try OldLedger.make(in: bench.folder.path, boot: "this", pid: 4711, ticks: 5)
    try bench.open(startTicks: 99)
    #expect(bench.findings.previous.lastRun == 3)
    #expect(bench.findings.previous.jobs.count == 2)
    #expect(bench.findings.previous.runs.map(\.head.run) == [RunID(2), RunID(3)])
    #expect(bench.findings.daemons.map(\.startTicks) == [nil])
    #expect(bench.findings.daemons.first?.processes == [])
    let unmarked = bench.findings.unmarked.map(\.identity)
    #expect(unmarked == [ProcessIdentity(pid: 4711, sinceTicks: 5, untilTicks: 5)])

    bench.ledger?.settle(bench.findings.daemons)
    let name = try #require(JobName("daily"))
    let now = bench.findings.lastSeen ?? WallInstant(milliseconds: 0)
    bench.keep([
      .ended(
        RunRecord(
          RunHead(run: RunID(3), job: name, slot: now - .seconds(1)), attempts: 1,
          end: RunEnd(.interrupted, .down), endedAt: now, duration: .seconds(1)))
    ])
    bench.close()
    let report = try bench.audit()
    #expect(report.isBalanced, "\(report.findings)")
    #expect(report.verdictCounts.ran == 3)
    try bench.open()
    #expect(bench.findings.unmarked == [])
    // The one that has gone on from it.
    #expect(bench.findings.daemons.map(\.id) == [2])
  }

  @Test func `a ledger of the version before can be looked at without being changed`() throws {
    let bench = try LedgerBench()
    try OldLedger.make(in: bench.folder.path, boot: "this", pid: 4711, ticks: 5)
    let archive = try LedgerArchive(folder: bench.folder.path)
    #expect(try archive.runs(RunQuery()).count == 3)
    #expect(try archive.audit(zones: TestZones()).isBalanced)
    let tables = try bench.sql {
      try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations")
    }
    #expect(tables == ["1 books"])
  }
}

/// A ledger as the version with the tables "1 books" has left it.
enum OldLedger {
  static func make(in folder: String, boot: String, pid: pid_t, ticks: UInt64) throws {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    var text = try Repository.text("Tests/Data/ledgers/1-books.sql")
    for (word, value) in [
      ("BOOT", boot), ("PID", "\(pid)"), ("TICKS", "\(ticks)"), ("NOW", "\(now)"),
      ("CLOCK", "\(SystemTimeSource().monotonic.nanoseconds)"),
    ] {
      text = text.replacingOccurrences(
        of: "\\b\(word)\\b", with: value, options: .regularExpression)
    }
    let queue = try DatabaseQueue(path: folder + "/" + LedgerFile.name)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { [text] db in
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: text)
    }
  }
}
