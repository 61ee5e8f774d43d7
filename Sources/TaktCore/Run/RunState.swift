/// Where a run stands.
public enum RunState: Hashable, Sendable {
  /// It waits for a free place.
  case queued
  /// An attempt is in progress.
  case running(attempt: Int)
  /// The attempt's group has been asked to end; `result` once the process itself has.
  case stopping(StopCause, result: AttemptResult?)
  /// The grace is over: what is left of the group has been sent SIGKILL.
  case killing(StopCause, result: AttemptResult?)
  /// It is over.
  case ended(RunEnd)

  /// The state's name in the log.
  public var name: String {
    switch self {
    case .queued: "queued"
    case .running: "running"
    case .stopping: "stopping"
    case .killing: "killing"
    case .ended: "ended"
    }
  }
}

/// Why an attempt in progress is stopped.
public enum StopCause: Hashable, Sendable {
  /// It reached its timeout.
  case timeout
  /// takt is stopping.
  case shutdown
  /// The process has ended and left descendants behind.
  case descendants(Int)

  var name: String {
    switch self {
    case .timeout: "timeout"
    case .shutdown: "shutdown"
    case .descendants: "descendants_left"
    }
  }
}

/// How an attempt's own process, or a built-in's work, came to its end.
public enum AttemptResult: Hashable, Sendable {
  /// The process exited by itself.
  case exited(Int32)
  /// A signal ended the process.
  case signalled(Int32)
  /// There was never a process.
  case notStarted(StartStage, errno: Int32)
  /// A built-in has done its work.
  case done
  /// A built-in has failed; a short machine-readable reason such as `status(500)`.
  case failed(String)

  var end: RunEnd {
    switch self {
    case .exited(0): RunEnd(.succeeded, .exit(0))
    case .exited(let status): RunEnd(.failed, .exit(status))
    case .signalled(let number): RunEnd(.failed, .signal(number))
    case .notStarted(let stage, let number): RunEnd(.failed, .notStarted(stage, errno: number))
    case .done: RunEnd(.succeeded, .done)
    case .failed(let reason): RunEnd(.failed, .reported(reason))
    }
  }
}
