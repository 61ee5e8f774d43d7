import Foundation
import Glibc
import Synchronization
import TaktCore
import TaktTime
import Testing

@testable import TaktStore

/// Entries that a full disk has kept no record of are lost, and counted.
@Suite struct LedgerFullDiskTests {
  @Test(.enabled(if: geteuid() == 0, "it takes root to mount a small disk"))
  func `a full disk is said once, and what was held is written when there is room`() throws {
    guard let disk = try SmallDisk() else { return }
    let bench = try LedgerBench(disk.folder)
    let job = try GridJob("a")
    try bench.open()
    bench.keep(job.load)
    try disk.fill()
    bench.record(job, 1...2000)
    #expect(bench.hasLogged("the disk is full"))
    disk.free()
    #expect(bench.isKept())
    try bench.expectBalance(slots: 2000)
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
    bench.keep(job.load + (1...21).flatMap { job.runs($0, run: UInt64($0)) })
    #expect(try bench.audit().isBalanced)
    try disk.fill()
    let before = SystemTimeSource().wall
    bench.record(job, 22...82)
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
    copy.keep([job.mark(after: 82)] + job.runs(83, run: 83))
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
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...1)
    bench.close()
    try Data(text.utf8).write(to: bench.folder.appendingPathComponent(LossNote.name))
    let stopped = try bench.audit()
    #expect(!stopped.isBalanced)
    #expect(stopped.losses.contains { $0.contains("is empty or damaged") }, "\(stopped.losses)")
    try bench.open()
    #expect(bench.hasLogged("an unknown number of entries are lost"))
    bench.keep(job, 3...3)
    bench.close()
    let report = try bench.audit()
    #expect(report.lost == 1, "\(report)")
    #expect(report.losses.contains { $0.contains("its note is empty or damaged") })
  }

  @Test func `the space of a note is taken at the start, and says nothing`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.ledger?.settle([])
    bench.keep(job, 1...1)
    let place = bench.folder.appendingPathComponent(LossNote.name).path
    var status = stat()
    #expect(stat(place, &status) == 0 && status.st_size == 4096 && status.st_blocks > 0)
    try bench.expectBalance(slots: 1)
    try bench.open()
    bench.close()
    #expect(!bench.said.messages.withLock { $0.contains { $0.contains("could not write") } })
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
