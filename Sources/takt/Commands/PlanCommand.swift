import ArgumentParser
import TaktCore
import TaktEngine

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what a reload from one jobs file to another would do.",
    discussion: """
      Jobs are compared by meaning: a comment or another order changes nothing. An updated job \
      keeps its timer, a rearmed one gets a new one. Commands, environment and parameters are \
      named when they change, and not shown.
      """)

  @Argument(help: "The jobs file as it is.", completion: .file())
  var old: String

  @Argument(help: "The jobs file as it will be.", completion: .file())
  var new: String

  func run() throws {
    // Both are read before either ends the program, so that all mistakes show at once.
    let sources = [old, new].map {
      JobsFileSource(path: $0, catalogue: BuiltinRegistry.standard).load()
    }
    for diagnostic in sources.flatMap(\.diagnostics) { Console.error(diagnostic.text) }
    guard let before = sources[0].snapshot, let after = sources[1].snapshot else {
      throw ExitCode.configuration
    }
    let plan = ReloadPlan(from: before, to: after)
    for step in plan.steps { print(step) }
    for rename in plan.probableRenames {
      Console.print("hint: '\(rename.to)' looks like '\(rename.from)' renamed; it is a new job")
    }
    for difference in before.settings.differences(to: after.settings) {
      Console.print("~ scheduler.\(difference)")
    }
    let counts = ReloadPlan.Change.allCases.map { "\(plan.count(of: $0)) \($0.rawValue)" }
    Console.print(counts.joined(separator: ", "))
  }

  private func print(_ step: ReloadPlan.Step) {
    let sign =
      switch step.change {
      case .added: "+"
      case .removed: "-"
      case .updated, .rearmed, .kept: "~"
      }
    Console.print("\(sign) \(step.spec.name)  \(step.change.rawValue)")
    for detail in step.details {
      let values =
        detail.from == nil && detail.to == nil
        ? " changed" : ": \(detail.from ?? "none") → \(detail.to ?? "none")"
      Console.print("    \(detail.key)\(values)")
    }
  }
}
