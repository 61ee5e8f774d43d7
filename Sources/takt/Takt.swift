import ArgumentParser
import Glibc
import TaktEngine

/// The command line.
@main
struct Takt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "takt",
    abstract: "A job scheduler for one machine.",
    discussion: """
      Write jobs.yaml, run `takt run`, and send SIGHUP after an edit.

      Exit codes: 0 ok, 1 books that do not balance, 64 wrong usage, 65 a wrong expression, 69 no takt runs, 71 the system refuses
      what takt needs, 73 a state folder that is in use, 74 output that cannot be written, 75 a trigger that the job's overlap refuses, 78 a jobs
      file or a ledger that cannot be used.
      """,
    version: TaktVersion.current,
    subcommands: [
      RunCommand.self, ExecCommand.self, CheckCommand.self, PlanCommand.self, NextCommand.self,
      ExplainCommand.self, SimulateCommand.self, RunsCommand.self, LogsCommand.self,
      VerifyCommand.self,
      StatusCommand.self, TriggerCommand.self, SuspendCommand.self, ResumeCommand.self,
      CancelCommand.self, ReloadCommand.self, OpenCommand.self, SchemaCommand.self,
      PluginsCommand.self,
    ])

  static func main() {
    StandardDescriptors.ensureOpen()
    // Half of what this answer would take is the parser looking at all commands.
    if CommandLine.arguments.dropFirst().elementsEqual(["--version"]) {
      Console.print(TaktVersion.current)
    } else {
      main(nil)
    }
    // What a command has printed and what the disk has no room for would be lost without a word.
    guard fflush(nil) == 0 else {
      Console.error("takt: cannot write: \(String(cString: strerror(errno)))")
      Self.exit(withError: ExitCode.unwritable)
    }
  }
}
