import Glibc
import Synchronization
package import TaktCore
package import TaktTime

/// Runs built-ins: quick ones in their caller's turn; long ones on the pool of their job's class,
/// where they queue while it is full. Those that wait for servers have a wider pool of their own,
/// so that silent servers do not delay work with files.
///
/// Safe from any thread; never blocks its caller.
package final class BuiltinRunner: ActionRunner {
  /// The number of long built-ins of one class that work at once.
  static let poolWidth = 8
  /// The number of one class that wait for servers at once.
  static let networkWidth = 64
  /// The number of one class that wait for containers at once, all of which may be one job's.
  static let containerWidth = 256
  private static let containerBounds = WorkPool.Bounds(
    patience: .seconds(365 * 86_400), limit: .seconds(365 * 86_400), share: containerWidth,
    reportsSlowness: false)
  /// A built-in that takes longer than expected gives its place in the pool to another.
  private static let bounds = WorkPool.Bounds(
    patience: .seconds(30), limit: .seconds(365 * 86_400), share: poolWidth, sharesLost: false,
    lostMax: 32, reportsSlowness: false)

  private let registry: BuiltinRegistry
  private let observer: any Observer
  private let time: any TimeSource
  private let sink: ObserverSink
  private let files: OutputFiles
  private let commands: CommandRunner?
  private let report: @Sendable ([SchedulerEvent]) -> Void
  private let pools: [QoS: WorkPool]
  private let networkPools: [QoS: WorkPool]
  private let containerPools: [QoS: WorkPool]
  private let attempts = Mutex<[RunID: LongAttempt]>([:])

  /// A runner that reports ends to `report`, from any thread.
  ///
  /// - Parameters:
  ///   - files: writes output files, the same as those of commands if there are any. Default:
  ///     without waiting for them at the end.
  ///   - commands: runs the command that completes a built-in, such as mail's `sendmail`, and
  ///     reports its end; nil without any.
  package init(
    registry: BuiltinRegistry, observer: any Observer, time: any TimeSource,
    files: OutputFiles? = nil, commands: CommandRunner? = nil,
    report: @escaping @Sendable ([SchedulerEvent]) -> Void
  ) {
    self.registry = registry
    self.observer = observer
    self.time = time
    sink = ObserverSink(observer: observer, time: time)
    self.files = files ?? OutputFiles(sink: sink, time: time)
    self.commands = commands
    self.report = report
    pools = Self.pools("takt-work", width: Self.poolWidth, Self.bounds)
    networkPools = Self.pools("takt-transfer", width: Self.networkWidth, Self.bounds)
    containerPools = Self.pools(
      "takt-container", width: Self.containerWidth, Self.containerBounds)
  }

  private static func pools(
    _ name: String, width: Int, _ bounds: WorkPool.Bounds
  ) -> [QoS: WorkPool] {
    Dictionary(
      uniqueKeysWithValues: QoS.allCases.map {
        ($0, WorkPool(name: name, nice: $0.workClass.nice, width: width, bounds: bounds))
      })
  }

  /// Starts long built-ins, and runs quick ones: waking another thread would take longer.
  package func start(_ requests: [AttemptRequest]) {
    var lines: [LogRecord] = []
    var ends: [SchedulerEvent] = []
    for request in requests {
      if let builtin = longBuiltin(of: request.action) {
        startLong(request, builtin)
      } else {
        ends.append(runQuick(request, &lines))
      }
    }
    guard !ends.isEmpty else { return }
    if !lines.isEmpty { observer.observe(lines) }
    report(ends)
  }

  private func longBuiltin(of action: Action) -> (any LongBuiltin)? {
    switch action {
    case .use(let name, _): registry.builtin(named: name) as? any LongBuiltin
    case .plugin(let manifest, _): manifest.request.map { PluginRequest(manifest, $0) }
    case .shell, .argv, .steps: nil
    }
  }

  /// Stops a long built-in's attempt; a quick one ends by itself at once.
  package func stop(_ run: RunID, signal: StopSignal) {
    attempts.withLock { $0[run] }?.stop(signal)
  }

  private func runQuick(_ request: AttemptRequest, _ lines: inout [LogRecord]) -> SchedulerEvent {
    guard case .use(let name, var parameters) = request.action,
      let builtin = registry.builtin(named: name) as? any QuickBuiltin
    else {
      return .actionEnded(
        request.run,
        AttemptReport(
          .notStarted(.exec, errno: ENOENT),
          output: OutputFacts(ofNothing: "This takt does not have the built-in.")))
    }
    if ParameterExpansion.isNeeded(by: parameters) {
      parameters = ParameterExpansion(request).expanded(parameters)
    }
    var quickOutput = QuickOutput(of: request.spec.execution.output)
    let result = builtin.run(parameters) { quickOutput.append($0, $1) }
    if let facts = quickOutput.plainFacts(of: request, at: time.wall, &lines) {
      return .actionEnded(request.run, AttemptReport(result, output: facts))
    }
    // Earlier messages of others are logged first.
    observer.observe(lines)
    lines = []
    let output = BuiltinOutput(of: request.output, secrets: [], to: sink, files: files, time: time)
    for (level, line) in quickOutput.pieces { output.line(line, level) }
    let facts = output.close(result)
    return .actionEnded(request.run, AttemptReport(result, output: facts))
  }

  private func startLong(_ request: AttemptRequest, _ builtin: any LongBuiltin) {
    let pools =
      switch builtin.kind {
      case .work: pools
      case .network: networkPools
      case .container: containerPools
      }
    guard let pool = pools[request.spec.execution.qos] else { return }
    let attempt = LongAttempt(request, builtin, on: pool) { [self] result in
      // The next attempt or step of the run may take the place only after this report.
      attempts.withLock { $0[request.run] = nil }
      report([.actionEnded(request.run, result)])
    }
    attempts.withLock { $0[request.run] = attempt }
    attempt.start { [self] in runLong($0) }
  }

  private func runLong(_ attempt: LongAttempt) {
    let parameters: Parameters
    switch attempt.request.action {
    case .use(_, let given), .plugin(_, let given): parameters = given
    case .shell, .argv, .steps: return
    }
    let schemas = attempt.builtin.parameters
    if let name = schemas.diversion(of: parameters, given: attempt.request.given) {
      return refuse(
        attempt, .failed(SecretDiversion.reason), SecretDiversion.sentence(of: name))
    }
    var expansion = ParameterExpansion(attempt.request)
    let resolved: Parameters
    do throws(ParameterExpansion.Failure) {
      resolved = try expansion.resolved(
        parameters, urls: Set(schemas.lazy.filter { $0.kind == .url }.map(\.name)))
    } catch {
      switch error {
      case .unknownSecret(let name):
        refuse(attempt, .failed("secret(\(name))"), "the job has no secret '\(name)'")
      case .unreadable(let failure): refuse(attempt, failure.result, failure.sentence)
      case .divertsURL:
        refuse(
          attempt, .failed("url"), "a placeholder would change the scheme or the host of the URL")
      }
      return
    }
    let hidden =
      Self.hidden(resolved, expansion.hidden, of: attempt.builtin)
      + Self.unused(by: attempt.request, but: expansion.used)
    let output = BuiltinOutput(
      of: attempt.request.output, secrets: hidden, to: sink, files: files, time: time)
    // The end may be, or have been, reported by another thread.
    defer { output.close(.done, wasStopped: attempt.cancellation.isCancelled) }
    attempt.use(output)
    let call = BuiltinCall(
      request: attempt.request, parameters: resolved, cancellation: attempt.cancellation,
      time: time, output: output)
    let end = attempt.builtin.run(call)
    if case .failed(let reason) = end, output.isSilent,
      let meaning = attempt.builtin.reasons.first(where: { $0.text == reason })?.meaning
    {
      output.line(meaning, .error)
    }
    finish(attempt, end, hidden)
  }

  /// Ends an attempt before any work, and logs the reason.
  private func refuse(_ attempt: LongAttempt, _ result: AttemptResult, _ sentence: String) {
    let output = BuiltinOutput(
      of: attempt.request.output, secrets: [], to: sink, files: files, time: time)
    attempt.use(output)
    output.line(sentence, .error)
    attempt.end(result)
    output.close(result)
  }

  /// All values to mask in the messages of a built-in, in every form that they may have there.
  private static func hidden(
    _ parameters: Parameters, _ secrets: [String], of builtin: any LongBuiltin
  ) -> [[UInt8]] {
    let values =
      builtin.parameters.filter(\.isSecret).compactMap { parameters[$0.name]?.string }
      + secrets
    return (values + values.flatMap(builtin.disguises)).map { Array($0.utf8) }
  }

  /// The values of secrets that no parameter refers to: messages of others may contain them. One
  /// that cannot be read cannot be in a message here.
  private static func unused(by request: AttemptRequest, but used: [String: String]) -> [[UInt8]] {
    let user = SecretReader.owner(for: request)
    return request.spec.execution.secrets.filter { used[$0.key] == nil }.values.compactMap {
      try? SecretReader.value(of: $0, for: user)
    }
  }

  private func finish(_ attempt: LongAttempt, _ end: BuiltinEnd, _ hidden: [[UInt8]]) {
    switch end {
    case .done: attempt.end(.done)
    case .failed(let reason): attempt.end(.failed(reason))
    case .exited(let status, let ranOutOfMemory):
      attempt.end(.exited(status), ranOutOfMemory: ranOutOfMemory)
    case .notStarted(let stage, let number): attempt.end(.notStarted(stage, errno: number))
    case .command(let command):
      guard let commands else {
        _ = attempt.end(.failed("no_processes"))
        return
      }
      let request = attempt.request
      let isHandedOver = attempt.handOver {
        attempts.withLock { $0[request.run] = nil }
        commands.start(request) { $0.adopt(command, hiding: hidden) }
      }
      if !isHandedOver { attempt.end(.failed(LongAttempt.cancelled)) }
    }
  }
}

extension Command {
  /// Turns the command into one of takt's own: of the job's rules, it keeps those that describe the
  /// attempt, not those that describe a child of the job.
  fileprivate mutating func adopt(_ command: BuiltinCommand, hiding hidden: [[UInt8]]) {
    arguments = command.arguments
    execution = Execution(
      directory: execution.directory, timeout: execution.timeout, stop: execution.stop,
      qos: execution.qos, output: execution.output)
    // A mail program may deliver in the background: that is never ended.
    execution.stop.leftovers = .leave
    execution.stdin = command.stdin
    self.hidden = hidden
    bound = command.timeout
  }
}
