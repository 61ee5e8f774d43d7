import ArgumentParser
import Glibc
import TaktAPI
import TaktConfig
import TaktCore
import TaktTime

struct OnceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "once",
    abstract: "Run a command once, at an instant.",
    discussion: """
      The daemon keeps it in its ledger, so a restart does not forget it. `takt status` shows it, \
      `takt cancel NAME` cancels it, and its record goes with scheduler.history.keep. The command gets \
      the environment of a job, and runs in the current folder. Without a shell: for one, write \
      -- sh -c 'TEXT'.
      """)

  @Option(help: "The instant, \(InstantArgument.forms).")
  var at: String

  @Option(help: "The job's name. (default: once- and the instant)")
  var name: String?

  @Option(help: "Stop the command after this long, such as 10m.")
  var timeout: String?

  @Flag(help: "Print the job as JSON.")
  var json = false

  @OptionGroup var control: ControlArgument

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after --.", valueName: "command"))
  var command: [String] = []

  func run() throws {
    guard !command.isEmpty else {
      throw ValidationError(
        "A command is missing: write it after --, as in 'takt once --at 18:00 -- date'.")
    }
    // Other bytes have been replaced before they arrive here.
    guard !command.contains(where: { $0.unicodeScalars.contains("\u{fffd}") }) else {
      throw ValidationError("The command is not UTF-8: write it into a script, and run that.")
    }
    if let name, let problem = TypedValue.problem(ofName: name) {
      throw ValidationError("'\(name.printable)' \(problem).")
    }
    if let timeout, let problem = TypedValue.problem(ofDuration: timeout) {
      throw ValidationError("'timeout' \(problem).")
    }
    let zone = control.zone
    let instant = try InstantArgument.read(at, of: "--at", in: zone, preferring: .future)
    let folder = getcwd(nil, 0).map { path in
      defer { free(path) }
      return String(cString: path)
    }
    var body = API.Once()
    body.name = name
    body.at = instant.rfc3339()
    body.run = command
    body.timeout = timeout
    body.cwd = folder
    let connection = try control.connect()
    let (answer, bytes) = try connection.ask(
      API.OnceJob.self, "POST", "/api/v1/once", body: body.json)
    if json { return Console.printJSON(bytes) }
    Console.print("\(answer.name) runs at \(answer.at.rfc3339(in: zone))".printable)
  }
}
