import ArgumentParser
import TaktCore

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
