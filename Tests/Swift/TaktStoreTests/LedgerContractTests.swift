import TaktCore
import TaktTesting
import Testing

@testable import TaktStore

/// The ledger on disk keeps the same as the plain ledger in memory.
@Suite struct LedgerContractTests {
  @Test(arguments: UInt64(1000)..<1030)
  func `a daemon that starts finds the same state on the disk as in memory`(seed: UInt64) throws {
    var simulation = Simulation(seed: seed, crashes: true)
    _ = simulation.run(for: .seconds(60))
    let bench = try LedgerBench()
    var ledger = LedgerModel()
    var boot = 0
    try bench.open(boot: "boot 0")
    for (index, entries) in simulation.kept.enumerated() {
      if entries.isEmpty {
        boot += 1
        ledger.reboot()
        bench.close()
        try bench.open(boot: "boot \(boot)")
        expectSame(bench.findings.previous, ledger.previous, "entry \(index)")
        continue
      }
      ledger.record(entries)
      bench.ledger?.record(entries)
    }
    bench.closeKept()
    try bench.open(boot: "boot \(boot)")
    expectSame(bench.findings.previous, ledger.previous, "the end")
    bench.close()
    let report = try bench.audit()
    #expect(report.isBalanced, "\(report.findings.prefix(5))")
    #expect(report.verdictCounts.slots > 0 || simulation.records.isEmpty)
  }

  /// Compares both; differences are named.
  private func expectSame(_ found: PreviousState, _ expected: PreviousState, _ place: String) {
    #expect(found == expected, "\(place)")
    for (name, job) in expected.jobs where found.jobs[name] != job {
      let schedules = [found.jobs[name]?.version.schedule, job.version.schedule]
        .map { $0.map { StoredSchedule.text($0) } }
      Issue.record("\(name) in \(place): \(schedules)")
    }
  }
}
