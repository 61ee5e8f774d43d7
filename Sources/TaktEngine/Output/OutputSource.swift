import TaktCore

/// Whose output it is, and what its job makes of it.
struct OutputSource: Sendable {
  /// What stands in each record of it.
  var facts: [LogField]
  /// The run that prints it; nil for none's.
  var run: RunID?
  var attempt = 0
  var policy = OutputPolicy()
  var success = SuccessRule()
}

extension AttemptRequest {
  var output: OutputSource {
    OutputSource(
      facts: outputFacts, run: run, attempt: attempt, policy: spec.execution.output,
      success: spec.execution.success)
  }

  var outputFacts: [LogField] {
    var facts = [
      LogField(.job, .text(spec.name.text)), LogField(.run, .number(Int64(run.number))),
      LogField(.attempt, .number(Int64(attempt))),
    ]
    if let hook = self.facts {
      facts.append(LogField(.hook, .text(hook.hook.rawValue)))
      if let run = hook.ofRun { facts.append(LogField(.parent, .number(Int64(run.number)))) }
    }
    if case .steps = spec.action { facts.append(LogField(.step, .number(Int64(step + 1)))) }
    return facts
  }
}

/// Where a child prints.
package enum StandardStream: String, CaseIterable {
  case stdout, stderr
  /// The one pipe of both.
  case both
}
