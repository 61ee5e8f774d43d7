import TaktCore
import TaktStore

/// The audit of a ledger that holds 2,000 runs.
struct VerifyWorkload: Workload {
  static let name = "verify"
  static let summary = "verify of a ledger of 100 jobs and 2,000 runs"

  private let ledger: TemporaryLedger
  private var report: LedgerAuditReport?

  init() throws {
    ledger = try TemporaryLedger()
    var scheduler = GateScheduler(try SampleJobs.load(SampleJobs.text(0..<100)), isKeeping: true)
    scheduler.serve(2000)
    try ledger.write(scheduler.entries.flatMap(\.self))
    _ = try ledger.audit()
  }

  mutating func run() throws {
    report = try ledger.audit()
  }

  func check() throws {
    try expect("slots", report?.verdictCounts.slots, is: 2000)
    try expect("findings", report?.findings.map(\.description), is: [])
  }
}
