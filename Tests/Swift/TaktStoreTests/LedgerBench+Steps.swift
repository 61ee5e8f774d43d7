import Foundation
import GRDB
import TaktCore
import Testing

@testable import TaktStore

/// Frequent steps of a ledger's tests.
extension LedgerBench {
  /// A ledger, and a job that it does not know yet.
  static func opened(
    bounds: SQLiteLedger.Bounds = SQLiteLedger.Bounds(), startTicks: UInt64? = nil
  ) throws -> (LedgerBench, GridJob) {
    let bench = try LedgerBench()
    try bench.open(bounds: bounds, startTicks: startTicks)
    return (bench, try GridJob("a"))
  }

  /// A ledger that knows one job.
  static func begun(
    _ bounds: SQLiteLedger.Bounds = SQLiteLedger.Bounds()
  ) throws -> (LedgerBench, GridJob) {
    let (bench, job) = try opened(bounds: bounds)
    bench.keep(job.load)
    return (bench, job)
  }

  /// Records these slots one after the other, each run with its own number.
  func record(_ job: GridJob, _ slots: ClosedRange<Int>) {
    for index in slots { ledger?.record(job.runs(index, run: UInt64(index))) }
  }

  /// The same, and expects that all of it comes to the disk.
  func keep(
    _ job: GridJob, _ slots: ClosedRange<Int>,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    record(job, slots)
    #expect(isKept(), sourceLocation: sourceLocation)
  }

  func keep(_ entries: [LedgerEntry], sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    ledger?.record(entries)
    #expect(isKept(), sourceLocation: sourceLocation)
  }

  func closeKept(sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    #expect(isKept(), sourceLocation: sourceLocation)
    close()
  }

  /// A connection of another process's that holds the ledger, by statements of its own.
  func lockedByAnother(_ sql: String = "BEGIN IMMEDIATE") throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try other.writeWithoutTransaction { try $0.execute(sql: sql) }
    return other
  }

  func expectBalance(slots: Int) throws {
    close()
    let report = try audit()
    #expect(report.isBalanced, "\(report.findings.prefix(5))")
    #expect(report.verdictCounts.slots == slots)
  }

  /// Overwrites the page with a verdict.
  func damagePage(ofVerdict condition: String) throws {
    // A text that is on no other page.
    let text = "2026-09-21T14:20:00.000Z"
    try sql { db in
      try db.execute(sql: "UPDATE verdicts SET detail = ? WHERE \(condition)", arguments: [text])
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let file = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: file)
    let place = try #require(bytes.range(of: Data(text.utf8))?.lowerBound)
    let start = place / 4096 * 4096
    bytes.replaceSubrange(start..<start + 4096, with: Data(repeating: 0xA5, count: 4096))
    try bytes.write(to: file)
  }
}

extension DatabaseQueue {
  /// Ends the transaction that was left open.
  func release() throws { try writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") } }
}
