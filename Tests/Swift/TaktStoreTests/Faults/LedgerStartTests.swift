import Foundation
import GRDB
import Glibc
import Synchronization
import TaktCore
import TaktTime
import Testing

@testable import TaktStore

/// Ledgers that cannot be used as they are when they are opened.
@Suite struct LedgerStartTests {
  @Test func `a file that is no database is put aside at the start`() throws {
    let bench = try LedgerBench()
    try Data("this is no database, and never was one".utf8).write(
      to: URL(fileURLWithPath: bench.path))
    try bench.open()
    #expect(bench.hasLogged("the ledger was damaged and has been rewritten"))
    let job = try GridJob("a")
    bench.keep(job.load + job.runs(1, run: 1))
    try bench.expectBalance(slots: 1)
  }

  @Test func `a ledger that can be read and not written at the start is continued from`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...1)
    bench.close()
    let other = try bench.lockedByAnother()
    try bench.open()
    #expect(bench.findings.previous.jobs[job.name]?.isOpen == true)
    #expect(bench.findings.previous.lastRun == 1)
    bench.record(job, 2...2)
    try other.release()
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 0)
    try bench.expectBalance(slots: 2)
  }

  @Test func `a ledger that is read-only at the start is written when it no longer is`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...1)
    bench.close()
    guard let file = ReadOnlyFile(bench.path) else { return }
    try bench.open()
    #expect(bench.findings.previous.lastRun == 1)
    bench.record(job, 2...2)
    #expect(bench.hasLogged("it is read-only"))
    #expect(!bench.isKept(within: .milliseconds(700)))
    file.free()
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 0)
    try bench.expectBalance(slots: 2)
  }

  @Test func `a folder that has become another daemon's is no longer written`() throws {
    let (bench, job) = try LedgerBench.begun()
    try FileManager.default.removeItem(at: bench.folder)
    let other = try LedgerBench(bench.folder)
    try other.open()
    other.keep(job.load + job.runs(1, run: 1))
    bench.record(job, 1...1)
    #expect(bench.hasLogged("the state folder is in use by test"))
    #expect(!bench.isKept(within: .milliseconds(700)))
    bench.ledger?.close(timeout: .milliseconds(100))
    try other.expectBalance(slots: 1)
  }

  @Test func `a newer ledger is refused, and not touched`() throws {
    let (bench, _) = try LedgerBench.begun()
    bench.close()
    try bench.sql { db in
      try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('9 from the future')")
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: bench.path))
    #expect(throws: LedgerOpenFailure.newer(path: bench.path)) { try bench.open() }
    #expect(throws: LedgerArchive.Failure.newer(path: bench.path)) {
      _ = try LedgerArchive(folder: bench.folder.path)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == before)
  }

  @Test func `a ledger that cannot be read at the start is restored later, with what that costs`()
    throws
  {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job.runs(1, run: 1) + job.begins(2, run: 2))
    bench.close()
    let other = try bench.lockedByAnother(
      "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM meta")
    try bench.open()
    #expect(bench.hasLogged("cannot be written"))
    #expect(bench.findings.previous.jobs.isEmpty)
    #expect(bench.findings.previous.lastRun > 1_000_000_000_000)
    let later = GridJob.begin + .seconds(10)
    let edge = ScheduleEdge(clock: ScheduleInstant(later), wall: ScheduleInstant(later), at: later)
    bench.ledger?.record(
      [
        .schedule(
          ScheduleVersion(
            job: job.name, schedule: Schedule(every: Every(.seconds(1))), isEnabled: true,
            anchor: ScheduleInstant(GridJob.begin), from: edge, instantsFrom: edge.wall)),
        job.mark(after: 10),
      ] + job.runs(11, run: 1_000_000_000_000_000))
    try other.release()
    try other.close()
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 1)
    bench.close()
    let report = try bench.audit()
    // Slots 3 to 10 are in no ledger.
    #expect(report.lost == 8, "\(report)")
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(report.losses.contains { $0.contains("could not be read at the start") })
    let run = try LedgerArchive(folder: bench.folder.path).run(RunID(2))
    #expect(run?.end?.outcome == .interrupted)
  }

  @Test func `an empty file of a first start that was cut off becomes the ledger`() throws {
    let bench = try LedgerBench()
    try Data().write(to: URL(fileURLWithPath: bench.path))
    #expect(throws: LedgerArchive.Failure.empty(path: bench.path)) {
      _ = try LedgerArchive(folder: bench.folder.path)
    }
    try bench.open()
    #expect(bench.hasLogged("is empty (0 bytes), as an interrupted first start leaves it"))
    let job = try GridJob("a")
    bench.keep(job.load + job.runs(1, run: 1))
    #expect(try bench.sql { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 2)
    try bench.expectBalance(slots: 1)
  }

  @Test(arguments: ["empty", "missing"])
  func `a ledger that was lost between two daemons is said, and verify does not pass`(
    how: String
  ) throws {
    let (bench, job) = try LedgerBench.begun()
    bench.ledger?.settle([])
    bench.keep(job, 1...1)
    bench.close()
    if how == "empty" {
      truncate(bench.path, 0)
    } else {
      unlink(bench.path)
    }
    try bench.open()
    #expect(bench.hasLogged("although a daemon has used this state folder"))
    bench.keep(job.load + job.runs(1, run: 1))
    bench.close()
    let report = try bench.audit()
    #expect(!report.isBalanced)
    #expect(report.uncountedLosses == 1)
    #expect(report.losses.contains { $0.contains("verdicts (the ledger was \(how) at a start)") })
  }

  @Test func `a job whose last takt is forgotten is still known`() throws {
    let (bench, _) = try LedgerBench.begun()
    bench.close()
    try bench.sql { try $0.execute(sql: "DELETE FROM daemons") }
    try bench.open()
    #expect(bench.findings.previous.jobs.count == 1)
    bench.close()
  }

  @Test func `what could not be written when takt ended is in the next ledger`() throws {
    let (bench, job) = try LedgerBench.begun()
    let other = try bench.lockedByAnother()
    bench.record(job, 1...1)
    bench.ledger?.close(timeout: .seconds(1))
    #expect(bench.hasLogged("entries lost: 4"))
    try other.release()
    try bench.open()
    bench.close()
    #expect(try bench.audit().losses.contains { $0.contains("4 entries (takt ended while") })
  }
}

/// A file that cannot be written for a while; root writes whatever its mode says, but not to a mount that
/// is read-only.
private final class ReadOnlyFile {
  private let path: String
  private var isFree = false
  // MS_BIND, and MS_REMOUNT with MS_RDONLY.
  private static let (bind, readOnly): (UInt, UInt) = (4096, 32 | 4096 | 1)

  /// Nil in a container that may not mount.
  init?(_ path: String) {
    self.path = path
    guard geteuid() == 0 else {
      chmod(path, 0o400)
      return
    }
    guard mount(path, path, nil, Self.bind, nil) == 0 else { return nil }
    guard mount(nil, path, nil, Self.readOnly, nil) == 0 else {
      umount2(path, Int32(MNT_DETACH))
      return nil
    }
  }

  deinit { free() }

  func free() {
    guard !isFree else { return }
    isFree = true
    if geteuid() == 0 { umount2(path, Int32(MNT_DETACH)) } else { chmod(path, 0o600) }
  }
}
