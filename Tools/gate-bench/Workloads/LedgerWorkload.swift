import TaktCore
import TaktStore

/// The entries of 1,000 runs, in ten transactions.
struct LedgerWorkload: Workload {
  static let name = "ledger"
  static let summary = "10 ledger batches of 100 runs, in SQLite on disk"

  private let ledger: TemporaryLedger
  private let batches: [[LedgerEntry]]

  init() throws {
    ledger = try TemporaryLedger()
    var scheduler = GateScheduler(try SampleJobs.load(SampleJobs.text(0..<200)), isKeeping: true)
    try ledger.write(scheduler.entries.flatMap(\.self))
    let before = scheduler.entries.count
    scheduler.serve(1200)
    // Two turns a run: its start and its end.
    let turns = Array(scheduler.entries[before...])
    var batches = stride(from: 0, to: turns.count, by: 200).map { start in
      turns[start..<min(start + 200, turns.count)].flatMap(\.self)
    }
    for _ in 0..<2 { try ledger.write(batches.removeFirst()) }
    self.batches = Array(batches.prefix(10))
  }

  mutating func run() throws {
    for batch in batches { try ledger.write(batch) }
  }

  func check() throws {
    try expect("batches", batches.count, is: 10)
    let report = try ledger.audit()
    try expect("slots", report.verdictCounts.slots, is: 1200)
    try expect("findings", report.findings.map(\.description), is: [])
  }
}
