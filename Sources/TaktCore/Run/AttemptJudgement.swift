extension AttemptReport {
  /// Whether the action did its work, by its own result and what the job says of success. What it
  /// prints, and its exit status, count for commands alone.
  package func judged(by rule: SuccessRule) -> RunEnd {
    switch result {
    case .exited(let status):
      guard rule.exitStatuses.contains(status) else { return RunEnd(.failed, .exit(status)) }
      if rule.failsOnStandardError, output.stderrBytes > 0 {
        return RunEnd(.failed, .failsWhen("stderr"))
      }
      if rule.failurePattern != nil, output.matchesFailurePattern {
        return RunEnd(.failed, .failsWhen("stdout"))
      }
      if rule.failsWhenSilent, output.stdoutBytes == 0 {
        return RunEnd(.failed, .failsWhen("empty"))
      }
      return RunEnd(.succeeded, .exit(status))
    case .signalled(let number): return RunEnd(.failed, .signal(number))
    case .notStarted(let stage, let number):
      return RunEnd(.failed, .notStarted(stage, errno: number))
    case .done: return RunEnd(.succeeded, .done)
    case .failed(let reason): return RunEnd(.failed, .reported(reason))
    }
  }
}
