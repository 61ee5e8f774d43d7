/// How a run ended, and why.
package struct RunEnd: Hashable, Sendable {
  /// How it ended.
  package var outcome: Outcome
  /// Why.
  package var reason: RunReason

  /// An end with its reason.
  package init(_ outcome: Outcome, _ reason: RunReason) {
    self.outcome = outcome
    self.reason = reason
  }
}

/// How a run ended.
package enum Outcome: String, CaseIterable, Hashable, Sendable {
  /// The action did its work.
  case succeeded
  /// The action did not.
  case failed
  /// An attempt took longer than its timeout and was stopped.
  case timedOut = "timed_out"
  /// It was stopped, or given up before it started, because somebody wanted so.
  case cancelled
  /// takt was gone before it came to its end.
  case interrupted
}

/// Why a run ended as it did.
package enum RunReason: Hashable, Sendable, CustomStringConvertible {
  /// The process exited with this status.
  case exit(Int32)
  /// A signal that takt did not send ended the process.
  case signal(Int32)
  /// There never was a process: what could not be done, and the system's error number.
  case notStarted(StartStage, errno: Int32)
  /// A built-in has done its work.
  case done
  /// A built-in has failed and says why.
  case reported(String)
  /// The command printed, or did not print, what `fails_when` names: `stderr`, `stdout`, `empty`.
  case failsWhen(String)
  /// A newer run of the job has taken its place.
  case replaced
  /// Somebody has cancelled it.
  case byOperator
  /// The attempt reached its timeout.
  case timeout
  /// A reload has removed the job.
  case removed
  /// takt is stopping.
  case shutdown
  /// takt was gone: killed, or the machine without power.
  case down
  /// The ledger could not take it in time, and the job is to run at most once.
  case ledger
  /// The process succeeded and left this many descendants behind, which were ended.
  case descendantsLeft(Int)

  /// `exit(1)`, `signal(9)`, `not_started(cwd, ENOENT)`, `timeout` …
  package var description: String {
    switch self {
    case .exit(let status): "exit(\(status))"
    case .signal(let number): "signal(\(number))"
    case .notStarted(.stuck, _): "not_started(\(StartStage.stuck.rawValue))"
    case .notStarted(let stage, let number):
      "not_started(\(stage.rawValue), \(ErrorName.of(number)))"
    case .done: "done"
    case .reported(let reason): reason
    case .failsWhen(let what): "fails_when(\(what))"
    case .replaced: "replaced"
    case .byOperator: "operator"
    case .timeout: "timeout"
    case .removed: "removed"
    case .shutdown: "shutdown"
    case .down: "down"
    case .ledger: "ledger"
    case .descendantsLeft(let count): "descendants_left(\(count))"
    }
  }
}

extension RunReason {
  /// What to do where the machine, not the job, was at fault; Linux error numbers.
  var advice: String? {
    switch self {
    case .notStarted(.process, errno: 24), .notStarted(.process, errno: 23):
      "out of descriptors: raise 'ulimit -n' or lower max_running"
    case .notStarted(.process, errno: 11):
      "too many processes: raise 'ulimit -u' or lower max_running"
    case .notStarted(.process, errno: 12): "out of memory"
    case .notStarted(.stuck, _):
      "check the file systems of the job's cwd, program and interpreter"
    case .exit, .signal, .notStarted, .done, .reported, .failsWhen, .replaced, .byOperator,
      .timeout, .removed, .shutdown, .down, .ledger, .descendantsLeft:
      nil
    }
  }
}

/// What could not be done when a process was to be started.
package enum StartStage: String, CaseIterable, Hashable, Sendable {
  /// The pipes or the process itself.
  case process
  /// Reading a secret, or handing it over.
  case secret
  /// Becoming the user and group that the job names.
  case user
  /// Setting a limit.
  case limits
  /// Entering the working directory.
  case directory = "cwd"
  /// Executing the program.
  case exec
  /// The process never came to execute the program, or one of the job before still has not: a file
  /// system does not answer, or somebody keeps the process stopped.
  case stuck = "spawn_stuck"
}
