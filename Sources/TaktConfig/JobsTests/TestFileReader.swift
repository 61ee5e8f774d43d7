package import TaktCore
import TaktSystem
package import TaktTime

package struct TestFileReader {
  /// Returns the jobs of a file, with `local` as the zone. An error that it throws ends the
  /// reading.
  package typealias Jobs = (_ path: String, _ local: Zone) throws -> Snapshot

  static let sizeBound = 16 << 20

  private let path: String
  private let jobsFile: String
  private let zones: ZoneTable
  private let jobs: Jobs

  /// - Parameter jobsFile: the default, which the file of tests can replace.
  package init(
    path: String, jobsFile: String, zones: any ZoneSource, jobs: @escaping Jobs
  ) {
    self.path = path
    self.jobsFile = jobsFile
    self.zones = ZoneTable(zones)
    self.jobs = jobs
  }

  /// The tests in the order of the file, and all diagnostics; after an error, no test is reliable.
  package func read() throws -> (
    tests: [JobsTest], diagnostics: [Diagnostic], jobsFile: String
  ) {
    let contents: FileReader.Contents
    do throws(FileProblem) {
      contents = try FileReader(bound: Self.sizeBound).read(path, as: .include)
    } catch {
      let (code, message, hint) = error.sentence
      let diagnostic = Diagnostic(code, at: SourceLocation(file: path), message, hint: hint)
      return ([], [diagnostic], jobsFile)
    }
    let source = SourceText(file: path, bytes: contents.bytes)
    let reporter = Reporter(source)
    if let flaw = source.flaw { reporter.report(flaw) }
    let root = rootFields(reporter)
    var file = jobsFile
    if let named = root?[TestKey.jobs]?.value?.text {
      file = FilePath.join(FilePath.folder(of: path), named)
    }
    let tests = try root.map { try self.tests($0, of: file, reporter) } ?? []
    return (reporter.errorCount > 0 ? [] : tests, reporter.log.sorted(files: [path]), file)
  }

  private func rootFields(_ reporter: Reporter) -> KeyFields? {
    let composer = YAMLComposer(reporter.source, limits: KeyTable.testLimits, reporter: reporter)
    do {
      try composer.openDocument()
      let node = try composer.node()
      try composer.closeDocument()
      if case .mapping(let entries) = node.content {
        let own = entries.filter { !$0.key.hasPrefix(Key.extensionPrefix) }
        return KeyReader(reporter: reporter).fields(
          of: own, keys: KeyTable.testFile, owner: KeyOwner(part: .tests))
      }
      if node.content != .invalid {
        reporter.report(
          .wrongType, at: node.mark, "the file must be a mapping",
          hint: "start it with '\(TestKey.tests):'")
      }
    } catch {
      reporter.report(error, in: .tests)
    }
    return nil
  }

  private func tests(
    _ root: KeyFields, of file: String, _ reporter: Reporter
  ) throws -> [JobsTest] {
    guard let field = root[TestKey.tests] else {
      if !root.hasUnknownKeys {
        reporter.report(
          .missingKey, at: .wholeFile, "the file has no '\(TestKey.tests)'",
          hint: "write tests: {NAME: {from: 2027-01-01T00:00, expect: [{JOB: {ran: 1}}]}}")
      }
      return []
    }
    let zone = root[TestKey.timezone].flatMap { self.zone($0, reporter) }
    var subjects: [Zone: TestSubjects] = [:]
    return try (field.value?.map ?? []).compactMap { entry -> JobsTest? in
      guard case .node(let node)? = entry.value else { return nil }
      let name = entry.name
      guard case .mapping(let entries) = node.content else {
        if node.content != .invalid {
          reporter.report(
            .wrongType, at: node.mark, "test '\(name.shortened)' must be a mapping",
            hint: "write {from: 2027-01-01T00:00, expect: [{JOB: {ran: 1}}]}")
        }
        return nil
      }
      let owner = KeyOwner(part: .test(name))
      let fields = KeyReader(reporter: reporter).fields(
        of: entries, keys: KeyTable.test, owner: owner)
      let own = fields[TestKey.timezone].flatMap { self.zone($0, reporter) } ?? zone
      let local = own ?? .utc
      let known = try subjects[local] ?? TestSubjects(try jobs(file, local))
      subjects[local] = known
      let reader = TestReader(
        reporter: reporter, subjects: known, zone: own ?? known.snapshot.settings.zone,
        owner: owner,
        load: { [jobs, path] in
          try jobs(FilePath.join(FilePath.folder(of: path), $0), local)
        })
      return try reader.test(name, at: entry.nameMark, fields)
    }
  }

  private func zone(_ field: KeyFields.Field, _ reporter: Reporter) -> Zone? {
    field.value?.text.flatMap { name in
      guard name == "local" else { return zones.zone(named: name, at: field.mark, reporter) }
      reporter.report(
        .unknownZone, at: field.mark,
        "'\(TestKey.timezone)' of a test cannot be local, which differs by machine",
        hint: "write a name such as Europe/Berlin")
      return nil
    }
  }
}

extension FileKind {
  fileprivate static let tests = FileKind(
    firstKey: TestKey.tests, moreHint: "a file of tests has one document")
}

private struct TestReader {
  let reporter: Reporter
  let subjects: TestSubjects
  let zone: Zone
  let owner: KeyOwner
  /// Loads the jobs of another file.
  let load: (String) throws -> Snapshot

  func test(_ name: String, at mark: YAMLMark, _ fields: KeyFields) throws -> JobsTest? {
    for key in [TestKey.from, TestKey.expect] where fields[key] == nil && !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: mark, "test '\(name.shortened)' has no '\(key)'",
        hint: key == TestKey.from
          ? "write from: 2027-03-27T20:00" : "write expect: [{JOB: {ran: 1}}]")
    }
    guard let start = instant(fields[TestKey.from]), let span = span(fields, from: start) else {
      return nil
    }
    var test = JobsTest(
      name: name, place: reporter.source.place(of: mark).location, start: start, span: span,
      zone: zone, snapshot: subjects.snapshot)
    let times = TestTimes(reporter: reporter, zone: zone, start: start)
    try readFaults(fields[TestKey.faults], times, into: &test)
    for entry in fields[TestKey.runs]?.value?.map ?? [] { readRuns(entry, into: &test) }
    let setsClock = test.faults.contains { if case .step = $0.kind { true } else { false } }
    let reader = TestExpectationReader(
      reporter: reporter, subjects: subjects, times: times, end: setsClock ? nil : start + span,
      owner: owner)
    for item in fields[TestKey.expect]?.value?.list ?? [] {
      for entry in item.value.map ?? [] { test.expectations += reader.expectations(entry) }
    }
    return test
  }

  private func instant(_ field: KeyFields.Field?) -> WallInstant? {
    guard let field, case .instant(let text)? = field.value else { return nil }
    return TestTimes.instant(text, in: zone, at: field.mark, reporter)
  }

  private func span(_ fields: KeyFields, from start: WallInstant) -> Duration? {
    guard let until = fields[TestKey.until] else {
      guard let field = fields[TestKey.span] else { return .seconds(86_400) }
      return field.value?.duration
    }
    if let field = fields[TestKey.span] {
      reporter.report(
        .conflictingKeys, at: field.keyMark,
        "'\(TestKey.span)' and '\(TestKey.until)' cannot be combined", hint: "remove one of them")
      return nil
    }
    guard let end = instant(until) else { return nil }
    let span = end - start
    if span > .zero, span <= Simulator.spanMax { return span }
    reporter.report(
      .outOfRange, at: until.mark,
      span > .zero
        ? "the test is longer than \(DurationText.format(Simulator.spanMax))"
        : "'\(TestKey.until)' is not after '\(TestKey.from)'")
    return nil
  }

  private func readFaults(
    _ field: KeyFields.Field?, _ times: TestTimes, into test: inout JobsTest
  ) throws {
    for item in field?.value?.list ?? [] {
      guard let text = item.value.text else { continue }
      let (start, span, zone) = (test.start, test.span, self.zone)
      let reader = FaultText(
        from: start, for: span, jobs: test.snapshot,
        instant: { written in
          if let next = times.next(written) { return next }
          guard
            let instant = try? TypedInstant.read(
              written, at: start.justBefore, in: zone, preferring: .future)
          else {
            throw FaultText.Problem.wrong(
              "after '@' write an instant such as 2027-03-28T01:00, 01:00 or +2h")
          }
          return instant
        }, load: load)
      do {
        test.faults.append(try reader.fault(text))
        test.faultTexts.append(text)
      } catch let problem as FaultText.Problem {
        report(problem, of: text, at: item.mark)
      }
    }
  }

  private func report(_ problem: FaultText.Problem, of text: String, at mark: YAMLMark) {
    switch problem {
    case .wrong(let hint):
      reporter.report(
        .badValue, at: mark, "'\(text.shortened)' is not a fault", hint: hint)
    case .noJob(let name, let advice):
      reporter.report(
        .unknownJob, at: mark, "there is no job '\(name.shortened)' in the jobs file",
        hint: advice)
    case .outside:
      reporter.report(
        .outOfRange, at: mark, "the time of '\(text.shortened)' is outside the test",
        hint: "change the time, '\(TestKey.from)' or '\(TestKey.span)'")
    }
  }

  private func readRuns(_ entry: KeyValue.MapField, into test: inout JobsTest) {
    guard let fields = entry.value?.object,
      let jobs = subjects.jobs(entry.name, at: entry.nameMark, reporter)
    else { return }
    var runs = SimulatedRuns()
    for field in fields.fields {
      switch (field.name, field.value) {
      case (TestKey.lasts, .duration(let length)?): runs.length = length
      case (TestKey.fails, .integer(let count)?): runs.failures = count
      case (TestKey.fails, .text?): runs.failures = .max
      case (TestKey.exit, .integer(let status)?):
        runs.status = Int32(truncatingIfNeeded: status)
        if fields[TestKey.fails] == nil { runs.failures = .max }
      case (TestKey.hangs, .boolean(let hangs)?): runs.hangs = hangs
      case (TestKey.onlyIf, .boolean(let answer)?): runs.meetsCondition = answer
      default: break
      }
    }
    if runs.hangs {
      for key in [TestKey.lasts, TestKey.fails, TestKey.exit] {
        guard let field = fields[key] else { continue }
        reporter.report(
          .conflictingKeys, at: field.keyMark,
          "'\(TestKey.hangs)' and '\(key)' cannot be combined", hint: "remove one of them")
      }
    }
    for job in jobs where test.runs.updateValue(runs, forKey: job) != nil {
      reporter.report(
        .conflictingKeys, at: entry.nameMark,
        "what the runs of '\(job)' do is written twice", hint: "name it once")
      break
    }
    test.writtenRuns.append((entry.name, runs))
  }
}
