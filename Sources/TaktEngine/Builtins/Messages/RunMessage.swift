import TaktCore
import TaktSystem
import TaktTime

/// The text about a run in mails and chats.
struct RunMessage {
  static let outputLinesMax = 20
  static let outputBytesMax = 2048
  /// A shorter delay does not matter to people.
  private static let lateLeast = Duration.seconds(1)

  /// One line: "backup failed on db1: exit(1)".
  let title: String
  let facts: [(name: String, value: String)]
  /// The last lines of the run's output; empty if there was none.
  let output: String
  let link: String?

  init(_ request: AttemptRequest) {
    let (job, host) = (request.spec.shownName, HostName.current)
    link = PageAddress.ofRun(request.facts?.run ?? request.run, request.spec.name)
    let name = request.spec.name.text
    var facts = [("Job", job == name ? name : "\(job) (\(name))"), ("Host", host)]
    guard let run = request.facts else {
      title = "\(job) on \(host)"
      output = ""
      self.facts =
        facts + [
          ("Slot", request.slot.rfc3339(in: LocalZone.current)), ("Run", request.run.description),
        ]
      return
    }
    title = Self.title(run, job, host)
    output = Self.lastLines(of: run.output)
    if let hook = run.failedHook { facts.append(("Hook", hook)) }
    if let end = run.end {
      facts.append(("Outcome", "\(end.outcome.rawValue.replacing("_", with: " ")), \(end.reason)"))
    }
    if run.hook == .onStale {
      facts.append(("Success", "none for \(DurationText.brief(run.duration))"))
    } else {
      facts.append(("Slot", request.slot.rfc3339(in: LocalZone.current)))
      if run.hook != .onStart { facts.append(("Took", DurationText.brief(run.duration))) }
      if run.lateness >= Self.lateLeast { facts.append(("Late", DurationText.brief(run.lateness))) }
      if run.attempts > 1 { facts.append(("Attempts", String(run.attempts))) }
    }
    if run.failureStreak > 0 {
      let when = run.hook == .onRecover ? "before this run" : "in a row"
      facts.append(("Failures", "\(run.failureStreak) \(when)"))
    }
    if run.run.number > 0 { facts.append(("Run", run.run.description)) }
    self.facts = facts
  }

  private static func title(_ run: RunFacts, _ job: String, _ host: String) -> String {
    let reason = run.end.map { ": \($0.reason)" } ?? ""
    switch run.hook {
    case .onStart: return "\(job) started on \(host)"
    case .onFailure:
      return "\(job) \(run.end?.outcome == .timedOut ? "timed out" : "failed") on \(host)\(reason)"
    case .onSuccess: return "\(job) succeeded on \(host)"
    case .onRecover:
      let count = run.failureStreak
      let after = count > 0 ? " after \(count) \(count == 1 ? "failure" : "failures")" : ""
      return "\(job) succeeds again on \(host)\(after)"
    case .onLate: return "\(job) is late on \(host)"
    case .onAlarmFailed: return "\(run.failedHook ?? "a hook") of \(job) failed on \(host)\(reason)"
    case .onlyIf: return "\(job) is due on \(host)"
    case .onStale:
      return "\(job) is stale on \(host): no success for \(DurationText.brief(run.duration))"
    }
  }

  /// As a terminal shows them in the end, without control characters.
  private static func lastLines(of output: KeptOutput) -> String {
    // A progress bar may be many times as long as its final text.
    let end = Array(output.endText(bytesMax: 32 * outputBytesMax).utf8)
    var lines = end.linesForPeople.withoutTerminalSequences
      .split(separator: 10, omittingEmptySubsequences: false)
      .map { shown(String(decoding: $0, as: UTF8.self)) }
    if lines.last?.isEmpty == true { lines.removeLast() }
    let text = lines.suffix(outputLinesMax).joined(separator: "\n")
    return KeptOutput(head: Array(text.utf8)).endText(bytesMax: outputBytesMax)
  }

  /// The text without characters that only control a terminal.
  static func shown(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { scalar in
          scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
            || scalar == "\t" || scalar == "\n"
        }))
  }

  /// The facts as lines, with aligned values.
  var factTable: [String] {
    let width = facts.map(\.name.count).max() ?? 0
    return facts.map { fact in
      "\(fact.name):\(String(repeating: " ", count: width - fact.name.count + 1))\(fact.value)"
    }
  }

  var factLines: [String] { factTable + (link.map { [$0] } ?? []) }

  var plain: String {
    (factLines + (output.isEmpty ? [] : ["", output])).joined(separator: "\n")
  }
}
