import Glibc
import TaktCore
import TaktTesting

/// Runs three machines of a cluster in virtual time, once for each seed.
///
///     cluster-storm [FIRST [COUNT [PLANT]]]
///
/// It prints the seeds that fail with their problems; for a single seed, all events. PLANT puts a
/// mistake in on purpose. Exit status: 0, or 1 if a seed has failed.
@main
struct ClusterStorm {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let first = arguments.first.flatMap { UInt64($0) } ?? 1
    let count = arguments.count > 1 ? UInt64(arguments[1]) ?? 1000 : arguments.isEmpty ? 1000 : 1
    let plant = arguments.count > 2 ? plant(arguments[2]) : nil
    var failed = 0
    for seed in first..<first + count {
      var simulation = ClusterSimulation(seed: seed, plant: plant)
      let problems = simulation.run()
      if count == 1 { for line in simulation.story { print(line) } }
      guard !problems.isEmpty else { continue }
      failed += 1
      print("seed \(seed): \(problems.count) problems")
      for problem in problems.prefix(count == 1 ? 100 : 3) { print("  \(problem)") }
    }
    print("\(count) seeds, \(failed) failed")
    if failed > 0 { exit(1) }
  }

  private static func plant(_ name: String) -> ClusterSimulation.Plant? {
    name == "unguarded" ? .unguarded : MemoryEngine.Plant(rawValue: name).map { .engine($0) }
  }
}
