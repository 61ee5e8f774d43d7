import TaktTime

/// Compares the result of a simulation with a test's expectations.
package struct TestEvaluation {
  private let test: JobsTest
  private let observation: TestObservation
  private let report: SimulationReport
  private let names: [JobName]

  package init(_ test: JobsTest, _ observation: TestObservation, _ report: SimulationReport) {
    self.test = test
    self.observation = observation
    self.report = report
    names = test.snapshot.jobs.map(\.name)
  }

  /// The expectations that were not met, in their order.
  package var failures: [TestFailure] {
    test.expectations.enumerated().compactMap { failure(of: $1, number: $0) }
  }

  private func failure(of expectation: TestExpectation, number: Int) -> TestFailure? {
    let jobs = expectation.jobs ?? names
    switch expectation.check {
    case .count(let count, let range): return self.count(count, range, expectation)
    case .reason(let kind, let reason, let range):
      let key = "\(kind.rawValue)(\(reason))"
      return counted(expectation, key, range, kind: kind) {
        report.job($0).reasons[key, default: 0]
      }
    case .times(let kind, let times): return self.times(kind, times, jobs, expectation)
    case .starts(let times):
      let starts = jobs.flatMap { observation.job($0).runs.map(\.start) }.sorted()
      return compare(starts, times, "starts", expectation)
    case .late(let range):
      let latest = jobs.map { (report.job($0).latest, $0) }.max { $0.0 < $1.0 }
      return measured(expectation, "late", range, latest?.0 ?? .zero, of: latest?.1)
    case .lasts(let range):
      let longest = jobs.map { (observation.job($0).longest, $0) }.max { $0.0 < $1.0 }
      return measured(expectation, "lasts", range, longest?.0 ?? .zero, of: longest?.1)
    case .atOnce(let range): return atOnce(range, expectation, number)
    case .wakes(let range):
      if range.contains(Int64(report.wakes)) { return nil }
      return TestFailure(
        expectation, "wakes", expected: range.text, actual: String(report.wakes))
    case .neverWith(let others, let name): return overlap(of: jobs, others, name, expectation)
    case .order(let first, let then, let order, let name):
      return self.order(first, then, order, name, expectation)
    case .slot(let slot, let check): return self.slot(slot, check, jobs, expectation)
    }
  }

  private func count(
    _ count: TestCount, _ range: TestRange, _ expectation: TestExpectation
  ) -> TestFailure? {
    counted(expectation, count.rawValue, range, kind: count.verdict) { name in
      if count == .slots { return report.job(name).verdictCounts.slots }
      if let kind = count.verdict { return report.job(name).verdictCounts[kind] }
      return observation.job(name).counts[count, default: 0]
    }
  }

  /// A sum over jobs; for several, the failure names those with most.
  private func counted(
    _ expectation: TestExpectation, _ key: String, _ range: TestRange, kind: Verdict.Kind?,
    _ value: (JobName) -> Int
  ) -> TestFailure? {
    let counts = (expectation.jobs ?? names).map { (name: $0, count: value($0)) }
    let sum = counts.reduce(0) { $0 + $1.count }
    if range.contains(Int64(sum)) { return nil }
    var actual = String(sum)
    let most = counts.filter { $0.count > 0 }.sorted {
      ($1.count, $0.name.text) < ($0.count, $1.name.text)
    }
    if counts.count > 1, !most.isEmpty {
      let shown = most.prefix(5).map { "\($0.name) \($0.count)" }.joined(separator: ", ")
      actual += " (\(shown)\(most.count > 5 ? ", …" : ""))"
    }
    return TestFailure(expectation, key, expected: range.text, actual: actual, kind: kind)
  }

  private func measured(
    _ expectation: TestExpectation, _ key: String, _ range: TestRange, _ value: Duration,
    of job: JobName?
  ) -> TestFailure? {
    if range.contains(value.milliseconds) { return nil }
    let owner = (expectation.jobs ?? names).count > 1 ? job.map { " (\($0))" } ?? "" : ""
    var failure = TestFailure(
      expectation, key, expected: range.text,
      actual: DurationText.format(.milliseconds(value.milliseconds)) + owner)
    if let job { failure.jobs = [job] }
    return failure
  }

  private func atOnce(
    _ range: TestRange, _ expectation: TestExpectation, _ number: Int
  ) -> TestFailure? {
    let isAll = expectation.jobs == nil
    let most =
      observation.atOnce(of: number) ?? expectation.jobs?.first.map { report.job($0).runningMax }
      ?? report.runningMax
    if range.contains(Int64(most)) { return nil }
    let busiest = isAll ? report.busiest : nil
    let when = busiest.map { ", first at \(shown($0))" } ?? ""
    return TestFailure(
      expectation, "at_once", expected: range.text, actual: "\(most)\(when)", at: busiest)
  }

  private func times(
    _ kind: Verdict.Kind?, _ times: [TestTime], _ jobs: [JobName], _ expectation: TestExpectation
  ) -> TestFailure? {
    var slots: [WallInstant] = []
    for slot in jobs.flatMap({ observation.job($0).slots })
    where kind == nil || slot.verdict.kind == kind {
      // Only the first and the last slot of a series are kept.
      slots.append(slot.series.first)
      if slot.series.count > 1 { slots.append(slot.series.last) }
      if slot.series.count > 2 {
        return TestFailure(
          expectation, kind?.rawValue ?? "slots", expected: Self.list(times),
          actual: "\(slot.series.count) slots from \(shown(slot.series.first)) to "
            + "\(shown(slot.series.last)), \(slot.verdict)", at: slot.series.first, kind: kind)
      }
    }
    return compare(slots.sorted(), times, kind?.rawValue ?? "slots", expectation, kind)
  }

  private func compare(
    _ instants: [WallInstant], _ times: [TestTime], _ key: String,
    _ expectation: TestExpectation, _ kind: Verdict.Kind? = nil
  ) -> TestFailure? {
    let isEqual =
      instants.count == times.count
      && zip(instants, times).allSatisfy { $1.matches($0, in: test.zone) }
    if isEqual { return nil }
    let same = zip(instants, times).prefix { $1.matches($0, in: test.zone) }.count
    // The surroundings of the first difference.
    let from = max(0, same - 2)
    let part = instants.dropFirst(from).prefix(6).map(shown).joined(separator: ", ")
    let actual =
      instants.isEmpty
      ? "none"
      : "\(from > 0 ? "…, " : "")\(part)\(instants.count > from + 6 ? ", …" : "") "
        + "(\(instants.count))"
    return TestFailure(
      expectation, key, expected: Self.list(times), actual: actual,
      at: same < instants.count ? instants[same] : instants.last, kind: kind)
  }

  private static func list(_ times: [TestTime]) -> String {
    times.prefix(6).map(\.text).joined(separator: ", ") + (times.count > 6 ? ", …" : "")
      + " (\(times.count))"
  }

  private func shown(_ instant: WallInstant) -> String { instant.rfc3339(in: test.zone) }
}

// Concurrent and successive runs.
extension TestEvaluation {
  private var end: WallInstant { test.start + test.span }

  private func runs(of jobs: [JobName]) -> [(name: JobName, run: TestObservation.Run)] {
    jobs.flatMap { name in observation.job(name).runs.map { (name, $0) } }
      .sorted { $0.run.start < $1.run.start }
  }

  private func overlap(
    of jobs: [JobName], _ others: [JobName], _ name: String, _ expectation: TestExpectation
  ) -> TestFailure? {
    let (left, right) = (runs(of: jobs), runs(of: others))
    // Right runs that ended before this left run started overlap no later one either.
    var first = 0
    for (job, run) in left {
      let runEnd = run.end ?? .init(nanoseconds: .max)
      while first < right.count, (right[first].run.end ?? end) <= run.start { first += 1 }
      for (other, beside) in right[first...] {
        if beside.start >= runEnd { break }
        guard other != job, (beside.end ?? .init(nanoseconds: .max)) > run.start else { continue }
        let start = max(run.start, beside.start)
        return TestFailure(
          expectation, "never_with", expected: "no run beside one of \(name)",
          actual: "\(job) (started \(shown(run.start))) and \(other) (started "
            + "\(shown(beside.start))) at \(shown(start))", at: start)
      }
    }
    return nil
  }

  private func order(
    _ first: [JobName], _ then: [JobName], _ order: TestOrder, _ name: String,
    _ expectation: TestExpectation
  ) -> TestFailure? {
    let ends = runs(of: first).compactMap(\.run.end).sorted()
    let starts = runs(of: then)
    let words =
      order == .after ? "a run of \(name) ends first" : "a run ends before each of \(name)"
    guard !starts.isEmpty, !ends.isEmpty else {
      let missing = starts.isEmpty ? then : first
      return TestFailure(
        expectation, order.rawValue, expected: words,
        actual: "no run of \(missing.map(\.text).joined(separator: ", ")) "
          + (starts.isEmpty ? "started" : "ended"))
    }
    var place = 0
    for (job, run) in starts {
      let before = place
      while place < ends.count, ends[place] <= run.start { place += 1 }
      if place > before { continue }
      return TestFailure(
        expectation, order.rawValue, expected: words,
        actual: "\(job) started at \(shown(run.start)) without one", at: run.start)
    }
    return nil
  }
}

extension TestEvaluation {
  private func slot(
    _ instant: WallInstant, _ check: TestSlotCheck, _ jobs: [JobName],
    _ expectation: TestExpectation
  ) -> TestFailure? {
    let seconds = instant.milliseconds / 1000
    let found = jobs.lazy.flatMap { name in
      observation.job(name).slots.lazy.map { (name, $0) }
    }.first { _, slot in
      slot.series.first.milliseconds / 1000 <= seconds
        && seconds <= slot.series.last.milliseconds / 1000
    }
    func failure(_ key: String, _ expected: String, _ actual: String) -> TestFailure {
      TestFailure(expectation, key, expected: expected, actual: actual, at: instant)
    }
    guard let (name, slot) = found else {
      if case .absent = check { return nil }
      return failure(check.key, check.expected, "no slot at this time")
    }
    let run = slot.run.flatMap { id in observation.job(name).runs.first { $0.id == id } }
    switch check {
    case .absent: return failure(check.key, check.expected, "\(slot.verdict)")
    case .verdict(let kind, let reason):
      let fits = slot.verdict.kind == kind && (reason == nil || slot.verdict.detail == reason)
      return fits ? nil : failure(check.key, check.expected, "\(slot.verdict)")
    case .late(let range):
      guard slot.verdict == .ran else { break }
      let late = slot.lateness.milliseconds
      return range.contains(late)
        ? nil : failure(check.key, range.text, DurationText.format(.milliseconds(late)))
    case .starts(let time):
      guard let run else { break }
      return time.matches(run.start, in: test.zone)
        ? nil : failure(check.key, time.text, shown(run.start))
    case .outcome(let outcome):
      guard let run else { break }
      return run.outcome == outcome
        ? nil : failure(check.key, outcome.rawValue, run.outcome?.rawValue ?? "active")
    case .lasts(let range):
      guard let run else { break }
      let length = ((run.end ?? end) - run.start).milliseconds
      return range.contains(length)
        ? nil : failure(check.key, range.text, DurationText.format(.milliseconds(length)))
    case .retries(let range):
      guard let run else { break }
      return range.contains(Int64(run.retries))
        ? nil : failure(check.key, range.text, String(run.retries))
    }
    return failure(check.key, check.expected, "no run: \(slot.verdict)")
  }
}

extension TestSlotCheck {
  fileprivate var key: String {
    switch self {
    case .verdict, .absent: "verdict"
    case .late: "late"
    case .starts: "starts"
    case .outcome: "outcome"
    case .lasts: "lasts"
    case .retries: "retries"
    }
  }

  fileprivate var expected: String {
    switch self {
    case .verdict(let kind, let reason): reason.map { "\(kind.rawValue)(\($0))" } ?? kind.rawValue
    case .absent: "none"
    case .late(let range), .lasts(let range), .retries(let range): range.text
    case .starts(let time): time.text
    case .outcome(let outcome): outcome.rawValue
    }
  }
}
