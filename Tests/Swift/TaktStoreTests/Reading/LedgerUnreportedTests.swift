import GRDB
import TaktCore
import Testing

@testable import TaktStore
import TaktTime

/// Runs without a claim that a cluster's engine has not confirmed: the next daemon finds them.
@Suite struct LedgerUnreportedTests {
  @Test(arguments: [false, true])
  func `a run without a claim is in the ledger until it is reported`(inOneBatch: Bool) throws {
    let (bench, job) = try LedgerBench.begun()
    var first = UnclaimedRun(job.name, job.slot(1), askedAs: MemberID(3))
    let (second, third) = (
      UnclaimedRun(job.name, job.slot(2)), UnclaimedRun(job.name, job.slot(3))
    )
    var said = first
    said.saidAs = MemberID(5)
    let entries: [LedgerEntry] = [
      .ranUnclaimed(third), .ranUnclaimed(first), .ranUnclaimed(second), .ranUnclaimed(said),
      .reported(second), .reported(UnclaimedRun(job.name, job.slot(4))),
    ]
    var model = LedgerModel()
    for entries in inOneBatch ? [entries] : entries.map({ [$0] }) {
      bench.keep(entries)
      model.record(entries)
    }
    try bench.open()
    first.askedAs = MemberID(5)
    #expect(bench.findings.previous.unreported == [first, third])
    #expect(model.previous.unreported == [first, third])
    bench.keep([.reported(first), .reported(third)])
    try bench.open()
    #expect(bench.findings.previous.unreported == [])
    #expect(bench.findings.badRows == 0)
  }

  @Test func `a copy of the state folder leaves them to the original`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep([.ranUnclaimed(UnclaimedRun(job.name, job.slot(1)))])
    bench.close()
    try bench.sql { try $0.execute(sql: "UPDATE daemons SET folder_inode = folder_inode + 1") }
    for _ in 0..<2 {
      try bench.open()
      #expect(bench.findings.previous.unreported == [])
      bench.close()
    }
  }

  @Test func `rows that make no sense are passed over`() throws {
    let (bench, job) = try LedgerBench.begun()
    let run = UnclaimedRun(job.name, job.slot(1), askedAs: MemberID(3))
    bench.keep([.ranUnclaimed(run)])
    bench.close()
    try bench.sql { db in
      for values in ["'', 1, 1", "'a', 'x', 1", "'a', 1, 'x'"] {
        try db.execute(
          sql: "INSERT INTO unreported SELECT \(values), max(id) FROM daemons")
      }
    }
    try bench.open()
    #expect(bench.findings.previous.unreported == [run])
    #expect(bench.findings.badRows == 3)
  }

  @Test func `what an engine has forgotten is not kept either`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep((1...2).map { .ranUnclaimed(UnclaimedRun(job.name, job.slot($0))) })
    bench.close()
    var history = History()
    // The row of the daemon itself is to stay.
    history.keep = .seconds(20 * 365 * 86_400)
    let retention = LedgerRetention(
      history: history, startingAt: MonotonicInstant(nanoseconds: 0))
    let now = job.slot(2) + .seconds(30 * 86_400)
    try bench.sql { _ = try retention.prune($0, at: now) }
    try bench.open()
    #expect(bench.findings.previous.unreported.map(\.slot) == [job.slot(2)])
  }

  @Test func `a ledger of the version before gets a place for them`() throws {
    let bench = try LedgerBench()
    try bench.makeFile("3-parameters")
    try bench.open()
    #expect(bench.findings.previous.unreported == [])
    let job = try GridJob("a")
    let run = UnclaimedRun(job.name, job.slot(1), askedAs: MemberID(1))
    bench.keep([.ranUnclaimed(run)])
    try bench.open()
    #expect(bench.findings.previous.unreported == [run])
  }
}
