import TaktTesting
import Testing

@Suite struct SimulationTests {
  @Test(arguments: UInt64(0)..<200)
  func `every slot has exactly one verdict, whatever happens`(seed: UInt64) {
    var simulation = Simulation(seed: seed)
    let problems = simulation.run(for: .seconds(60))
    #expect(
      problems.isEmpty,
      "seed \(seed): \(problems.prefix(5).joined(separator: "\n"))\n\(simulation.story.suffix(20).joined(separator: "\n"))"
    )
  }

  @Test func `nearly every seed has slots to decide`() {
    let empty = (UInt64(0)..<20).count { seed in
      var simulation = Simulation(seed: seed)
      _ = simulation.run(for: .seconds(60))
      return simulation.records.isEmpty
    }
    #expect(empty < 3)
  }

  @Test func `the seeds gather ends of several jobs, skip slots by conditions and backfill`() {
    var (gathered, skipped, filled) = (0, 0, 0)
    for seed in UInt64(0)..<40 {
      var simulation = Simulation(seed: seed, crashes: seed % 2 == 0)
      _ = simulation.run(for: .seconds(60))
      gathered += simulation.gatheredSlots
      skipped += simulation.conditionSkips
      filled += simulation.backfillCount
    }
    #expect(gathered > 5)
    #expect(skipped > 100)
    #expect(filled > 100)
  }

  @Test(arguments: UInt64(0)..<200)
  func `every slot is accounted for over crashes and restarts`(seed: UInt64) {
    var simulation = Simulation(seed: seed, crashes: true)
    let problems = simulation.run(for: .seconds(120))
    let job = problems.first?.split(separator: ":").first ?? ""
    let story = simulation.story.filter { $0.contains(" \(job) ") || $0.contains("crash") }
    #expect(
      problems.isEmpty,
      "seed \(seed): \(problems.prefix(5).joined(separator: "\n"))\n\(story.joined(separator: "\n"))"
    )
  }
}
