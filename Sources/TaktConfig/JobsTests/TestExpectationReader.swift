import TaktCore
import TaktTime

struct TestExpectationReader {
  let reporter: Reporter
  let subjects: TestSubjects
  let times: TestTimes
  /// The last possible time of a slot; nil if a fault sets the clock.
  let end: WallInstant?
  let owner: KeyOwner

  private var ranges: TestRangeReader { TestRangeReader(reporter: reporter) }

  /// The subject of an expectation, as it is written.
  private struct Subject {
    var text: String
    /// Nil for all.
    var jobs: [JobName]?
    var isEach = false
    var slot: WallInstant?
  }

  /// The expectations for a job, several jobs or a slot.
  func expectations(_ field: KeyValue.MapField) -> [TestExpectation] {
    guard let subject = subject(field.name, at: field.nameMark),
      case .node(let node)? = field.value
    else { return [] }
    guard case .mapping(let entries) = node.content else {
      if node.content != .invalid {
        reporter.report(
          .wrongType, at: node.mark,
          "'\(field.name.shortened)' must be a mapping of what is expected",
          hint: subject.slot == nil ? "write {ran: 1}" : "write {verdict: ran}")
      }
      return []
    }
    if entries.isEmpty {
      reporter.report(
        .badValue, at: node.mark, "nothing is expected of '\(field.name.shortened)'",
        hint: subject.slot == nil ? "write {ran: 1}" : "write {verdict: ran}")
    }
    return entries.flatMap { entry -> [TestExpectation] in
      let checks = checks(entry, subject)
      let place = reporter.source.place(of: entry.keyMark).location
      let all = subject.jobs ?? subjects.snapshot.jobs.map(\.name)
      return checks.flatMap { check in
        subject.isEach
          ? all.map { TestExpectation(place: place, subject: $0.text, jobs: [$0], check: check) }
          : [TestExpectation(place: place, subject: subject.text, jobs: subject.jobs, check: check)]
      }
    }
  }

  private func subject(_ text: String, at mark: YAMLMark) -> Subject? {
    var subject = Subject(text: text)
    var name = text
    if name.hasPrefix("each ") {
      subject.isEach = true
      name = String(name.dropFirst("each ".count))
    }
    if let cut = name.firstRange(of: " at ") {
      let time = String(name[cut.upperBound...])
      name = String(name[..<cut.lowerBound])
      guard let slot = times.instant(time, at: mark) else { return nil }
      if let end, slot < times.start || slot > end {
        reporter.report(
          .outOfRange, at: mark, "'\(time.shortened)' is outside the test",
          hint: "the test is from \(times.start.rfc3339(in: times.zone)) to "
            + end.rfc3339(in: times.zone))
        return nil
      }
      subject.slot = slot
    }
    guard let jobs = subjects.jobs(name, at: mark, reporter) else { return nil }
    if name != TestSubjects.all || subject.slot != nil { subject.jobs = jobs }
    if let slot = subject.slot, jobs.count > 1, !subject.isEach {
      reporter.report(
        .badValue, at: mark, "a slot belongs to one job, not to \(jobs.count)",
        hint: "write 'each \(name.shortened) at \(slot.rfc3339(in: times.zone))'")
      return nil
    }
    return subject
  }

  private func checks(_ entry: YAMLEntry, _ subject: Subject) -> [TestCheck] {
    let rows = subject.slot == nil ? TestCheckRow.ofJobs : TestCheckRow.ofSlot
    guard let row = rows.first(where: { $0.name == entry.key }) else {
      reportUnknown(entry, subject, rows)
      return []
    }
    if row.name == "wakes", subject.jobs != nil || subject.isEach {
      reporter.report(
        .misplacedKey, at: entry.keyMark, "'wakes' is of all jobs together",
        hint: "write 'all: {wakes: …}'")
      return []
    }
    if let slot = subject.slot {
      return slotCheck(row, entry.value).map { [.slot(slot, $0)] } ?? []
    }
    switch row.kind {
    case .slots: return slots(row, entry.value)
    case .times: return list(entry.value, of: row.name).map { [timesCheck(row, $0)] } ?? []
    case .jobs: return others(row, entry.value, subject).map { [$0] } ?? []
    case .duration:
      guard let range = ranges.duration(entry.value, of: row.name) else { return [] }
      return [row.name == "late" ? .late(range) : .lasts(range)]
    case .count, .verdict, .outcome, .time:
      guard let range = ranges.count(entry.value, of: row.name) else { return [] }
      if row.name == "at_once" { return [.atOnce(range)] }
      if row.name == "wakes" { return [.wakes(range)] }
      return TestCount(rawValue: row.name).map { [.count($0, range)] } ?? []
    }
  }

  private func reportUnknown(_ entry: YAMLEntry, _ subject: Subject, _ rows: [TestCheckRow]) {
    let others = subject.slot == nil ? TestCheckRow.ofSlot : TestCheckRow.ofJobs
    func hint() -> String {
      if let name = NearestName.of(entry.key, among: rows.lazy.map(\.name)) {
        return "did you mean '\(name)'?"
      }
      if others.contains(where: { $0.name == entry.key }) {
        return subject.slot == nil
          ? "it is of one slot: write '\(subject.text.shortened) at TIME: {\(entry.key): …}'"
          : "it is of a job: remove ' at …'"
      }
      return "the keys here are " + rows.map { "'\($0.name)'" }.joined(separator: ", ")
    }
    reporter.report(
      .unknownKey, at: entry.keyMark, "unknown expectation '\(entry.key.shortened)'",
      hint: hint(), owner: owner)
  }
}

// The values.
extension TestExpectationReader {
  private func slots(_ row: TestCheckRow, _ node: YAMLNode) -> [TestCheck] {
    let kind = Verdict.Kind(rawValue: row.name)
    switch node.content {
    case .sequence: return list(node, of: row.name).map { [.times(kind, $0)] } ?? []
    case .mapping(let entries):
      guard let kind, !kind.reasons.isEmpty else { break }
      return entries.compactMap { entry in
        guard kind.reasons.contains(entry.key) else {
          reporter.report(
            .badChoice, at: entry.keyMark,
            "'\(entry.key.shortened)' is no reason of '\(row.name)'",
            hint: Self.hint(entry.key, kind.reasons))
          return nil
        }
        return ranges.count(entry.value, of: entry.key).map { .reason(kind, entry.key, $0) }
      }
    case .scalar, .invalid: break
    }
    guard let range = ranges.count(node, of: row.name) else { return [] }
    return TestCount(rawValue: row.name).map { [.count($0, range)] } ?? []
  }

  private func timesCheck(_ row: TestCheckRow, _ list: [TestTime]) -> TestCheck {
    row.name == "starts" ? .starts(list) : .times(.ran, list)
  }

  private func list(_ node: YAMLNode, of key: String) -> [TestTime]? {
    let items: [YAMLNode]
    switch node.content {
    case .sequence(let list): items = list
    case .scalar: items = [node]
    case .mapping, .invalid:
      if node.content != .invalid {
        reporter.report(
          .wrongType, at: node.mark, "'\(key)' must be a list of times such as [02:30]")
      }
      return nil
    }
    if items.isEmpty {
      reporter.report(
        .badValue, at: node.mark, "the list of '\(key)' is empty", hint: "write 'ran: 0'")
      return nil
    }
    var result: [TestTime] = []
    for item in items {
      guard let text = text(item, of: key, "a time such as 02:30"),
        let time = times.time(text, at: item.mark)
      else { continue }
      result.append(time)
    }
    return result.count == items.count ? result : nil
  }

  private func text(_ node: YAMLNode, of key: String, _ phrase: String) -> String? {
    if case .scalar(let scalar) = node.content, !scalar.isNull { return scalar.text }
    if node.content != .invalid {
      reporter.report(.wrongType, at: node.mark, "'\(key)' must be \(phrase)")
    }
    return nil
  }

  private func others(
    _ row: TestCheckRow, _ node: YAMLNode, _ subject: Subject
  ) -> TestCheck? {
    let items: [YAMLNode] = if case .sequence(let list) = node.content { list } else { [node] }
    var jobs: [JobName] = []
    var names: [String] = []
    for item in items {
      guard let name = text(item, of: row.name, "the name of a job"),
        let found = subjects.jobs(name, at: item.mark, reporter)
      else { return nil }
      names.append(name)
      jobs += found
    }
    let own = subject.jobs ?? subjects.snapshot.jobs.map(\.name)
    if jobs.isEmpty || own.isEmpty || (own.count == 1 && Set(jobs) == Set(own)) {
      reporter.report(
        .badValue, at: node.mark, "'\(row.name)' must name another job", hint: nil)
      return nil
    }
    let named = names.joined(separator: ", ")
    if row.name == "never_with" { return .neverWith(jobs, named: named) }
    if subject.isEach {
      reporter.report(
        .badValue, at: node.mark, "'\(row.name)' is not possible with 'each'",
        hint: "write an expectation for each job")
      return nil
    }
    return row.name == TestOrder.before.rawValue
      ? .order(first: own, then: jobs, .before, named: named)
      : .order(first: jobs, then: own, .after, named: named)
  }

  private func slotCheck(_ row: TestCheckRow, _ node: YAMLNode) -> TestSlotCheck? {
    switch row.kind {
    case .verdict: return verdict(node)
    case .outcome:
      guard let word = text(node, of: row.name, "an outcome such as succeeded") else { return nil }
      if let outcome = Outcome(rawValue: word) { return .outcome(outcome) }
      reportWord(word, of: row.name, among: Outcome.allCases.map(\.rawValue), at: node.mark)
      return nil
    case .time:
      return text(node, of: row.name, "a time such as 02:30")
        .flatMap { times.time($0, at: node.mark) }.map { .starts($0) }
    case .duration:
      return ranges.duration(node, of: row.name).map { row.name == "late" ? .late($0) : .lasts($0) }
    case .count, .slots, .times, .jobs:
      return ranges.count(node, of: row.name).map { .retries($0) }
    }
  }

  /// Parses `ran`, `skipped(overlap)` or `none`.
  private func verdict(_ node: YAMLNode) -> TestSlotCheck? {
    guard let word = text(node, of: "verdict", "a verdict such as ran or missed(asleep)") else {
      return nil
    }
    if word == "none" { return .absent }
    let cut = word.firstIndex(of: "(") ?? word.endIndex
    guard let kind = Verdict.Kind(rawValue: String(word[..<cut])) else {
      reportWord(word, of: "verdict", among: VerdictCounts.names + ["none"], at: node.mark)
      return nil
    }
    if cut == word.endIndex { return .verdict(kind, reason: nil) }
    let reason = String(word[cut...].dropFirst().dropLast())
    guard word.hasSuffix(")"), kind.reasons.contains(reason) else {
      reporter.report(
        .badChoice, at: node.mark, "'\(word.shortened)' is no verdict",
        hint: kind.reasons.isEmpty ? "write \(kind.rawValue)" : Self.hint(reason, kind.reasons))
      return nil
    }
    return .verdict(kind, reason: reason)
  }

  private func reportWord(
    _ word: String, of key: String, among words: [String], at mark: YAMLMark
  ) {
    reporter.report(
      .badChoice, at: mark,
      "'\(key)' must be \(KeyType.choice(words).phrase), not '\(word.shortened)'",
      hint: NearestName.of(word, among: words).map { "did you mean '\($0)'?" })
  }

  private static func hint(_ word: String, _ words: [String]) -> String {
    NearestName.of(word, among: words).map { "did you mean '\($0)'?" }
      ?? "write one of " + words.joined(separator: ", ")
  }
}

extension Verdict.Kind {
  /// The possible reasons for this verdict.
  var reasons: [String] {
    switch self {
    case .ran, .coalesced: []
    case .skipped: SkipReason.allCases.map(\.rawValue)
    case .missed: MissCause.allCases.map(\.rawValue)
    case .cancelled: CancelReason.allCases.map(\.rawValue)
    }
  }
}
