/// The job's rules for a run machine: a view of the spec, which is not copied for each run.
package struct RunRules: Hashable, Sendable {
  private let spec: JobSpec

  package init(_ spec: JobSpec) { self.spec = spec }

  var timeout: Duration? { spec.execution.timeout }
  /// The time from the stop signal to SIGKILL.
  var grace: Duration { spec.execution.stop.grace }
  var retry: RetryPolicy { spec.execution.retry }
  /// The time limit of all attempts together; nil for none.
  var within: Duration? { spec.execution.retry.within }

  func end(of report: AttemptReport) -> RunEnd {
    report.runEnd(by: spec.execution.success)
  }

  /// At least one.
  var stepCount: Int { spec.action.stepCount }

  /// True if a failure of the step is ignored.
  func ignoresFailure(of step: Int) -> Bool {
    if case .steps(let steps) = spec.action { steps[step].isFailureIgnored } else { false }
  }

  /// True if the next step follows even a failure of this one.
  func continues(after step: Int) -> Bool {
    if case .steps(let steps) = spec.action { steps[step].continues } else { false }
  }
}

extension RetryPolicy {
  /// The back-off after an attempt.
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

  /// True if an attempt that ended this way is tried again, attempts permitting.
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
