import ArgumentParser
import TaktAPI
import TaktConfig
import TaktCore
import TaktEngine
import TaktSystem
import TaktTime

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what a reload would change.",
    discussion: """
      Compares the jobs of the running daemon with its jobs file on disk; with a file, with that one, \
      as if it were the daemon's jobs file; with two files, the first with the second, without a \
      daemon. Nothing is applied. For each changed key it shows the old and the new value. Secrets are \
      masked: the values of secret parameters, of variables such as DB_PASSWORD, and passwords in \
      commands and URLs.

      Jobs are compared by meaning: a comment or a new order of keys changes nothing. An updated job \
      keeps its timer; the timer of a rearmed job is set again. Settings marked 'needs a restart' are \
      not applied by a reload. Exits with 78 if a reload would refuse the file, because it has errors, \
      or adds or removes scheduler.cluster, and with 69 if takt is not running.
      """)

  @Argument(
    help: ArgumentHelp(
      "The file to compare the daemon with, or two files to compare. (default: the daemon's jobs file)",
      valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var files: [String] = []

  @Flag(help: "Print the plan as JSON.")
  var json = false

  @Flag(
    help:
      "With two files: simulate a day of both with the history of the first, and show what changes."
  )
  var simulate = false

  @OptionGroup var control: ControlArgument

  func validate() throws {
    if simulate, files.count != 2 || json {
      throw ValidationError(
        "--simulate compares two files; for JSON use 'takt simulate OLD --history --with NEW --json'."
      )
    }
    guard files.count <= 2 else {
      throw ValidationError(
        "Specify no file, a file to compare the daemon with, or an old and a new file.")
    }
    if files.count == 2, control.folder != nil || control.givenFile != nil {
      throw ValidationError("Two files are compared without a daemon; omit --file and --state.")
    }
  }

  func run() throws {
    if files.count == 2 { return try compare(files[0], files[1]) }
    if let file = files.first { return try compareDaemon(with: file) }
    show(try control.connect().ask(API.Plan.self, "GET", "/api/v1/plan"), control)
  }

  /// - Parameter names: the daemon's jobs file, and the file that was sent in its place.
  private func show(
    _ answer: (value: API.Plan, bytes: [UInt8]), _ control: ControlArgument,
    calling names: (daemon: String, sent: String)? = nil
  ) {
    if json { return Console.printJSON(answer.bytes) }
    for warning in answer.value.warnings { Console.error(warning.text(calling: names)) }
    PlanLines(zone: control.zone).print(answer.value)
  }

  /// Uses the daemon of `--file` or `--state`, or else the file's own, or the one here.
  private func compareDaemon(with file: String) throws {
    try FileArgument.requireFile(file)
    var control = control
    if control.givenFile == nil, control.folder == nil {
      control.givenFile = file
      if !control.hasSocket { control.givenFile = nil }
    }
    let connection = try control.connect()
    let daemonFile = try connection.ask(API.Status.self, "GET", "/api/v1/status").value.file
    let source = JobsFileSource(path: file, catalogue: BuiltinRegistry.standard)
    guard source.absolutePath != daemonFile else {
      return show(try connection.ask(API.Plan.self, "GET", "/api/v1/plan"), control)
    }
    let text: [UInt8]
    do throws(SystemError) {
      text = try SmallFile.read(file, bytesMax: Self.bytesMax)
    } catch {
      Console.error("takt: \(file.printable) cannot be read: \(SystemError.text(error.number))")
      throw ExitCode.configuration
    }
    Console.error("the running daemon's \(daemonFile.printable) → \(file.printable)")
    // Errors in this text are not in the daemon's file.
    var named = connection
    named.fileNames = (daemonFile, file)
    show(
      try named.ask(
        API.Plan.self, "POST", "/api/v1/plan?values=true", body: text), control,
      calling: named.fileNames)
  }

  /// The limit of a jobs file.
  private static let bytesMax = 64 << 20

  private func compare(_ old: String, _ new: String) throws {
    // Both are read before either ends the program, so that all mistakes show at once.
    let sources = [old, new].map {
      JobsFileSource(path: $0, catalogue: BuiltinRegistry.standard).load()
    }
    for diagnostic in sources.flatMap(\.diagnostics) { Console.error(diagnostic) }
    guard let before = sources[0].snapshot, var after = sources[1].snapshot else {
      throw ExitCode.configuration
    }
    // Each has its own default.
    if before.settings.state == JobsLoader.defaultState(of: old),
      after.settings.state == JobsLoader.defaultState(of: new)
    {
      after.settings.state = before.settings.state
    }
    if let refusal = before.settings.restartRefusal(to: after.settings, in: new) {
      Console.error(refusal.text)
      throw ExitCode.configuration
    }
    let plan = ReloadPlan(from: before, to: after)
    let settings = before.settings.differences(to: after.settings)
    let keys = before.settings.keysForRestart(to: after.settings)
    var report = ReloadReport(
      at: SystemTimeSource().wall, plan: plan, settings: settings, keysForRestart: keys,
      diagnostics: sources[1].diagnostics)
    if json { return Console.printJSON(API.Plan(plan, report, showsValues: true).json) }
    // They have been printed.
    report.diagnostics = []
    PlanLines(zone: after.settings.zone).print(API.Plan(plan, report, showsValues: true))
    if simulate { try simulateDay(of: before, in: old, and: after) }
  }

  private func simulateDay(of before: Snapshot, in file: String, and after: Snapshot) throws {
    let zone = before.settings.zone
    let simulation = Forecast.Plan(
      from: WallInstant(milliseconds: SystemTimeSource().wall.milliseconds), for: .seconds(86_400))
    let history = try HistoryOptions.runs(
      in: HistoryOptions.state(file, nil).open().archive, before: simulation.start, in: zone)
    Console.print("")
    Console.print("The next day, simulated with the history of \(file.printable):")
    ComparisonLines(
      comparison: ForecastComparison(
        ForecastProgress.run(before, history, simulation), of: before,
        ForecastProgress.run(after, history, simulation), of: after),
      zone: zone
    ).print()
  }
}
