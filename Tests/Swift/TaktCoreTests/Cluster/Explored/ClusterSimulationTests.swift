import TaktTesting
import Testing

/// Three machines that share jobs, in virtual time, under everything that a seed thinks of. `make
/// storm` runs a thousand seeds.
struct ClusterSimulationTests {
  @Test(arguments: UInt64(1)...24)
  func `each slot has one verdict, and no two of its runs meet`(seed: UInt64) {
    var simulation = ClusterSimulation(seed: seed)
    let problems = simulation.run()
    #expect(problems == [], "\(simulation.story.joined(separator: "\n"))")
  }

  /// Seeds at which something else went wrong before.
  @Test(
    arguments: [91, 107, 108, 150, 203, 403, 520, 661, 865, 2017, 2820, 8464, 8946, 18739]
      as [UInt64])
  func `seeds that once failed still pass`(seed: UInt64) {
    var simulation = ClusterSimulation(seed: seed)
    let problems = simulation.run()
    #expect(problems == [], "\(simulation.story.joined(separator: "\n"))")
  }

  @Test(arguments: ClusterSimulation.Plant.all)
  func `a mistake that is made on purpose is noticed`(plant: ClusterSimulation.Plant) {
    let isNoticed = (UInt64(1)...60).contains { seed in
      var simulation = ClusterSimulation(seed: seed, plant: plant)
      return !simulation.run().isEmpty
    }
    #expect(isNoticed)
  }
}
