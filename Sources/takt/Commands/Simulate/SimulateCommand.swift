import ArgumentParser
import TaktCore
import TaktEngine
import TaktPicture
import TaktTime

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulate a jobs file in virtual time.",
    discussion: """
      Runs the real scheduler without running any command. takt starts for the first time at --from. \
      Every run succeeds, and lasts as long as its job's 'expected' key says, or --run-time.

      Faults: step=-1h@T (the system clock is set), sleep=8h@T (the machine sleeps), stall=5m@T \
      (takt hangs), slow=JOB:2m@T (the job's runs take this long), crash=30s@T (takt is killed, and \
      starts again after 30s), reload=FILE@T. T is an instant, or +2h after the start. Without @T, a \
      fault happens in the middle, and a slow job is slow from the start.
      """)

  @OptionGroup var argument: FileArgument

  @Option(help: "The start, such as 2026-12-24T18:00 or 'tomorrow 06:00'. (default: now)")
  var from: String?

  @Option(name: .customLong("for"), help: "The length, such as 12h or 30d.")
  var span = "1d"

  @Option(help: "Add a fault. Repeatable.")
  var fault: [String] = []

  @Option(help: "The length of a run whose job has no 'expected'.")
  var runTime = "1s"

  @Flag(help: "List every verdict.")
  var slots = false

  @Flag(help: "Print one JSON object; with --slots, one for each verdict before it.")
  var json = false

  @Option(
    help: "Write a picture to this SVG file.", completion: .file(extensions: ["svg"]))
  var svg: String?

  func run() throws {
    let (snapshot, _, _) = try argument.source.loadOrExit(isQuiet: true)
    let zone = snapshot.settings.zone
    let start =
      try from.map { try InstantArgument.read($0, of: "--from", in: zone) }
      ?? WallInstant(milliseconds: SystemTimeSource().wall.milliseconds)
    let duration = try Self.duration(span, of: "--for", most: Simulator.spanMax)
    let faults = try fault.map {
      try FaultArgument(start: start, span: duration, snapshot: snapshot, file: argument.file)
        .fault($0)
    }
    // Asked once: a flag is looked up in what was parsed.
    let showsSlots = slots
    var timeline = svg.map { _ in
      TimelineBuilder(snapshot, from: start, to: start + duration)
    }
    var simulator = Simulator(
      snapshot, from: start, faults: faults,
      runTime: try Self.duration(runTime, of: "--run-time", most: Simulator.spanMax),
      emitsAll: showsSlots || timeline != nil)
    let lines = SimulationLines(zone: zone, isJSON: json)
    var progress = SimulationProgress(from: start, for: duration)
    simulator.run(for: duration) { event in
      timeline?.add(event)
      if showsSlots { lines.show(event) }
      return progress.observe(event)
    }
    let report = simulator.report
    progress.finish()
    if let svg, let timeline {
      try WrittenFile.write(timeline.svg(title: "\(report.verdictCounts)"), to: svg)
    }
    if json {
      Console.print(SimulationAnswer(report, snapshot, from: start, for: duration).jsonLine)
    } else {
      SimulationTable(report: report, snapshot: snapshot, start: start, span: duration).print()
    }
  }

  static func duration(_ text: String, of option: String, most: Duration) throws -> Duration {
    guard let duration = try? DurationText.parse(text), duration > .zero, duration <= most else {
      throw ValidationError(
        "\(option) takes a duration such as 90m or 30d, up to \(DurationText.format(most)).")
    }
    return duration
  }
}
