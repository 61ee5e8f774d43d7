import Dispatch
import Glibc
import Synchronization
import TaktCore

/// Runs built-ins: quick ones on the queue of their job's class, all of one wake in one hop; long
/// ones on the pool of the class, where they wait their turn when it is full.
///
/// Safe from any thread; never blocks its caller.
public final class BuiltinRunner: ActionRunner {
  /// How many long built-ins of one class work at once.
  static let poolWidth = 8

  private let registry: BuiltinRegistry
  private let observer: any Observer
  private let time: any TimeSource
  private let processes: (any ActionRunner)?
  private let report: @Sendable ([SchedulerEvent]) -> Void
  private let queues: [QoS: DispatchQueue]
  private let pools: [QoS: WorkPool]
  private let attempts = Mutex<[RunID: LongAttempt]>([:])

  /// A runner that reports ends to `report`, from any thread.
  ///
  /// - Parameter processes: who runs the command that a built-in comes down to, such as mail's
  ///   `sendmail`, and reports its end; nil where there is nobody.
  public init(
    registry: BuiltinRegistry, observer: any Observer, time: any TimeSource,
    processes: (any ActionRunner)? = nil, report: @escaping @Sendable ([SchedulerEvent]) -> Void
  ) {
    self.registry = registry
    self.observer = observer
    self.time = time
    self.processes = processes
    self.report = report
    queues = Dictionary(
      uniqueKeysWithValues: QoS.allCases.map {
        ($0, DispatchQueue(label: "takt.builtin.\($0.rawValue)", qos: $0.dispatchClass))
      })
    pools = Dictionary(
      uniqueKeysWithValues: QoS.allCases.map {
        ($0, WorkPool(name: "takt-work", nice: $0.workClass.nice, width: Self.poolWidth))
      })
  }

  /// Starts the built-ins' work, class by class.
  public func start(_ requests: [AttemptRequest]) {
    var quick: [QoS: [AttemptRequest]] = [:]
    for request in requests {
      if case .use(let name, _) = request.action,
        let builtin = registry.builtin(named: name) as? any LongBuiltin
      {
        startLong(request, builtin)
      } else {
        quick[request.spec.execution.qos, default: []].append(request)
      }
    }
    for (qos, group) in quick {
      queues[qos]?.async { [self] in
        var lines: [LogRecord] = []
        let ends = group.map { runQuick($0, &lines) }
        observer.observe(lines)
        report(ends)
      }
    }
  }

  /// Stops a long built-in's attempt; a quick one ends by itself at once.
  public func stop(_ run: RunID, signal: StopSignal) {
    attempts.withLock { $0[run] }?.stop(signal)
  }

  private func runQuick(_ request: AttemptRequest, _ lines: inout [LogRecord]) -> SchedulerEvent {
    guard case .use(let name, var parameters) = request.action,
      let builtin = registry.builtin(named: name) as? any QuickBuiltin
    else {
      return .attemptEnded(request.run, AttemptReport(.notStarted(.exec, errno: ENOENT)))
    }
    if ParameterExpansion.isNeeded(by: parameters) {
      parameters = ParameterExpansion(request).expanded(parameters)
    }
    var facts = OutputFacts()
    let result = builtin.run(parameters) { level, line in
      lines.append(BuiltinOutput.record(line, level, of: request, at: time.wall))
      facts.add(line, keepBytes: request.spec.execution.output.keepBytes)
    }
    return .attemptEnded(request.run, AttemptReport(result, output: facts))
  }

  private func startLong(_ request: AttemptRequest, _ builtin: any LongBuiltin) {
    guard let pool = pools[request.spec.execution.qos] else { return }
    let attempt = LongAttempt(request, builtin, on: pool) { [self] result in
      // The next attempt or step of the run may take the place only after this report.
      attempts.withLock { $0[request.run] = nil }
      report([.attemptEnded(request.run, result)])
    }
    attempts.withLock { $0[request.run] = attempt }
    attempt.start { [self] in runLong($0) }
  }

  private func runLong(_ attempt: LongAttempt) {
    guard case .use(_, let parameters) = attempt.request.action else { return }
    var expansion = ParameterExpansion(attempt.request)
    let resolved: Parameters
    do throws(ParameterExpansion.Failure) {
      resolved = try expansion.resolved(parameters)
    } catch {
      switch error {
      case .unknownSecret(let name): attempt.end(.failed("secret(\(name))"))
      case .unreadable(let number): attempt.end(.notStarted(.secret, errno: number))
      }
      return
    }
    let hidden = attempt.builtin.parameters.filter(\.isSecret).map {
      resolved[$0.name]?.string ?? ""
    }
    let output = BuiltinOutput(
      of: attempt.request, secrets: hidden + expansion.used.values, observer: observer,
      time: time)
    attempt.use(output)
    let call = BuiltinCall(
      request: attempt.request, parameters: resolved, cancellation: attempt.cancellation,
      time: time, output: output)
    finish(attempt, attempt.builtin.run(call))
  }

  private func finish(_ attempt: LongAttempt, _ end: BuiltinEnd) {
    switch end {
    case .done: attempt.end(.done)
    case .failed(let reason): attempt.end(.failed(reason))
    case .notStarted(let stage, let number): attempt.end(.notStarted(stage, errno: number))
    case .command(let arguments, let stdin):
      guard let processes else {
        _ = attempt.end(.failed("no_processes"))
        return
      }
      let request = Self.command(arguments, stdin: stdin, for: attempt.request)
      let isHandedOver = attempt.handOver {
        attempts.withLock { $0[request.run] = nil }
        processes.start([request])
      }
      if !isHandedOver { attempt.end(.failed(LongAttempt.cancelled)) }
    }
  }

  /// The command is takt's own: of the job's rules those count that describe the attempt, not those
  /// that describe a child of the job.
  private static func command(
    _ arguments: [String], stdin: String, for request: AttemptRequest
  ) -> AttemptRequest {
    var request = request
    let own = request.spec.execution
    var execution = Execution(
      directory: own.directory, timeout: own.timeout, stop: own.stop, qos: own.qos,
      output: own.output)
    execution.stdin = stdin
    request.spec.execution = execution
    request.action = .argv(arguments)
    request.spec.action = request.action
    return request
  }
}
