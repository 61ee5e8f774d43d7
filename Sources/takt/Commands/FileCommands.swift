import ArgumentParser
import TaktConfig
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

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a jobs file and all that it includes, without running anything.",
    discussion: "Exits 0 when the file can be run, 78 when it cannot.")

  @OptionGroup var argument: FileArgument

  func run() throws {
    let (snapshot, _, warnings) = try argument.source.loadOrExit()
    let jobs = snapshot.jobs.count == 1 ? "1 job" : "\(snapshot.jobs.count) jobs"
    Console.print(
      "\(argument.file): ok, \(jobs)" + (warnings > 0 ? ", \(warnings) warning(s)" : ""))
  }
}

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of the jobs file, for editors and validators.",
    discussion: """
      The schema is of draft 2020-12 and says what one file may hold by itself. `takt check` knows \
      more: users, groups, time zones, and files that others name.
      """)

  func run() throws {
    let schema = KeyTable.schema(catalogue: BuiltinRegistry.standard)
    Console.print(String(schema.dropLast()))
  }
}
