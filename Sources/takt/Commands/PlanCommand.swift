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
    PlanLines.print(
      PlanAnswer(plan, settings: before.settings.differences(to: after.settings)))
  }
}
