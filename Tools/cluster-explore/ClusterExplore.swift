import Glibc
import TaktCore
import TaktTesting

/// Explores small worlds completely: machines that share one job, and one machine that shares
/// nothing, for each `overlap` and `delivery`.
///
///     cluster-explore [--machines N] [--slots N] [--missed skip|last|all] [--alone JOBS]
///                     [--group] [--longest SECONDS] [--stop-grace SECONDS] [--faults N]
///                     [--fault NAME,NAME] [--only TEXT] [--plant NAME] [--states N]
///                     [--violations N] [--outcomes] [--progress]
///
/// It prints the number of states, and for each violation the way to it, in few steps: a step is
/// all that a machine does at one instant, with its consequences. `--machines` (2) and `--slots`
/// (2) set the size of the world, `--alone` asks for one machine with this many jobs (1 or 2),
/// `--group` for two jobs with a slot each, of which one may run at a time. `--longest` (3) sets the
/// longest run: a lease is 6. `--stop-grace` (0) sets the time that a run
/// may take to end: others decide for its machine that much later. `--faults` sets the most faults
/// of a path (1), `--fault` their kinds (all), `--only` leaves out the scenes without TEXT in their
/// names, and `--plant` puts a mistake into the engine's rules. `--states` and `--violations` (1)
/// end the search of a scene early. `--outcomes` prints the fates of the slots: a search that
/// leaves more out must print the same. `--progress` shows the progress even if standard error is
/// no terminal. Exit status: 0, or 1 with a violation.
@main
struct ClusterExplore {
  static func main() {
    let arguments = CommandLine.arguments
    func option(_ name: String) -> String? {
      arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
    }
    let faults = option("--faults").flatMap { Int($0) } ?? 1
    let statesMax = option("--states").flatMap { Int($0) } ?? .max
    var isClean = true
    for overlap in Overlap.allCases {
      for delivery in Delivery.allCases {
        let machines = option("--machines").flatMap { Int($0) } ?? 2
        var scene =
          option("--alone").map {
            ExplorerScene.alone(overlap, delivery, isFollowed: $0 == "2", faults: faults)
          }
          ?? (arguments.contains("--group")
            ? ExplorerScene.group(overlap, delivery, machines: machines, faults: faults) : nil)
          ?? ExplorerScene.one(
            overlap, delivery, machines: machines, faults: faults,
            slots: (0..<(option("--slots").flatMap { Int($0) } ?? 2)).map {
              .milliseconds(1500 + 2000 * $0)
            }, stopGrace: .seconds(option("--stop-grace").flatMap { Int($0) } ?? 0))
        if let missed = option("--missed").flatMap({ MissedPolicy.Choice(rawValue: $0) }) {
          for version in scene.versions.indices {
            for job in scene.versions[version].indices {
              scene.versions[version][job].missed.choice = missed
            }
          }
        }
        if let only = option("--only"), !scene.name.contains(only) { continue }
        if let longest = option("--longest").flatMap({ Int($0) }) {
          scene.lengths[scene.lengths.count - 1] = .seconds(longest)
        }
        scene.plant = option("--plant").flatMap { MemoryEngine.Plant(rawValue: $0) }
        if let names = option("--fault") {
          scene.faults = Set(names.split(separator: ",").compactMap { .init(rawValue: String($0)) })
        }
        let isShown = isatty(STDERR_FILENO) == 1 || arguments.contains("--progress")
        let clock = ContinuousClock()
        let begin = clock.now
        var explorer = ClusterExplorer(
          scene, statesMax: statesMax,
          violationsMax: option("--violations").flatMap { Int($0) } ?? 1,
          progress: { isShown ? show($0) : () })
        let report = explorer.run()
        print(
          "\(scene.name), \(faults) faults: \(report.states) states, \(report.steps) steps, "
            + "\(report.ends) ends, longest \(report.depth), "
            + "\(report.isComplete ? "complete" : "not complete"), "
            + "\(clock.now - begin), \(report.violations.count) violations")
        if arguments.contains("--outcomes") {
          for outcome in report.outcomes.sorted() { print("  ends: \(outcome)") }
        }
        show(report.violations)
        isClean = isClean && report.violations.isEmpty
      }
    }
    if !isClean { exit(1) }
  }

  private static func show(_ violations: [ClusterExplorer.Violation]) {
    for violation in violations {
      print("  \(violation.problem)")
      for (place, step) in violation.story.enumerated() {
        print("    \(place + 1). " + step.replacing("\n", with: "\n    "))
      }
    }
  }

  /// Shows one line, which replaces the one before.
  private static func show(_ progress: ClusterExplorer.Progress) {
    let share = Int(progress.share * 1000)
    let line = "\(progress.faults) faults: \(progress.states) states, \(share / 10).\(share % 10) %"
    _ = "\r\(line) ".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}
