import TaktCore
import TaktTime

/// Records the present behaviour as a test.
struct TestRecord {
  /// A job with more slots than this gets a number instead of their times.
  private static let timesMax = 12

  let test: JobsTest

  init(_ test: JobsTest) { self.test = test }

  /// The YAML of the test, which passes.
  var text: String {
    var times: [JobName: [WallInstant]] = [:]
    var simulator = test.simulator(emitsAll: true)
    var progress = SimulationProgress(from: test.start, for: test.span)
    simulator.run(for: test.runSpan) { event in
      if case .verdict(let record, _, _) = event, record.verdict == .ran,
        times[record.job, default: []].count <= Self.timesMax
      {
        times[record.job, default: []].append(record.slots.first)
      }
      return progress.observe(event)
    }
    progress.finish()
    let report = simulator.report
    var lines = ["tests:", "  \(Self.quoted(test.name)):"]
    lines += head.map { "    " + $0 }
    lines.append("    expect:")
    for spec in test.snapshot.jobs {
      let job = report.job(spec.name)
      lines.append("      - \(spec.name): {\(expectations(job, times[spec.name] ?? []))}")
    }
    if !test.snapshot.jobs.isEmpty {
      let latest = test.snapshot.jobs.map { report.job($0.name).latest }.max() ?? .zero
      lines.append(
        "      - all: {missed: \(report.verdictCounts[.missed]), at_once: \(report.runningMax), "
          + "late: \"<= \(DurationText.format(.milliseconds(latest.milliseconds)))\"}")
    }
    return lines.joined(separator: "\n")
  }

  private var head: [String] {
    var lines = [
      "from: \(local(test.start))", "for: \(DurationText.format(test.span))",
      "timezone: \(test.zone.name)",
    ]
    if !test.faultTexts.isEmpty {
      let texts = test.faultTexts.map { Self.quoted($0) }.joined(separator: ", ")
      lines.append("faults: [\(texts)]")
    }
    if !test.writtenRuns.isEmpty {
      lines.append("runs:")
      lines += test.writtenRuns.map { "  \(Self.quoted($0.subject)): {\(Self.keys($0.runs))}" }
    }
    return lines
  }

  private func expectations(_ job: SimulationReport.Job, _ times: [WallInstant]) -> String {
    let counts = job.verdictCounts
    var parts: [String] = []
    let isListed = !times.isEmpty && times.count <= Self.timesMax && counts.ran == times.count
    // Slots of a crash or a step need not be in order.
    let list = times.sorted().map { local($0) }.joined(separator: ", ")
    parts.append(isListed ? "ran: [\(list)]" : "ran: \(counts.ran)")
    for kind in Verdict.Kind.allCases where kind != .ran && counts[kind] > 0 {
      parts.append("\(kind.rawValue): \(counts[kind])")
    }
    return parts.joined(separator: ", ")
  }

  /// An instant to the second; with its offset if the local time occurs twice.
  private func local(_ instant: WallInstant) -> String {
    let civil = test.zone.civilTime(at: instant)
    let date = "\(civil.year.padded(4))-\(civil.month.padded(2))-\(civil.day.padded(2))"
    let clock = "\(civil.hour.padded(2)):\(civil.minute.padded(2))"
    let seconds = civil.second == 0 ? "" : ":\(civil.second.padded(2))"
    let text = "\(date)T\(clock)\(seconds)"
    var plain = civil
    plain.millisecond = 0
    if case .twice = test.zone.read(plain) {
      let offset = test.zone.offsetSeconds(at: instant)
      let minutes = abs(offset) / 60
      let sign = offset < 0 ? "-" : "+"
      return text + "\(seconds.isEmpty ? ":00" : "")\(sign)\((minutes / 60).padded(2)):"
        + (minutes % 60).padded(2)
    }
    return text
  }

  private static func keys(_ runs: SimulatedRuns) -> String {
    var parts: [String] = []
    if let length = runs.length { parts.append("lasts: \(DurationText.format(length))") }
    if runs.failures > 0 {
      parts.append("fails: \(runs.failures == .max ? "always" : String(runs.failures))")
      if runs.status != 1 { parts.append("exit: \(runs.status)") }
    }
    if runs.hangs { parts.append("hangs: true") }
    if !runs.meetsCondition { parts.append("only_if: false") }
    return parts.joined(separator: ", ")
  }

  /// A text quoted for YAML.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
        || "_-. ".utf8.contains($0)
    }
    let first = text.utf8.first ?? 0
    if isPlain, (0x41...0x7a).contains(first), text.utf8.last != UInt8(ascii: " ") { return text }
    return "'" + text.replacing("'", with: "''") + "'"
  }
}
