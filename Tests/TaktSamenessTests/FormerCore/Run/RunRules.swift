/// What a run machine must know of its job.
package struct RunRules: Hashable, Sendable {
  /// Of each step, whether the next one is done even when it has failed; never empty.
  package var continues: [Bool]
  package var timeout: Duration?
  /// How long what is stopped has before SIGKILL.
  package var grace: Duration
  package var success: SuccessRule
  package var retry: RetryPolicy

  private static let oneStep = [false]

  package init(_ spec: JobSpec) {
    if case .steps(let steps) = spec.action {
      continues = steps.map(\.continues)
    } else {
      continues = Self.oneStep
    }
    timeout = spec.execution.timeout
    grace = spec.execution.stop.grace
    success = spec.execution.success
    retry = spec.execution.retry
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
    switch end.reason {
    case .signal: causes.contains(.signal)
    case .timeout: causes.contains(.timeout)
    case .notStarted: causes.contains(.notStarted)
    case .exit, .reported, .failsWhen, .done, .descendantsLeft: causes.contains(.exit)
    case .removed, .shutdown, .down, .ledger, .replaced, .byOperator: false
    }
  }
}
