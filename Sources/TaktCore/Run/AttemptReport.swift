/// The result of one action of an attempt: reported when its process, or a built-in's work, has
/// ended.
package struct AttemptReport: Hashable, Sendable {
  package var result: AttemptResult
  /// True if its process certainly ended before takt sent it any signal.
  package var endedUnasked: Bool
  /// True if the kernel ended a process because all together exceeded their memory limit.
  package var ranOutOfMemory = false
  /// Processes that must end before the run can: the living members of its process group and those
  /// that escaped it. `groupEnded` follows when there are any.
  package var descendants: [Descendant]
  package var output: OutputFacts
  /// The resource use of its processes; nil without any, and if descendants are left: then it comes
  /// with `groupEnded`.
  // Boxed: reports are copied from hand to hand.
  package var use: Shared<ResourceUse>?
}

extension AttemptReport {
  package init(
    _ result: AttemptResult, descendants: [Descendant] = [], output: OutputFacts = OutputFacts(),
    endedUnasked: Bool = false, use: Shared<ResourceUse>? = nil
  ) {
    self.init(
      result: result, endedUnasked: endedUnasked, descendants: descendants, output: output,
      use: use)
  }
}

/// The result of the processes that an action has left behind: reported when none of them is left.
package struct GroupReport: Hashable, Sendable {
  /// The resource use of all processes of the action; nil if unknown.
  package var use: Shared<ResourceUse>?
  /// Their kept output since the action's own process ended.
  package var output: KeptOutput

  package init(use: Shared<ResourceUse>? = nil, output: KeptOutput = KeptOutput()) {
    self.use = use
    self.output = output
  }
}

/// A process that an attempt has left behind.
package struct Descendant: Hashable, Sendable, CustomStringConvertible {
  package var pid: Int32
  /// The name of its program, from the process table.
  package var name: String

  package init(pid: Int32, name: String) {
    self.pid = pid
    self.name = name
  }

  /// `sleep(4711)`
  package var description: String { "\(name)(\(pid))" }
}

package struct OutputFacts: Hashable, Sendable {
  package var stdoutBytes: Int
  package var stderrBytes: Int
  /// True if a line of standard output matches the job's failure pattern.
  package var matchesFailurePattern: Bool
  /// The kept part of both streams.
  package var kept: KeptOutput

  package init(
    stdoutBytes: Int = 0, stderrBytes: Int = 0, matchesFailurePattern: Bool = false,
    kept: KeptOutput = KeptOutput()
  ) {
    self.stdoutBytes = stdoutBytes
    self.stderrBytes = stderrBytes
    self.matchesFailurePattern = matchesFailurePattern
    self.kept = kept
  }
}

/// The end of an attempt's own process, or of a built-in's work.
package enum AttemptResult: Hashable, Sendable {
  case exited(Int32)
  case signalled(Int32)
  /// There was never a process.
  case notStarted(StartStage, errno: Int32)
  case done
  /// A built-in has failed; a short machine-readable reason such as `status(500)`.
  indirect case failed(String)
}

extension AttemptReport {
  /// True if the action succeeded, by its own result and the job's rule of success. Output and exit
  /// status count for commands alone.
  package func runEnd(by rule: SuccessRule) -> RunEnd {
    let end = ownEnd(by: rule)
    return ranOutOfMemory && end.outcome == .failed ? RunEnd(.failed, .outOfMemory) : end
  }

  private func ownEnd(by rule: SuccessRule) -> RunEnd {
    switch result {
    case .exited(let status):
      guard rule.accepts(status) else { return RunEnd(.failed, .exit(status)) }
      if rule.failsOnStandardError, output.stderrBytes > 0 {
        return RunEnd(.failed, .failsWhen(.stderr))
      }
      if rule.failurePattern != nil, output.matchesFailurePattern {
        return RunEnd(.failed, .failsWhen(.stdout))
      }
      if rule.failsWhenSilent, output.stdoutBytes == 0 {
        return RunEnd(.failed, .failsWhen(.empty))
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
