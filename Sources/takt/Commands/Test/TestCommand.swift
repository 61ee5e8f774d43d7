import ArgumentParser
import TaktCore
import TaktPicture
import TaktTime

struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run the tests of a jobs file in virtual time.",
    discussion: """
      Runs the real scheduler without running any command, and compares what happens with what \
      jobs.test.yaml expects of jobs.yaml. FILE is the jobs file, or a file of tests, whose name ends \
      with .test.yaml. Exits with 0 if all tests pass, 1 if one fails, and 78 if a file is wrong.

      --record NAME prints a test of what happens now: the test of that name with new expectations, or \
      a new one. --from and --for set its times; what a test says in 'runs' is kept.
      """)

  @OptionGroup var argument: FileArgument

  @Option(
    name: .customLong("filter"), help: "Run only tests whose name contains this text. Repeatable.")
  var filters: [String] = []

  @Flag(help: "List the tests without running them.")
  var list = false

  @Flag(help: "Print one JSON object.")
  var json = false

  @Option(
    help: "Also write the results to this JUnit file.", completion: .file(extensions: ["xml"]))
  var junit: String?

  @Option(
    help: "Write a picture of the first test that fails to this SVG file.",
    completion: .file(extensions: ["svg"]))
  var svg: String?

  @Option(help: ArgumentHelp("Print a test of what happens now.", valueName: "name"))
  var record: String?

  @Option(help: "With --record: the start, such as 2026-12-24T18:00. (default: the test's, or now)")
  var from: String?

  @Option(
    name: .customLong("for"),
    help: "With --record: the length, such as 12h. (default: the test's, or 1d)")
  var span: String?

  func validate() throws {
    if let record {
      guard !record.isEmpty, record.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
        throw ValidationError("--record takes a name without control characters.")
      }
      return
    }
    if from != nil || span != nil {
      throw ValidationError("--from and --for need --record; a test names its own times.")
    }
  }

  func run() throws {
    var files = TestFiles(argument.file)
    if let record { return try printRecord(named: record, of: files) }
    let tests = try files.load()
    let chosen = tests.filter { test in
      filters.isEmpty || filters.contains { test.name.contains($0) }
    }
    guard !chosen.isEmpty else {
      Console.error(
        tests.isEmpty
          ? "takt: \(files.tests.printable) has no tests"
          : "takt: no test's name contains \(filters.map(\.printable).joined(separator: " or "))")
      throw ExitCode.usage
    }
    if list {
      for test in chosen { Console.print(test.name.printable) }
      return
    }
    var results: [TestResult] = []
    for test in chosen {
      let result = TestResult(test, files: files)
      results.append(result)
      if !json { for line in result.lines { Console.print(line.text, in: line.colour) } }
    }
    let summary = TestSummary(results, file: files.tests)
    Console.print(json ? TestAnswer(results, file: files.tests).jsonLine : summary.line)
    if let junit { try WrittenFile.write(summary.junit, to: junit) }
    try drawFailure(results)
    if results.contains(where: { !$0.failures.isEmpty }) { throw ExitCode.unbalanced }
  }

  private func drawFailure(_ results: [TestResult]) throws {
    guard let svg else { return }
    guard let failed = results.first(where: { !$0.failures.isEmpty }) else {
      return Console.error("takt: \(svg.printable) is not written: no test failed")
    }
    let test = failed.test
    var timeline = TimelineBuilder(test.snapshot, from: test.start, to: test.start + test.span)
    var simulator = test.simulator(emitsAll: true)
    simulator.run(for: test.runSpan) { event in
      timeline.add(event)
      return true
    }
    let title = "\(test.name): \(failed.failures.first?.failure.sentence ?? "")"
    try WrittenFile.write(timeline.svg(title: title), to: svg)
  }

  private func printRecord(named name: String, of files: TestFiles) throws {
    var files = files
    let known = files.hasRecordedTests ? try files.load().first { $0.name == name } : nil
    let snapshot = try known?.snapshot ?? TestFiles.jobs(at: files.jobs, local: .utc)
    let zone = known?.zone ?? snapshot.settings.zone
    let now = WallInstant(milliseconds: SystemTimeSource().wall.milliseconds / 60_000 * 60_000)
    let start = try from.map { try InstantArgument.read($0, of: "--from", in: zone) }
    let length = try span.map {
      try SimulateCommand.duration($0, of: "--for", most: Simulator.spanMax)
    }
    var test =
      known
      ?? JobsTest(
        name: name, place: SourceLocation(file: files.tests), start: now, span: .seconds(86_400),
        zone: zone, snapshot: snapshot)
    if test.move(to: start ?? test.start, for: length ?? test.span) {
      Console.error(
        "takt: the faults of '\(name.printable)' are left out: they are of its earlier times")
    }
    Console.print(TestRecord(test).text)
  }
}
