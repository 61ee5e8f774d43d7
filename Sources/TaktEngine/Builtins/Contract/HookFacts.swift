import TaktCore
import TaktTime

/// What a hook tells of the run that it is for, as JSON has it: in the body of `http` and to plugins.
struct HookFacts: Encodable {
  /// So much of the end of the output is told.
  static let outputBytesMax = 4096

  var hook: String
  var outcome: String?
  var reason: String?
  var attempts: Int
  var duration_ms: Int64
  var late_ms: Int64
  var streak: Int
  var output: String

  init(_ facts: RunFacts) {
    hook = facts.hook.rawValue
    outcome = facts.end?.outcome.rawValue
    reason = facts.end.map { "\($0.reason)" }
    attempts = facts.attempts
    duration_ms = facts.duration.milliseconds
    late_ms = facts.lateness.milliseconds
    streak = facts.failureStreak
    output = facts.output.endText(bytesMax: Self.outputBytesMax)
  }
}
