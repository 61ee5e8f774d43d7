/// What a run machine must know of its job: a view of the spec, which is not copied for each run.
package struct RunRules: Hashable, Sendable {
  private let spec: JobSpec

  package init(_ spec: JobSpec) { self.spec = spec }

  var timeout: Duration? { spec.execution.timeout }
  /// How long what is stopped has before SIGKILL.
  var grace: Duration { spec.execution.stop.grace }
  var retry: RetryPolicy { spec.execution.retry }
  /// How long all attempts may take together; nil for any time.
  var within: Duration? { spec.execution.retry.within }

  /// How an attempt ends whose action has come to this.
  func end(of report: AttemptReport) -> RunEnd {
    report.runEnd(by: spec.execution.success)
  }

  /// How many steps an attempt has; at least one.
  var stepCount: Int { spec.action.stepCount }

  /// Whether a failure of the step counts for nothing.
  func ignoresFailure(of step: Int) -> Bool {
    if case .steps(let steps) = spec.action { steps[step].isFailureIgnored } else { false }
  }

  /// Whether the next step is done even when this one has failed.
  func continues(after step: Int) -> Bool {
    if case .steps(let steps) = spec.action { steps[step].continues } else { false }
  }
}

extension RetryPolicy {
  /// How long the back-off after an attempt lasts.
  ///
  /// - Parameters:
  ///   - attempt: the attempt that has failed, from 1.
  ///   - chance: a number from 0 up to 1 for the jitter.
  func backOff(after attempt: Int, chance: Double) -> Duration {
    var seconds = delay / .seconds(1)
    let most = delayMax / .seconds(1)
    // A factor of 1 never reaches the bound; a thousand rounds are nothing.
    for _ in 1..<max(1, attempt) where seconds < most { seconds *= factor }
    seconds = min(seconds * (1 + jitterPercent / 100 * chance), max(most, 0))
    return .milliseconds(Int64((seconds * 1000).rounded()))
  }

  /// Whether an attempt that ended so is tried again, attempts permitting.
  func retries(_ end: RunEnd) -> Bool {
    let causes = failures.causes
    return switch end.reason {
    case .signal, .outOfMemory: causes.contains(.signal)
    case .timeout: causes.contains(.timeout)
    case .notStarted: causes.contains(.notStarted)
    case .exit(let status): causes.contains(.exit) || failures.exitStatuses.contains(status)
    case .reported, .failsWhen, .done, .descendantsLeft: causes.contains(.exit)
    case .removed, .shutdown, .down, .ledger, .leaseLost, .replaced, .byOperator: false
    }
  }
}
