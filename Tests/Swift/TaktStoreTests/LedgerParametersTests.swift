import Foundation
import GRDB
import TaktTime
import Testing

@testable import TaktCore
@testable import TaktStore

/// Parameters of triggered runs, in a ledger of this version and of the one before.
@Suite struct LedgerParametersTests {
  private static let at = WallInstant(milliseconds: 1_790_000_000_000)

  private func head(_ run: UInt64) throws -> RunHead {
    RunHead(run: RunID(run), job: try #require(JobName("a")), slot: Self.at, kind: .manual)
  }

  private func runs(_ bench: LedgerBench) throws -> [StoredRun] {
    try LedgerArchive(folder: bench.folder.path).runs(RunQuery()).reversed()
  }

  @Test func `a run keeps what its trigger set, from its start on`() throws {
    let (bench, job) = try LedgerBench.opened()
    let texts = ["n": "5", "text": "a \"quoted\"\nline / ü", "token": "***"]
    let heads = [try head(1), try head(2), try head(3)]
    func given(_ run: UInt64) -> LedgerEntry {
      .parameters(Shared(ShownParameters(kept: texts, omittedCount: 2)), of: RunID(run))
    }
    bench.ledger?.record(job.load)
    for head in heads.prefix(2) {
      bench.ledger?.record([.began(RunBeginning(head, attempt: 1, at: Self.at))])
    }
    bench.keep([given(1)])
    let ended = RunRecord(
      heads[0], attempts: 1, end: RunEnd(.succeeded, .exit(0)), endedAt: Self.at,
      duration: .seconds(1))
    // The last one never started.
    let never = RunRecord(
      heads[2], attempts: 0, end: RunEnd(.cancelled, .byOperator), endedAt: Self.at,
      duration: .zero)
    bench.keep([.ended(ended), .ended(never), given(3)])
    bench.close()
    #expect(try runs(bench).map { $0.parameters?.value.texts } == [texts, nil, texts])
    #expect(try runs(bench).first?.parameters?.value.omittedCount == 2)
  }

  @Test func `a ledger of the version before is read, and opened with all its runs`() throws {
    let bench = try LedgerBench()
    try bench.makeFile("3-parameters")
    // First without a migration, as a command reads it beside an earlier daemon.
    #expect(try runs(bench).map(\.head.run.number) == [1, 2, 3])
    #expect(try runs(bench).allSatisfy { $0.parameters == nil })
    try bench.open()
    #expect(bench.findings.previous.runs.map(\.head.run.number) == [3])
    bench.close()
    let columns = try bench.sql { try $0.columns(in: "runs").map(\.name) }
    #expect(Set(columns).isSuperset(of: ["parameters", "parameters_omitted"]))
    #expect(try runs(bench).allSatisfy { $0.parameters == nil })
  }
}
