import Dispatch
import TaktCore

/// Runs built-ins, each on the queue of its job's class.
///
/// Safe from any thread.
public final class BuiltinRunner: ActionRunner {
  private let registry: BuiltinRegistry
  private let report: @Sendable (SchedulerEvent) -> Void
  private let queues: [QoS: DispatchQueue]

  /// A runner that reports ends to `report`, on the queue of the run's class.
  public init(registry: BuiltinRegistry, report: @escaping @Sendable (SchedulerEvent) -> Void) {
    self.registry = registry
    self.report = report
    queues = Dictionary(
      uniqueKeysWithValues: QoS.allCases.map {
        ($0, DispatchQueue(label: "takt.builtin.\($0.rawValue)", qos: $0.dispatchClass))
      })
  }

  /// Starts the built-in's work.
  public func start(_ request: AttemptRequest) {
    let queue = queues[request.spec.execution.qos]
    guard case .use(let name, let parameters) = request.spec.action, let queue,
      let builtin = registry.builtin(named: name)
    else {
      report(.attemptEnded(request.run, .notStarted(.exec, errno: 2), descendants: 0))
      return
    }
    queue.async { [report] in
      let result = builtin.run(parameters, of: request)
      report(.attemptEnded(request.run, result, descendants: 0))
    }
  }

  /// The built-ins of today end by themselves at once; there is nothing to stop.
  public func stop(_ run: RunID, signal: StopSignal) {}
}
