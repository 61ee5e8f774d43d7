import Foundation
import Testing

@testable import takt

/// `takt simulate --history` and `takt advise`, with the real program and a ledger that it wrote.
@Suite(.ownThreads) struct HistoryCommandTests {
  private static let jobs = """
    # The jobs.
    scheduler: {timezone: UTC}
    jobs:
      # Often.
      often:
        every: 50ms  # in a hurry
        first: now
        limit: 30
        run: 'true'
      pair: {every: 50ms, first: now, limit: 30, run: 'true'}
      rare: {every: 1d, run: 'true', expected: 20s}

    """

  /// A folder whose ledger has 25 runs and more of `often` and of `pair`.
  private func folder() throws -> TemporaryFolder {
    let (folder, process) = try TaktProcess.running(Self.jobs)
    var counts: [String: Int] = [:]
    while counts["often", default: 0] < 25 || counts["pair", default: 0] < 25 {
      let line = try process.line("the end of a run") { $0.outcome == "succeeded" }
      counts[line.job ?? "", default: 0] += 1
    }
    #expect(try process.stop() == 0)
    return folder
  }

  private struct Answer: Decodable {
    struct Spread: Decodable { var median: Double, p95: Double }
    struct Job: Decodable { var job: String, slots: Spread, historyRuns: Int }
    struct Comparison: Decodable {
      var added: [String], removed: [String]
      var wakesBefore: Int, wakesAfter: Int
    }
    var seeds: Int
    var historyRuns: Int
    var jobs: [Job]
    var comparison: Comparison?
  }

  @Test func `a simulation draws from the ledger, and compares two files`() throws {
    let folder = try folder()
    let other = Self.jobs + "  new: {every: 1m, run: x}\n"
    try folder.write(other, to: "other.yaml")
    let simulate = ["simulate", "--history", "--for", "10m", "--seeds", "3"]
    let table = try folder.takt(simulate)
    #expect(table.status == 0, "\(table.errors)")
    #expect(table.output.contains("simulations: 3, first seed 1"), "\(table.output)")
    #expect(table.output.contains("expected 20s") && table.output.contains(" runs"))
    let json = try folder.takt(simulate + ["--json", "--with", "other.yaml"])
    let answer = try JSONDecoder().decode(Answer.self, from: Data(json.output.utf8))
    #expect(answer.seeds == 3 && answer.historyRuns >= 50)
    #expect(answer.jobs.map(\.job) == ["often", "pair", "rare"])
    #expect(answer.jobs[0].historyRuns >= 25 && answer.jobs[2].historyRuns == 0)
    let comparison = try #require(answer.comparison)
    #expect(comparison.added == ["new"] && comparison.removed == [])
    #expect(comparison.wakesAfter > comparison.wakesBefore)
    #expect(try folder.takt(simulate + ["--seed", "7"]).status == 0)
    let compared = try folder.takt(simulate + ["--with", "other.yaml"])
    #expect(compared.output.contains("new jobs: 1 (new)"), "\(compared)")
    #expect(compared.output.contains("medians of 3 seeds"))
    #expect(compared.output.contains("\nwake-ups ") && compared.output.contains("failed runs 0"))
    let plan = try folder.takt("plan", "jobs.yaml", "other.yaml", "--simulate")
    #expect(plan.status == 0 && plan.output.contains("new jobs: 1 (new)"), "\(plan)")
    // The time before the first run is unknown.
    let before = try folder.takt(simulate + ["--from", "2020-01-01T00:00"])
    #expect(before.status == 0 && before.errors.contains("has no runs that began before"))
  }

  @Test func `advice is printed, and as a patch that keeps comments`() throws {
    let folder = try folder()
    let text = try folder.takt("advise")
    #expect(text.status == 0 && text.output.contains("often: It has no timeout;"), "\(text)")
    let json = try folder.takt("advise", "--json", "--job", "often")
    #expect(json.output.contains(#""key":"timeout""#), "\(json)")
    #expect(!json.output.contains(#""job":"pair""#))
    let patch = try folder.takt("advise", "--patch")
    #expect(patch.output.hasPrefix("--- a/jobs.yaml\n+++ b/jobs.yaml\n@@ "), "\(patch)")
    #expect(patch.output.contains("\n+    timeout: "), "\(patch)")
    #expect(patch.output.contains("     every: 50ms  # in a hurry\n"))
    #expect(folder.read("jobs.yaml") == Self.jobs)
  }

  @Test func `without a ledger it says so`() throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: x}\n")
    for command in [["simulate", "--history"], ["advise"]] {
      let missing = try folder.takt(command)
      #expect(missing.status == 78 && missing.errors.contains("there is no ledger"), "\(missing)")
    }
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent(".takt"), withIntermediateDirectories: true)
    try folder.write("", to: ".takt/ledger.sqlite")
    let empty = try folder.takt("simulate", "--history")
    #expect(empty.status == 66 && empty.errors.contains("is empty (0 bytes)"), "\(empty)")
    try folder.write(String(repeating: "no ledger. ", count: 1000), to: ".takt/ledger.sqlite")
    let damaged = try folder.takt("advise")
    #expect(damaged.status == 66 && damaged.errors.contains("cannot be read"), "\(damaged)")
  }

  @Test(arguments: [
    ["simulate", "--seeds", "3"], ["simulate", "--seed", "3"],
    ["simulate", "--history", "--seeds", "0"],
    ["simulate", "--history", "--memory", "much"], ["simulate", "--cores", "2"],
    ["advise", "--patch", "--json"], ["advise", "--job", "nobody"], ["plan", "--simulate"],
  ])
  func `wrong options are named`(arguments: [String]) throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: x}\n")
    let answer = try folder.takt(arguments)
    #expect(answer.status == 64 && !answer.errors.isEmpty, "\(answer)")
  }
}
