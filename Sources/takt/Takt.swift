import ArgumentParser
import Glibc
import TaktEngine
import TaktSystem

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
      NextCommand.self, AgendaCommand.self,
      ExplainCommand.self, SimulateCommand.self, TestCommand.self, AdviseCommand.self,
      RunsCommand.self, SlotsCommand.self, WhyCommand.self,
      LogsCommand.self,
      VerifyCommand.self,
      StatusCommand.self, TriggerCommand.self, BackfillCommand.self, SuspendCommand.self,
      ResumeCommand.self, DrainCommand.self,
      CancelCommand.self, OnceCommand.self, ReloadCommand.self, OpenCommand.self,
      ClusterCommand.self, MCPCommand.self,
      SchemaCommand.self, ImportCommand.self, ExportCommand.self,
      PluginsCommand.self,
    ])

  static func main() {
    StandardDescriptors.ensureOpen()
    // Half of the time of this answer would be the parser's for all commands.
    let arguments = ProgramArguments.given
    if arguments == ["--version"] {
      Console.print(TaktVersion.current)
    } else if Set(arguments) == ["--version", "--json"] {
      Console.print(TaktVersion.Report().jsonLine)
    } else {
      CommandSuggestion.check(arguments, of: Self.self)
      perform(arguments)
    }
    requireWritten()
  }

  /// Ends the program if buffered output cannot be written, which would otherwise be lost silently.
  private static func requireWritten() {
    guard fflush(nil) != 0 else { return }
    Console.error("takt: cannot write: \(SystemError.text())")
    Self.exit(withError: ExitCode.unwritable)
  }

  private static func perform(_ arguments: [String]) {
    do {
      var command = try parsed(arguments)
      do {
        try command.run()
      } catch let error as ValidationError {
        Console.error("Error: \(error.message)\n\(usage(of: type(of: command)))")
        Self.exit(withError: ExitCode.usage)
      }
    } catch {
      end(with: error)
    }
  }

  /// Ends as the parser does, but escapes its messages, which quote the arguments.
  private static func end(with error: any Error) -> Never {
    let (code, message) = (exitCode(for: error), fullMessage(for: error))
    if !message.isEmpty {
      if code.isSuccess { Console.print(message) } else { Console.error(message) }
    }
    if code.isSuccess { requireWritten() }
    Self.exit(withError: code)
  }

  /// The command that arguments name. The parser's time grows with the square of their number, so
  /// it does not get the command that `once` is to run.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    guard arguments.first == OnceCommand.configuration.commandName,
      let end = arguments.firstIndex(of: "--")
    else { return try parseAsRoot(arguments) }
    let command = try parseAsRoot(Array(arguments[..<end]))
    guard var once = command as? OnceCommand else { return command }
    once.command = Array(arguments[(end + 1)...])
    return once
  }

  /// The usage that the parser adds to its own errors; for an error in `run` it would name the
  /// program only.
  private static func usage(of command: any ParsableCommand.Type) -> String {
    let path = Self.path(to: command, from: Self.self) ?? "takt"
    return "Usage: \(usageString(for: command))\n  See '\(path) --help' for more information."
  }

  private static func path(
    to command: any ParsableCommand.Type, from root: any ParsableCommand.Type
  ) -> String? {
    let name = root.configuration.commandName ?? ""
    if ObjectIdentifier(root) == ObjectIdentifier(command) { return name }
    for next in root.configuration.subcommands {
      if let rest = path(to: command, from: next) { return "\(name) \(rest)" }
    }
    return nil
  }
}
