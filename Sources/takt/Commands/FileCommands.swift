import ArgumentParser
import TaktConfig
import TaktCore
import TaktEngine

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a jobs file and everything it includes.",
    discussion: """
      Runs nothing. Warns also of what a daemon does not look for: programs, folders and secret \
      files that are not on this machine, include patterns that match nothing, and instants in the \
      past. Exits with 78 if there are errors; with --strict, also if there are warnings.
      """)

  @OptionGroup var argument: FileArgument

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Flag(help: "Also list the jobs whose commands start without a shell.")
  var verbose = false

  func run() throws {
    var source = argument.source
    source.limits = .machine
    let (snapshot, _, warnings) = try source.loadOrExit(isThorough: true)
    let jobs = snapshot.jobs.count == 1 ? "1 job" : "\(snapshot.jobs.count) jobs"
    let count = warnings == 1 ? "1 warning" : "\(warnings) warnings"
    if strict, warnings > 0 {
      Console.error("takt: \(argument.file) has \(count), which --strict does not allow")
      throw ExitCode.configuration
    }
    if verbose {
      for spec in snapshot.jobs {
        if let words = spec.directWords { Console.print("\(spec.name): \(words)") }
      }
    }
    Console.print(
      "\(argument.file): ok, \(jobs)" + (warnings > 0 ? ", \(count)" : ""),
      in: warnings > 0 ? .yellow : .green)
  }
}

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of the jobs file, or of its tests, for editors.",
    discussion: """
      The schema uses draft 2020-12 and covers one file by itself. `takt check` checks more: users, \
      groups, time zones, and the files that a jobs file names.
      """)

  @Flag(help: "Print the schema of files of tests, such as jobs.test.yaml.")
  var tests = false

  func run() throws {
    let schema =
      tests
      ? KeyTable.testSchema(version: TaktVersion.current)
      : KeyTable.schema(catalogue: BuiltinRegistry.standard, version: TaktVersion.current)
    Console.print(String(schema.dropLast()))
  }
}
