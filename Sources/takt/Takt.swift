import ArgumentParser
import Glibc
import TaktEngine

/// The command line.
@main
struct Takt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "takt",
    abstract:
      "Cron for one Linux machine, plus timeouts, retries, safe reloads and a record of every scheduled start.",
    discussion: """
      `takt init` writes a jobs.yaml to start from; `takt run` runs it. After an edit, run `takt \
      reload`. `takt --version --json` also prints the commit and the versions of libraries.

      EXIT CODES:
      \(ExitCode.table)
      """,
    version: TaktVersion.current,
    subcommands: [
      InitCommand.self, RunCommand.self, ExecCommand.self, CheckCommand.self, PlanCommand.self,
      NextCommand.self,
      ExplainCommand.self, SimulateCommand.self, RunsCommand.self, WhyCommand.self,
      LogsCommand.self,
      VerifyCommand.self,
      StatusCommand.self, TriggerCommand.self, BackfillCommand.self, SuspendCommand.self,
      ResumeCommand.self,
      CancelCommand.self, OnceCommand.self, ReloadCommand.self, OpenCommand.self,
      ClusterCommand.self,
      SchemaCommand.self, ImportCommand.self, ExportCommand.self,
      PluginsCommand.self,
    ])

  static func main() {
    StandardDescriptors.ensureOpen()
    // Half of what this answer would take is the parser looking at all commands.
    let arguments = ProgramArguments.given
    if arguments == ["--version"] {
      Console.print(TaktVersion.current)
    } else if Set(arguments) == ["--version", "--json"] {
      Console.print(TaktVersion.Report().jsonLine)
    } else {
      CommandSuggestion.check(arguments, of: Self.self)
      main(arguments)
    }
    // Buffered output that a full disk refuses would otherwise be lost silently.
    guard fflush(nil) == 0 else {
      Console.error("takt: cannot write: \(String(cString: strerror(errno)))")
      Self.exit(withError: ExitCode.unwritable)
    }
  }
}
