import Dispatch
import Glibc
import TaktCore

/// Runs built-ins, each on the queue of its job's class.
///
/// Safe from any thread.
public final class BuiltinRunner: ActionRunner {
  private let registry: BuiltinRegistry
  private let observer: any Observer
  private let time: any TimeSource
  private let report: @Sendable ([SchedulerEvent]) -> Void
  private let queues: [QoS: DispatchQueue]

  /// A runner that reports ends to `report`, on the queue of the run's class.
  public init(
    registry: BuiltinRegistry, observer: any Observer, time: any TimeSource,
    report: @escaping @Sendable ([SchedulerEvent]) -> Void
  ) {
    self.registry = registry
    self.observer = observer
    self.time = time
    self.report = report
    queues = Dictionary(
      uniqueKeysWithValues: QoS.allCases.map {
        ($0, DispatchQueue(label: "takt.builtin.\($0.rawValue)", qos: $0.dispatchClass))
      })
  }

  /// Does the built-ins' work, class by class.
  public func start(_ requests: [AttemptRequest]) {
    for (qos, group) in Dictionary(grouping: requests, by: \.spec.execution.qos) {
      queues[qos]?.async { [self] in
        var lines: [LogRecord] = []
        let ends = group.map { request in
          let result = run(request) { level, line in
            lines.append(output(line, level, of: request))
          }
          return SchedulerEvent.attemptEnded(request.run, AttemptReport(result))
        }
        observer.observe(lines)
        report(ends)
      }
    }
  }

  private func run(
    _ request: AttemptRequest, output: (LogLevel, String) -> Void
  ) -> AttemptResult {
    guard case .use(let name, let parameters) = request.action,
      let builtin = registry.builtin(named: name)
    else { return .notStarted(.exec, errno: ENOENT) }
    return builtin.run(parameters, output: output)
  }

  private func output(_ line: String, _ level: LogLevel, of request: AttemptRequest) -> LogRecord {
    LogRecord(
      at: time.wall, level, .output,
      [
        LogField(.job, .text(request.spec.name.text)),
        LogField(.run, .number(Int64(request.run.number))),
        LogField(.attempt, .number(Int64(request.attempt))), LogField(.line, .text(line)),
      ])
  }

  /// The built-ins of today end by themselves at once; there is nothing to stop.
  public func stop(_ run: RunID, signal: StopSignal) {}
}
