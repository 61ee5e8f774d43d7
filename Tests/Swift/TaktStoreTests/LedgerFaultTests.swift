import Foundation
import GRDB
import Glibc
import TaktCore
import Testing

@testable import TaktStore
import TaktTime
import Synchronization

/// Whatever becomes of the disk: nobody waits, one line says so, and afterwards the ledger's counts
/// agree or say exactly what is lost.
@Suite struct LedgerFaultTests {
  @Test func `a ledger that another process has locked is filled when it is free again`() throws {
    let (bench, job) = try begun()
    let other = try another(bench.path)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    for index in 1...500 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.hasLogged("another process has locked it"))
    #expect(bench.ledger?.status.failure != nil)
    #expect(!bench.isKept(within: .milliseconds(100)))
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(bench.isKept())
    #expect(bench.hasLogged("the ledger can be written again"))
    #expect(bench.ledger?.status.failure == nil)
    try expectBalance(of: bench, slots: 500)
    #expect(bench.said.messages.withLock { $0.count { $0.contains("cannot be written") } } == 1)
  }

  @Test func `what memory has no room for is counted to the slot`() throws {
    var bounds = SQLiteLedger.Bounds()
    bounds.entriesMax = 100
    let (bench, job) = try begun(bounds)
    let other = try another(bench.path)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    bench.ledger?.record(job.runs(1, run: 1))
    #expect(bench.hasLogged("another process has locked it"))
    for index in 2...500 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(bench.isKept())
    for index in 501...510 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.isKept())
    let lost = try #require(bench.ledger?.status.lostSlots)
    bench.close()
    let report = try bench.audit()
    #expect(lost > 300)
    #expect(report.lost == lost)
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(report.verdictCounts.slots == 510 - lost)
    #expect(report.losses.contains { $0.contains("a: \(lost) verdicts") }, "\(report.losses)")
    #expect(!report.isBalanced)
  }

  @Test(arguments: [false, true])
  func `a ledger that is deleted while it is open is put back whole`(withFolder: Bool) throws {
    let (bench, job) = try begun()
    for index in 1...50 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.isKept())
    for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
    if withFolder { try FileManager.default.removeItem(at: bench.folder) }
    for index in 51...99 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.isKept())
    #expect(bench.hasLogged("the ledger was deleted while it was open"))
    try expectBalance(of: bench, slots: 99)
  }

  @Test func `a ledger whose last page is damaged is written again, and says what is lost`() throws
  {
    let (bench, job) = try begun()
    for index in 1...400 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.isKept())
    bench.close()
    try damagePage(ofVerdict: "run = 400", of: bench)
    try bench.open()
    bench.ledger?.record(job.runs(401, run: 401))
    #expect(bench.hasLogged("the ledger was damaged and has been rewritten"))
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 1)
    bench.close()
    let report = try bench.audit()
    #expect(report.losses.contains { $0.contains("verdicts from row") }, "\(report.losses)")
    // What was on the page is made anew from the runs.
    #expect(report.verdictCounts.slots == 401)
    #expect(report.isBalanced, "\(report)")
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(names.contains { $0.contains("damaged-") })
  }

  @Test func `damage that nobody has met is looked for, and what is lost is told to the slot`()
    throws
  {
    var bounds = SQLiteLedger.Bounds()
    bounds.checkAfter = .milliseconds(10)
    let (bench, job) = try begun()
    for index in 1...2000 {
      bench.ledger?.record([
        .verdict(
          VerdictRecord(
            job: job.name, slots: SlotSeries(job.slot(index)), verdict: .skipped(.overlap),
            at: job.slot(index))), job.mark(after: index),
      ])
    }
    #expect(bench.isKept())
    bench.close()
    try damagePage(ofVerdict: "first = \(job.slot(1000).milliseconds)", of: bench)
    try bench.open(bounds: bounds)
    usleep(20_000)
    bench.ledger?.record(job.runs(2001, run: 1))
    #expect(bench.hasLogged("the ledger was damaged and has been rewritten"))
    #expect(bench.isKept())
    bench.close()
    let report = try bench.audit()
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(report.lost > 0 && report.lost < 200)
    #expect(report.verdictCounts.slots + report.lost == 2001)
  }

  @Test func `a log of writes that is deleted is noticed`() throws {
    let (bench, job) = try begun()
    for index in 1...50 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.isKept())
    unlink(bench.path + "-wal")
    bench.ledger?.record(job.runs(51, run: 51))
    #expect(bench.isKept())
    #expect(bench.hasLogged("the ledger was deleted while it was open"))
    try expectBalance(of: bench, slots: 51)
  }

  @Test func `another file that is laid over the ledger does not end it`() throws {
    let (bench, job) = try begun()
    bench.ledger?.record(job.runs(1, run: 1))
    #expect(bench.isKept())
    let other = bench.folder.appendingPathComponent("other").path
    let database = try DatabaseQueue(path: other)
    try database.write { try $0.execute(sql: "CREATE TABLE other (x)") }
    try database.close()
    try bench.sql { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: other))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: bench.path))
    try file.write(contentsOf: bytes)
    try file.truncate(atOffset: UInt64(bytes.count))
    try file.close()
    bench.ledger?.record(job.runs(2, run: 2))
    #expect(bench.hasLogged("the ledger was damaged and has been rewritten"))
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 1)
    bench.close()
    _ = try bench.audit()
  }

  @Test(
    arguments: [
      "UPDATE jobs SET clock_label = NULL", "UPDATE jobs SET anchor = 'soon'",
      "UPDATE jobs SET clock_mark = 9223372036854775807, wall_mark = -9223372036854775807",
      "UPDATE jobs SET ahead = '9223372036854775807 1 2 3 4|1 2 3'",
      "UPDATE jobs SET streak = -1", "UPDATE schedules SET schedule = '{\"every\":-5}'",
      "UPDATE schedules SET schedule = 'none', anchor = x'00'",
      #"UPDATE schedules SET schedule = '{"rules":[{"calendar":"*:0/1","working":0,"gap":"x","overlap":"y","zone":"UTC"}]}'"#,
      #"UPDATE schedules SET schedule = '{"rules":[{"calendar":"*:0/1","working":24,"gap":"x","overlap":"y","zone":"UTC"}]}'"#,
      #"UPDATE schedules SET schedule = '{"rules":[{"cron":"* * * * *","nth":"9223372036854775807 weeks 2026-01-05","gap":"x","overlap":"y","zone":"UTC"}]}'"#,
      "UPDATE schedules SET clock_from = 9223372036854775807",
      "UPDATE verdicts SET first = -9223372036854775808, last = 9223372036854775807, count = 0",
      "UPDATE verdicts SET count = 9223372036854775807", "UPDATE verdicts SET verdict = x'ff'",
      "UPDATE runs SET run = -run, outcome = NULL", "UPDATE runs SET slot = 'x', outcome = NULL",
      "UPDATE attempts SET pid = -1, ended_at = NULL", "UPDATE jobs SET daemon = 4711",
      "INSERT INTO pending (job, slot) VALUES (1, 9223372036854775807)",
      "INSERT INTO losses (at, job, first, last, count, what, reason) VALUES (0, 1, 5, -5, -1, 'x', 'x')",
    ])
  func `nothing that stands in a ledger ends the process`(sql: String) throws {
    let (bench, job) = try begun()
    for index in 1...3 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.isKept())
    bench.close()
    try bench.sql { try $0.execute(sql: sql) }
    _ = try? bench.audit()
    _ = try? LedgerArchive(folder: bench.folder.path).runs(RunQuery())
    try bench.open()
    bench.ledger?.record(job.runs(4, run: 4))
    #expect(bench.isKept())
    bench.close()
    _ = try? bench.audit()
  }

  @Test func `a job whose last takt is forgotten is still known`() throws {
    let (bench, _) = try begun()
    bench.close()
    try bench.sql { try $0.execute(sql: "DELETE FROM daemons") }
    try bench.open()
    #expect(bench.findings.previous.jobs.count == 1)
    bench.close()
  }

  @Test func `what could not be written when takt ended is in the next ledger`() throws {
    let (bench, job) = try begun()
    let other = try another(bench.path)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    bench.ledger?.record(job.runs(1, run: 1))
    bench.ledger?.close(timeout: .seconds(1))
    #expect(bench.hasLogged("entries lost: 4"))
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try bench.open()
    bench.close()
    #expect(try bench.audit().losses.contains { $0.contains("4 entries (takt ended while") })
  }

  @Test func `of a table with a damaged page both sides are saved`() throws {
    let (bench, job) = try begun()
    for index in 1...2000 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.isKept())
    bench.close()
    try damagePage(ofVerdict: "run = 1000", of: bench)
    let target = try LedgerBench()
    let new = try LedgerFile(folder: target.folder.path)
    let losses = try LedgerSalvage.copy(from: bench.path, into: new.database)
    let kept = try new.database.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM verdicts") ?? 0
    }
    let lost = try #require(losses.first)
    #expect(losses.count == 1)
    #expect(lost.what.hasPrefix("verdicts, rows "))
    #expect(Int(lost.count) + kept == 2000, "\(losses), \(kept)")
    #expect(lost.count < 200)
    new.close()
  }

  @Test func `a file that is no database is put aside at the start`() throws {
    let bench = try LedgerBench()
    try Data("this is no database, and never was one".utf8).write(
      to: URL(fileURLWithPath: bench.path))
    try bench.open()
    #expect(bench.hasLogged("the ledger was damaged and has been rewritten"))
    let job = try GridJob("a")
    bench.ledger?.record(job.load + job.runs(1, run: 1))
    #expect(bench.isKept())
    try expectBalance(of: bench, slots: 1)
  }

  @Test func `a ledger that can be read and not written at the start is continued from`() throws {
    let (bench, job) = try begun()
    bench.ledger?.record(job.runs(1, run: 1))
    #expect(bench.isKept())
    bench.close()
    let other = try another(bench.path)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    try bench.open()
    #expect(bench.findings.previous.jobs[job.name]?.isOpen == true)
    #expect(bench.findings.previous.lastRun == 1)
    bench.ledger?.record(job.runs(2, run: 2))
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 0)
    try expectBalance(of: bench, slots: 2)
  }

  @Test func `a folder that has become another takt's is not written any more`() throws {
    let (bench, job) = try begun()
    try FileManager.default.removeItem(at: bench.folder)
    let other = try LedgerBench(bench.folder)
    try other.open()
    other.ledger?.record(job.load + job.runs(1, run: 1))
    #expect(other.isKept())
    bench.ledger?.record(job.runs(1, run: 1))
    #expect(bench.hasLogged("the state folder is in use by test"))
    #expect(!bench.isKept(within: .milliseconds(700)))
    bench.ledger?.close(timeout: .milliseconds(100))
    try expectBalance(of: other, slots: 1)
  }

  @Test func `of so many things at once nothing is lost while the disk is well`() throws {
    var bounds = SQLiteLedger.Bounds()
    bounds.entriesMax = 100
    let (bench, job) = try begun(bounds)
    bench.ledger?.record((1...1000).flatMap { job.runs($0, run: UInt64($0)) })
    #expect(bench.isKept())
    try expectBalance(of: bench, slots: 1000)
  }

  @Test func `a newer ledger is refused, and not touched`() throws {
    let (bench, _) = try begun()
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
    let (bench, job) = try begun()
    bench.ledger?.record(job.runs(1, run: 1) + job.begins(2, run: 2))
    #expect(bench.isKept())
    bench.close()
    let other = try another(bench.path)
    try other.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM meta")
    }
    try bench.open()
    #expect(bench.hasLogged("cannot be written"))
    #expect(bench.findings.previous.jobs.isEmpty)
    #expect(bench.findings.previous.lastRun > 1_000_000_000_000)
    let later = GridJob.begin + .seconds(10)
    let edge = ScheduleEdge(
      clock: ScheduleInstant(later), wall: ScheduleInstant(later), at: later)
    bench.ledger?.record(
      [
        .schedule(
          ScheduleVersion(
            job: job.name, schedule: Schedule(every: Every(.seconds(1))), isEnabled: true,
            anchor: ScheduleInstant(GridJob.begin), from: edge, instantsFrom: edge.wall)),
        job.mark(after: 10),
      ] + job.runs(11, run: 1_000_000_000_000_000))
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try other.close()
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 1)
    bench.close()
    let report = try bench.audit()
    // Slots 3 to 10 are in nobody's books.
    #expect(report.lost == 8, "\(report)")
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(report.losses.contains { $0.contains("could not be read at the start") })
    let run = try LedgerArchive(folder: bench.folder.path).run(RunID(2))
    #expect(run?.end?.outcome == .interrupted)
  }

  @Test(.enabled(if: geteuid() == 0, "it takes root to mount a small disk"))
  func `a full disk is said once, and what was held is written when there is room`() throws {
    guard let disk = try SmallDisk() else { return }
    let bench = try LedgerBench(disk.folder)
    let job = try GridJob("a")
    try bench.open()
    bench.ledger?.record(job.load)
    #expect(bench.isKept())
    try disk.fill()
    for index in 1...2000 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.hasLogged("the disk is full"))
    disk.free()
    #expect(bench.isKept())
    try expectBalance(of: bench, slots: 2000)
  }

  @Test(
    .enabled(if: geteuid() == 0, "it takes root to mount a small disk"), arguments: [true, false])
  func `slots of which a full disk kept no record are lost, and not missed`(isStopped: Bool) throws
  {
    guard let disk = try SmallDisk() else { return }
    let bench = try LedgerBench(disk.folder)
    let job = try GridJob("a")
    try bench.open()
    bench.ledger?.settle([])
    bench.ledger?.record(job.load + (1...21).flatMap { job.runs($0, run: UInt64($0)) })
    #expect(bench.isKept())
    #expect(try bench.audit().isBalanced)
    try disk.fill()
    let before = SystemTimeSource().wall
    for index in 22...82 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    #expect(bench.hasLogged("the disk is full"))
    // A kill leaves the note of the last attempt to write.
    if isStopped { bench.ledger?.close(timeout: .milliseconds(100)) }
    let stopped = try bench.audit()
    #expect(!stopped.isBalanced)
    #expect(stopped.verdictCounts.slots == 21)
    let note = "\(61 * 4) entries (the ledger could not be written up to then"
    #expect(stopped.losses.contains { $0.contains(note) }, "\(stopped.losses)")
    let copy = try LedgerBench(try disk.copy())
    try copy.open()
    #expect(copy.hasLogged("could not write the ledger when it ended: 244 entries are lost"))
    let previous = try #require(copy.findings.previous.jobs[job.name])
    #expect(previous.checkpoint.cursor.wallMark >= ScheduleInstant(before))
    #expect(copy.findings.previous.lastRun == 82)
    copy.ledger?.record([job.mark(after: 82)] + job.runs(83, run: 83))
    #expect(copy.isKept())
    copy.close()
    let report = try copy.audit()
    #expect(report.lost == 61, "\(report)")
    #expect(report.findings.isEmpty)
    #expect(!report.isBalanced)
    // Its disk is still full, which a close waits for.
    bench.ledger?.close(timeout: .milliseconds(100))
  }

  @Test(arguments: ["", "61 17", "61 1790000000000\nrun=82 clock=1 boot=x sum=0\n"])
  func `a note that is empty or damaged is a loss that nobody can count`(text: String) throws {
    let (bench, job) = try begun()
    bench.ledger?.record(job.runs(1, run: 1))
    #expect(bench.isKept())
    bench.close()
    try Data(text.utf8).write(to: bench.folder.appendingPathComponent(LossNote.name))
    let stopped = try bench.audit()
    #expect(!stopped.isBalanced)
    #expect(stopped.losses.contains { $0.contains("is empty or damaged") }, "\(stopped.losses)")
    try bench.open()
    #expect(bench.hasLogged("an unknown number of entries are lost"))
    bench.ledger?.record(job.runs(3, run: 3))
    #expect(bench.isKept())
    bench.close()
    let report = try bench.audit()
    #expect(report.lost == 1, "\(report)")
    #expect(report.losses.contains { $0.contains("its note is empty or damaged") })
  }

  @Test func `the space of a note is taken at the start, and says nothing`() throws {
    let (bench, job) = try begun()
    bench.ledger?.settle([])
    bench.ledger?.record(job.runs(1, run: 1))
    #expect(bench.isKept())
    let place = bench.folder.appendingPathComponent(LossNote.name).path
    var status = stat()
    #expect(stat(place, &status) == 0 && status.st_size == 4096 && status.st_blocks > 0)
    try expectBalance(of: bench, slots: 1)
    try bench.open()
    bench.close()
    #expect(!bench.said.messages.withLock { $0.contains { $0.contains("could not write") } })
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
    bench.ledger?.record(job.load + job.runs(1, run: 1))
    #expect(bench.isKept())
    #expect(try bench.sql { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 2)
    try expectBalance(of: bench, slots: 1)
  }

  @Test(arguments: ["empty", "missing"])
  func `a ledger that was lost between two daemons is said, and verify does not pass`(
    how: String
  ) throws {
    let (bench, job) = try begun()
    bench.ledger?.settle([])
    bench.ledger?.record(job.runs(1, run: 1))
    #expect(bench.isKept())
    bench.close()
    if how == "empty" {
      truncate(bench.path, 0)
    } else {
      unlink(bench.path)
    }
    try bench.open()
    #expect(bench.hasLogged("although a daemon has used this state folder"))
    bench.ledger?.record(job.load + job.runs(1, run: 1))
    #expect(bench.isKept())
    bench.close()
    let report = try bench.audit()
    #expect(!report.isBalanced)
    #expect(report.uncountedLosses == 1)
    #expect(report.losses.contains { $0.contains("verdicts (the ledger was \(how) at a start)") })
  }

  @Test func `a ledger that is closed is not opened again`() throws {
    let (bench, job) = try begun()
    let ledger = bench.ledger
    bench.close()
    unlink(bench.path)
    ledger?.record(job.runs(1, run: 1))
    let done = DispatchSemaphore(value: 0)
    ledger?.whenKept { done.signal() }
    #expect(done.wait(timeout: .now() + .milliseconds(500)) == .timedOut)
    #expect(!FileManager.default.fileExists(atPath: bench.path))
  }

  /// A connection that may leave its transactions open.
  private func another(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private func begun(
    _ bounds: SQLiteLedger.Bounds = SQLiteLedger.Bounds()
  ) throws -> (LedgerBench, GridJob) {
    let bench = try LedgerBench()
    let job = try GridJob("a")
    try bench.open(bounds: bounds)
    bench.ledger?.record(job.load)
    #expect(bench.isKept())
    return (bench, job)
  }

  private func expectBalance(of bench: LedgerBench, slots: Int) throws {
    bench.close()
    let report = try bench.audit()
    #expect(report.isBalanced, "\(report.findings.prefix(5))")
    #expect(report.verdictCounts.slots == slots)
  }

  /// Overwrites the page on which a verdict stands.
  private func damagePage(ofVerdict condition: String, of bench: LedgerBench) throws {
    // A text that stands on no other page.
    let text = "2026-09-21T14:20:00.000Z"
    try bench.sql { db in
      try db.execute(
        sql: "UPDATE verdicts SET detail = ? WHERE \(condition)", arguments: [text])
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try damagePage(holding: Array(text.utf8), of: bench.path)
  }

  /// Overwrites the page of a database file on which some bytes stand.
  private func damagePage(holding text: [UInt8], of path: String) throws {
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let place = try #require(Data(bytes).range(of: Data(text))?.lowerBound)
    let start = place / 4096 * 4096
    for index in start..<start + 4096 { bytes[index] = 0xA5 }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}

/// A small disk of its own, mounted for a test.
private final class SmallDisk {
  private let place: URL
  var folder: URL { place.appendingPathComponent("state") }

  /// Nil in a container that may not mount.
  init?() throws {
    place = FileManager.default.temporaryDirectory
      .appendingPathComponent("takt-small-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    guard mount("none", place.path, "tmpfs", 0, "size=2m") == 0 else { return nil }
  }

  deinit {
    umount2(place.path, Int32(MNT_DETACH))
    rmdir(place.path)
  }

  /// Leaves no block free.
  func fill() throws {
    let filling = place.appendingPathComponent("filling").path
    _ = FileManager.default.createFile(atPath: filling, contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: filling))
    while (try? file.write(contentsOf: Data(count: 4096))) != nil {}
    try file.close()
  }

  func free() { unlink(place.appendingPathComponent("filling").path) }

  /// The state folder as a daemon finds it that starts later, on a disk with room.
  func copy() throws -> URL {
    let copy = FileManager.default.temporaryDirectory
      .appendingPathComponent("takt-copy-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: folder, to: copy)
    return copy
  }
}
