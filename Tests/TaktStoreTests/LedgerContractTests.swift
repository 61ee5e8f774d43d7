import TaktCore
import TaktTesting
import Testing

@testable import TaktStore
import TaktTime

/// The ledger on disk keeps what the plain books in memory keep.
@Suite struct LedgerContractTests {
  @Test(arguments: UInt64(1000)..<1030)
  func `a takt that starts finds on the disk what it would find in memory`(seed: UInt64) throws {
    var simulation = Simulation(seed: seed, crashes: true)
    _ = simulation.run(for: .seconds(60))
    let bench = try LedgerBench()
    var books = MemoryBooks()
    var boot = 0
    try bench.open(boot: "boot 0")
    for (index, entries) in simulation.kept.enumerated() {
      if entries.isEmpty {
        boot += 1
        books.reboot()
        bench.close()
        try bench.open(boot: "boot \(boot)")
        #expect(Self.text(bench.findings.former) == Self.text(books.former), "entry \(index)")
        continue
      }
      books.record(entries)
      bench.ledger?.record(entries)
    }
    #expect(bench.isKept())
    bench.close()
    try bench.open(boot: "boot \(boot)")
    #expect(Self.text(bench.findings.former) == Self.text(books.former))
    bench.close()
    let report = try bench.audit()
    #expect(report.isBalanced, "\(report.findings.prefix(5))")
    #expect(report.balance.slots > 0 || simulation.records.isEmpty)
  }

  /// What there is, in milliseconds, a line for each thing.
  private static func text(_ former: FormerBooks) -> [String] {
    let jobs = former.jobs.values.map { job -> String in
      let (mark, version) = (job.mark, job.version)
      let suspension = mark.suspension.map {
        "\($0.since.milliseconds) \($0.until?.milliseconds ?? 0) \($0.reason)"
      }
      return
        "\(mark.job) \(mark.cursor) \(mark.failureStreak) \(mark.ranCount) \(suspension ?? "-") "
        + "\(job.isSameBoot) \(job.isOpen) \(version.schedule.every as Any) "
        + "\(version.schedule.at) \(version.schedule.on.count) \(version.isEnabled) "
        + "\(version.anchor) \(version.from.clock) \(version.from.wall) "
        + "\(version.instantsFrom ?? 0) \(job.pending)"
    }
    let runs = former.runs.map { run in
      "\(run.beginning.run) \(run.beginning.job) \(run.beginning.slot) \(run.beginning.kind) "
        + "\(run.beginning.delivery) \(run.isUndecided) \(run.attempts) \(run.isEnded) "
        + "\(run.retry?.attempt ?? -1) \(run.retry?.until.milliseconds ?? 0) "
        + "\(run.retry.map { "\($0.end.reason)" } ?? "-")"
    }
    return ["\(former.lastRun)"] + jobs.sorted() + runs
  }
}
