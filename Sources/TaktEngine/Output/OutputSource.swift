import TaktCore

/// The origin of output, and its job's settings for it.
struct OutputSource: Sendable {
  /// The fields of each record of it.
  var facts: [LogField]
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

/// The destination of a child's output.
package enum StandardStream: String, CaseIterable {
  case stdout, stderr
  /// One pipe for both.
  case both
}
