import ArgumentParser
import TaktConfig
import TaktCore
import TaktEngine

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what a reload would change.",
    discussion: """
      Jobs are compared by meaning: a comment or a new order of keys changes nothing. An updated job \
      keeps its timer; the timer of a rearmed job is set again. The plan names changed commands, \
      environments and parameters, but does not print them. Exits with 78 if a reload would refuse \
      the new file, because it has errors, or adds or removes scheduler.cluster.
      """)

  @Argument(help: "The current jobs file.", completion: .file())
  var old: String

  @Argument(help: "The new jobs file.", completion: .file())
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
    if let refusal = before.settings.restartRefusal(to: after.settings, in: new) {
      Console.error(refusal.text)
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
    abstract: "Check a jobs file and everything it includes.",
    discussion: "Runs nothing. Exits with 78 if there are errors.")

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
      The schema uses draft 2020-12 and covers one file by itself. `takt check` checks more: users, \
      groups, time zones, and the files that a jobs file names.
      """)

  func run() throws {
    let schema = KeyTable.schema(catalogue: BuiltinRegistry.standard)
    Console.print(String(schema.dropLast()))
  }
}
