import TaktCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a hook tells the outside of the run that it is for.
struct RunReport: Encodable {
  /// So much of the end of the output is told.
  static let outputBytesMax = 4096

  var job: String
  var run: UInt64
  var slot: String
  var hook: String
  var outcome: String?
  var reason: String?
  var attempts: Int
  var duration_ms: Int64
  var late_ms: Int64
  var streak: Int
  var output: String

  init(_ facts: RunFacts, of request: AttemptRequest) {
    job = request.spec.name.text
    run = facts.run.number
    slot = request.slot.rfc3339()
    hook = facts.hook.rawValue
    outcome = facts.end?.outcome.rawValue
    reason = facts.end.map { "\($0.reason)" }
    attempts = facts.attempts
    duration_ms = facts.duration.milliseconds
    late_ms = facts.lateness.milliseconds
    streak = facts.failureStreak
    output = facts.output.endText(bytesMax: Self.outputBytesMax)
  }

  /// As JSON, the keys in the order of the alphabet.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers and texts alone, which cannot fail to be encoded.
    return (try? encoder.encode(self)).map(Array.init) ?? Array("{}".utf8)
  }

  /// As lines for people.
  var lines: [String] {
    var lines = ["job:      \(job)", "run:      \(run)", "slot:     \(slot)", "hook:     \(hook)"]
    if let outcome { lines.append("outcome:  \(outcome)") }
    if let reason { lines.append("reason:   \(reason)") }
    return lines + [
      "attempts: \(attempts)", "took:     \(duration_ms) ms", "late:     \(late_ms) ms",
      "failed in a row: \(streak)",
    ]
  }
}

extension KeptOutput {
  /// The output within a bound: the beginning and the end, and between them how much is missing.
  func bytes(max bytesMax: Int) -> [UInt8] {
    let whole = droppedBytes == 0 ? head + tail : head + Self.gap(droppedBytes) + tail
    guard whole.count > bytesMax else { return whole }
    let half = bytesMax / 2
    return whole.prefix(half) + Self.gap(droppedBytes + whole.count - 2 * half)
      + whole.suffix(half)
  }

  private static func gap(_ count: Int) -> [UInt8] {
    Array("\n[\(count) bytes are missing here]\n".utf8)
  }
}
