import TaktTesting
import Testing

/// The seeds of the simulation, through both cores.
@Suite struct SimulationSamenessTests {
  @Test func `the former core does the same over the seeds of the simulation`() async {
    let census = await compareSeeds(0..<200) { seed in
      var simulation = TwinSimulation(seed: seed)
      simulation.run(for: .seconds(60))
      return SeedResult(seed: seed, simulation.scheduler)
    }
    print(census.table)
  }

  @Test func `the former core does the same over crashes and restarts`() async {
    let census = await compareSeeds(0..<200) { seed in
      var simulation = TwinSimulation(seed: seed, crashes: true)
      simulation.run(for: .seconds(120))
      return SeedResult(seed: seed, simulation.scheduler)
    }
    print(census.table)
  }

  @Test(arguments: UInt64(0)..<4, [false, true])
  func `the seeds are those of the simulation`(seed: UInt64, crashes: Bool) {
    var twin = TwinSimulation(seed: seed, crashes: crashes)
    twin.run(for: .seconds(30))
    var simulation = Simulation(seed: seed, crashes: crashes)
    _ = simulation.run(for: .seconds(30))
    #expect(twin.records == simulation.records)
  }
}
