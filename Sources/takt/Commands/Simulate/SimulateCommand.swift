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

      With --history, durations, failures, CPU and memory of runs are drawn from the runs of the \
      ledger that began before --from: by the hour of the day where a job's durations depend on it, \
      and adjusted for a job that has become slower or faster. The simulation is repeated with other \
      seeds. A number is the median, with the value that 95 % of the simulations do not exceed where \
      it is another. CPU and memory show what runs need; a lack of them slows nothing down here. \
      --slots and --svg show the first seed.

      With --with, it simulates a second file, too, and shows what changes for the jobs of the first.
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

  @OptionGroup var drawing: HistoryOptions

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
    var plan = Forecast.Plan(from: start, for: duration)
    plan.faults = faults
    plan.runTime = try Self.duration(runTime, of: "--run-time", most: Simulator.spanMax)
    var timeline = svg.map { _ in
      TimelineBuilder(snapshot, from: start, to: start + duration)
    }
    if drawing.isForecast { return try forecast(snapshot, plan, timeline) }
    // Read once: a flag is looked up in the parsed arguments.
    let showsSlots = slots
    var simulator = Simulator(
      snapshot, from: start, faults: faults, runTime: plan.runTime,
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

  private func forecast(
    _ snapshot: Snapshot, _ plan: Forecast.Plan, _ timeline: TimelineBuilder?
  ) throws {
    var plan = plan
    (plan.seed, plan.seeds) = (drawing.seed ?? 1, drawing.seedCount)
    // Before the ledger, which may be read with the rights of another user.
    let other = try drawing.with.map {
      try JobsFileSource(path: $0, catalogue: BuiltinRegistry.standard).loadOrExit(isQuiet: true)
        .snapshot
    }
    let zone = snapshot.settings.zone
    let history = try drawing.runs(of: argument.file, before: plan.start, in: zone)
    let showsSlots = slots
    let lines = SimulationLines(zone: zone, isJSON: json)
    var pictured = timeline
    let forecast = ForecastProgress.run(snapshot, history, plan) { event in
      pictured?.add(event)
      if showsSlots { lines.show(event) }
    }
    if let svg, let pictured {
      try WrittenFile.write(pictured.svg(title: "seed \(plan.seed)"), to: svg)
    }
    let comparison = other.map {
      ForecastComparison(forecast, of: snapshot, ForecastProgress.run($0, history, plan), of: $0)
    }
    if json {
      let answer = ForecastAnswer(forecast, snapshot, history, drawing.machine, comparison)
      return Console.print(answer.jsonLine)
    }
    if let comparison {
      return ComparisonLines(comparison: comparison, zone: zone).print()
    }
    ForecastTable(
      forecast: forecast, snapshot: snapshot, history: history, machine: drawing.machine
    ).print()
  }

  static func duration(_ text: String, of option: String, most: Duration) throws -> Duration {
    guard let duration = try? DurationText.parse(text), duration > .zero, duration <= most else {
      throw ValidationError(
        "\(option) takes a duration such as 90m or 30d, up to \(DurationText.format(most)).")
    }
    return duration
  }
}
