import ArgumentParser
import TaktControl
import TaktCore
import TaktEngine
import TaktTime

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what a reload would change.",
    discussion: """
      Compares the jobs of the running daemon with the jobs file on disk; with two files, the first \
      with the second, without a daemon. Nothing is applied. For each changed key it shows the old \
      and the new value. Secrets are masked: the values of secret parameters, of variables such as \
      DB_PASSWORD, and passwords in commands and URLs.

      Jobs are compared by meaning: a comment or a new order of keys changes nothing. An updated job \
      keeps its timer; the timer of a rearmed job is set again. Exits with 78 if a reload would \
      refuse the file, because it has errors, or adds or removes scheduler.cluster, and with 69 if \
      takt is not running.
      """)

  @Argument(
    help: ArgumentHelp(
      "The daemon's jobs file, or two files to compare. (default: jobs.yaml)",
      valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var files: [String] = []

  @Flag(help: "Print the plan as JSON.")
  var json = false

  @OptionGroup var control: ControlArgument

  func validate() throws {
    guard files.count <= 2 else {
      throw ValidationError("Specify no file, the daemon's jobs file, or an old and a new file.")
    }
    if files.count == 2, control.folder != nil {
      throw ValidationError("--state cannot be combined with two files.")
    }
  }

  func run() throws {
    if files.count == 2 { return try compare(files[0], files[1]) }
    var control = control
    if let file = files.first { control.file = file }
    let (plan, bytes) = try control.connect().ask(PlanAnswer.self, "GET", "/api/v1/plan")
    if json { return Console.print(String(decoding: bytes, as: UTF8.self)) }
    for warning in plan.warnings { Console.error(warning.text) }
    PlanLines(zone: control.zone).print(plan)
  }

  private func compare(_ old: String, _ new: String) throws {
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
    let settings = before.settings.differences(to: after.settings)
    guard json else {
      return PlanLines(zone: after.settings.zone).print(PlanAnswer(plan, settings: settings))
    }
    var writer = JSONWriter()
    writer.value(
      plan,
      ReloadReport(
        at: SystemTimeSource().wall, plan: plan, settings: settings,
        diagnostics: sources[1].diagnostics), showsValues: true)
    Console.print(String(decoding: writer.bytes, as: UTF8.self))
  }
}
