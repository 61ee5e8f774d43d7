import TaktCore
import TaktTime

struct TestResult {
  /// An unmet expectation, with details that explain it.
  struct Failure {
    var failure: TestFailure
    /// The declarations of the jobs in question.
    var places: [SourceLocation]
    /// The events around it.
    var timeline: [String]
  }

  let test: JobsTest
  let failures: [Failure]
  let elapsed: Duration

  /// Performs the test. A failed one is simulated again for its timeline, so that the first
  /// simulation need not keep events.
  init(_ test: JobsTest, files: TestFiles) {
    self.test = test
    let begin = SystemTimeSource().monotonic
    var observation = TestObservation(test)
    var simulator = test.simulator(emitsAll: observation.needsEvents)
    var progress = SimulationProgress(from: test.start, for: test.span)
    simulator.run(for: test.runSpan) { event in
      observation.add(event)
      return progress.observe(event)
    }
    let found = TestEvaluation(test, observation, simulator.report).failures
    failures = found.isEmpty ? [] : Self.explained(found, of: test, files)
    progress.finish()
    elapsed = SystemTimeSource().monotonic - begin
  }

  private static func explained(
    _ failures: [TestFailure], of test: JobsTest, _ files: TestFiles
  ) -> [Failure] {
    // Only as many as people read get a timeline.
    var timelines = failures.prefix(20).map { TestTimeline($0) }
    var simulator = test.simulator(emitsAll: true)
    simulator.run(for: test.runSpan) { event in
      for place in timelines.indices { timelines[place].add(event) }
      return true
    }
    let names = Set(failures.flatMap { ($0.jobs ?? []).prefix(5) })
    let places = files.places(of: names, in: test)
    return failures.enumerated().map { number, failure in
      let own = Set((failure.jobs ?? []).prefix(5).compactMap { places[$0] })
      return Failure(
        failure: failure, places: own.sorted(),
        timeline: number < timelines.count ? timelines[number].lines(in: test.zone) : [])
    }
  }
}

// The output for people.
extension TestResult {
  var lines: [(text: String, colour: TerminalColour)] {
    let name = test.name.printable
    guard !failures.isEmpty else { return [("ok    \(name)", .green)] }
    let span = DurationText.format(test.span)
    var lines: [(text: String, colour: TerminalColour)] = [
      (
        "FAIL  \(name)  (\(span) from \(test.start.rfc3339(in: test.zone)) in \(test.zone.name))",
        .red
      )
    ]
    for line in failures.flatMap(\.lines) { lines.append((text: "  " + line, colour: .none)) }
    return lines
  }
}

extension TestResult.Failure {
  var lines: [String] {
    var lines = ["\(failure.expectation.place): \(failure.sentence)".printable]
    lines += places.map { "  the job is at \($0)".printable }
    return lines + timeline.map { "    " + $0 }
  }
}

/// The events around an unmet expectation: a few, collected as they pass.
private struct TestTimeline {
  private static let before = 6
  private static let after = 8

  /// A bounded part of the events.
  private struct Part {
    var early: [SimulatedEvent] = []
    var late: [SimulatedEvent] = []
    var omitted = 0

    /// Takes an event: those around an instant are kept, or else the first and the last ones.
    mutating func put(_ event: SimulatedEvent, _ at: WallInstant, around center: WallInstant?) {
      guard let center else {
        if early.count < TestTimeline.before { return early.append(event) }
        late.append(event)
        if late.count > TestTimeline.after {
          late.removeFirst()
          omitted += 1
        }
        return
      }
      if at < center {
        early.append(event)
        if early.count > TestTimeline.before {
          early.removeFirst()
          omitted += 1
        }
      } else if late.count < TestTimeline.after {
        late.append(event)
      }
    }
  }

  private let failure: TestFailure
  private let jobs: Set<JobName>?
  private var all = Part()
  /// Slots with the verdict of the expectation.
  private var ofKind = Part()

  init(_ failure: TestFailure) {
    self.failure = failure
    jobs = failure.jobs.map { Set($0) }
  }

  mutating func add(_ event: SimulatedEvent) {
    guard let (name, at) = Self.place(of: event) else { return }
    if let name, let jobs, !jobs.contains(name) { return }
    all.put(event, at, around: failure.at)
    guard let kind = failure.kind, kind != .ran else { return }
    switch event {
    case .verdict(let record, _, _) where record.verdict.kind == kind:
      ofKind.put(event, at, around: failure.at)
    case .fault: if !ofKind.early.isEmpty { ofKind.put(event, at, around: failure.at) }
    case .verdict, .began, .ended, .retried, .called, .wake: break
    }
  }

  /// The job and the time of an event; nil for one that is not shown.
  private static func place(of event: SimulatedEvent) -> (JobName?, WallInstant)? {
    switch event {
    case .verdict(let record, _, _): (record.job, record.at)
    case .ended(let name, _, _, let at): (name, at)
    case .retried(let name, _, let at): (name, at)
    case .called(let name, _, let at): (name, at)
    case .fault(_, let at): (nil, at)
    case .began, .wake: nil
    }
  }

  func lines(in zone: Zone) -> [String] {
    let part = ofKind.early.isEmpty && ofKind.late.isEmpty ? all : ofKind
    let early = part.early.compactMap { Self.line($0, in: zone) }
    let late = part.late.compactMap { Self.line($0, in: zone) }
    if part.omitted == 0 { return early + late }
    let gap = "… \(part.omitted) more"
    return failure.at == nil ? early + [gap] + late : [gap] + early + late
  }

  private static func line(_ event: SimulatedEvent, in zone: Zone) -> String? {
    switch event {
    case .verdict(let record, let lateness, _): SimulationLines.line(record, lateness, in: zone)
    case .ended(let name, _, let end, let at):
      "\(at.rfc3339(in: zone))  \(name)  run ended: \(end.words)"
    case .retried(let name, _, let at): "\(at.rfc3339(in: zone))  \(name)  retry"
    case .called(let name, let hook, let at):
      "\(at.rfc3339(in: zone))  \(name)  \(hook.rawValue)"
    case .fault(let fault, let at): "\(at.rfc3339(in: zone))  -- \(fault.kind.words)"
    case .began, .wake: nil
    }
  }
}
