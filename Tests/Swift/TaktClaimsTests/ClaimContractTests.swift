import Foundation
import TaktCore
import TaktTesting
import Testing

extension ClaimContract: CustomTestStringConvertible {
  /// The clause's name.
  public var testDescription: String { name }
}

@Suite struct ClaimContractTests {
  /// `TAKT_POSTGRES_URL` in the environment names another server, or a pooler.
  private static func url() throws -> String {
    try ProcessInfo.processInfo.environment["TAKT_POSTGRES_URL"] ?? TestServer.shared().url()
  }

  @Test(arguments: ClaimContract.clauses + ClaimContract.failovers)
  func `in memory`(clause: ClaimContract) throws {
    try clause.check(on: MemoryTestEngine())
  }

  @Test(
    .enabled(if: TestServer.isInstalled, TestServer.hint),
    arguments: ClaimContract.clauses + ClaimContract.failovers)
  func `in PostgreSQL`(clause: ClaimContract) throws {
    try clause.check(on: PostgresTestEngine(Self.url()))
  }

  @Test(.enabled(if: TestServer.isInstalled, TestServer.hint), arguments: UInt64(1)...6)
  func `random batches are answered alike in memory and in PostgreSQL`(seed: UInt64) throws {
    var comparison = ClaimComparison(
      MemoryTestEngine(), try PostgresTestEngine(Self.url()), seed: seed)
    try comparison.run(batches: 600)
    for answer in [
      "done", "granted", "taken", "skipped", "early", "busy", "drifted", "known", "superseded",
    ] {
      #expect(comparison.counts[answer, default: 0] > 0, "\(answer): \(comparison.counts)")
    }
  }

  /// `TAKT_EXPLORED` faults at most on a path, none unless told otherwise.
  private static let faults =
    ProcessInfo.processInfo.environment["TAKT_EXPLORED"].flatMap(Int.init) ?? 0

  @Test(
    .enabled(if: TestServer.isInstalled, TestServer.hint),
    arguments: [Overlap.skip, .allow, .queue, .replace],
    [Delivery.bestEffort, .atMostOnce, .atLeastOnce])
  func `all that a small cluster asks is answered alike by PostgreSQL`(
    overlap: Overlap, delivery: Delivery
  ) throws {
    let tree = EngineTree()
    var explorer = ClusterExplorer(.one(overlap, delivery, faults: Self.faults), tree: tree)
    #expect(explorer.run().isComplete)
    var replay = EngineReplay(on: try PostgresReplayEngine(Self.url()))
    try replay.run(tree)
    #expect(replay.count == tree.count && replay.count > 20)
    if Self.faults > 0 { print("\(overlap), \(delivery): \(replay.count) batches are alike") }
  }

  @Test(
    .enabled(if: EtcdServer.isInstalled, EtcdServer.hint), arguments: ClaimContract.clauses,
    [false, true])
  func `in etcd`(clause: ClaimContract, cachesNothing: Bool) throws {
    try clause.check(on: EtcdTestEngine(EtcdServer.shared().access, cachesNothing: cachesNothing))
  }

  @Test(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint), arguments: UInt64(1)...6)
  func `random batches are answered alike in memory and in etcd`(seed: UInt64) throws {
    var comparison = ClaimComparison(
      MemoryTestEngine(),
      try EtcdTestEngine(EtcdServer.shared().access, cachesNothing: seed % 2 == 0), seed: seed)
    try comparison.run(batches: 400)
  }

  @Test(arguments: MemoryEngine.Plant.allCases)
  func `the comparison notices a mistake`(plant: MemoryEngine.Plant) {
    #expect(throws: ClaimViolation.self) {
      for seed in 1...UInt64(6) {
        var comparison = ClaimComparison(
          MemoryTestEngine(), MemoryTestEngine(plant: plant), seed: seed)
        try comparison.run(batches: 400)
      }
    }
  }
}
