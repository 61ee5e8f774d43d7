/// Why an attempt in progress is stopped.
package enum StopCause: Hashable, Sendable {
  /// It reached its timeout.
  case timeout
  /// takt is stopping.
  case shutdown
  /// A newer run of the job takes its place.
  case replaced
  /// A reload has removed the job.
  case removed
  /// Somebody has cancelled the run.
  case byOperator
  /// The ledger could not take it in time.
  case ledger
  /// The process has ended and left these behind.
  case descendants([Descendant])

  var name: String {
    switch self {
    case .timeout: "timeout"
    case .shutdown: "shutdown"
    case .replaced: "replaced"
    case .removed: "removed"
    case .byOperator: "operator"
    case .ledger: "ledger"
    case .descendants: "descendants_left"
    }
  }

  /// How a run ends that was stopped for this; nil where that depends on the attempt.
  var cancellation: RunReason? {
    switch self {
    case .shutdown: .shutdown
    case .replaced: .replaced
    case .removed: .removed
    case .byOperator: .byOperator
    case .ledger: .ledger
    case .timeout, .descendants: nil
    }
  }
}
