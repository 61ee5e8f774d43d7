import Glibc
import Synchronization
import TaktCore
import TimerMachine
import TaktTime

/// One service plugin: performs the effects of its machine, and talks with the process.
///
/// `@unchecked Sendable`: made and called only on the reactor's thread, by `PluginServices`, by
/// `ChildConversation` and by timers that `PluginClock` brings there. Other threads only carry it
/// there with its child.
final class PluginService: ChildChannel, @unchecked Sendable {
  /// A run with the data for the plugin, and the receivers of its output and its reports.
  struct Run {
    var request: AttemptRequest
    var call: PluginCall
    var output: AttemptOutput
    var reporter: PluginReporter
  }

  /// Called when a process of the service has ended.
  var onEnd: (() -> Void)?

  private static let lastNumber = Atomic<UInt64>(0)

  /// Distinguishes the timers of several processes of one plugin.
  private let number: UInt64
  private let manifest: PluginManifest
  private let execution: Execution
  private let labels: [LogField]
  private let processes: ProcessRunner
  private let commands: PluginCommands
  private let clock: PluginClock
  private let log: OutputLog
  private let ledger: (any Ledger)?
  private let report: (RunID, AttemptReport) -> Void
  /// Gets runs that are for another process.
  private let handOver: (Run) -> Void
  private var machine: ServiceMachine
  /// By their names in the conversation.
  private var runs: [String: Run] = [:]
  private var floods: [String: PluginFlood] = [:]
  /// The reason why its process has not started, while the waiting runs are answered.
  private var startFailure: String?
  private var conversation = PluginConversation(isService: true)
  private var line: ChildLine?
  private var process: ProcessID?
  /// Claimed runs in its process: as long as there are any, it is guarded.
  private var claimed: Set<String> = []
  private var hidden: Set<[UInt8]> = []
  private var mask: SecretAutomaton?
  private var timers: [ServiceMachine.Wait: SafeTimer] = [:]
  private var generations: [ServiceMachine.Wait: UInt64] = [:]

  /// - Parameter execution: for its processes, except the plugin's own environment.
  init(
    _ manifest: PluginManifest, execution: Execution, processes: ProcessRunner,
    commands: PluginCommands, clock: PluginClock, sink: any OutputSink, ledger: (any Ledger)?,
    report: @escaping (RunID, AttemptReport) -> Void, handOver: @escaping (Run) -> Void
  ) {
    number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    self.manifest = manifest
    self.execution = execution
    self.processes = processes
    self.commands = commands
    self.clock = clock
    self.ledger = ledger
    self.report = report
    self.handOver = handOver
    machine = ServiceMachine(manifest)
    labels = [LogField(.plugin, .text(manifest.name))]
    log = OutputLog(of: OutputSource(facts: labels), to: sink, time: commands.time)
  }

  var hasProcess: Bool { machine.state != .idle && machine.state != .backingOff }

  var isLeaving: Bool { machine.isLeaving }

  var isGone: Bool { machine.isGone }

  func add(_ run: Run) {
    runs[run.call.run] = run
    hide(run.call.hidden)
    perform(machine.add(run.call.run))
  }

  func stop(_ run: String, _ signal: StopSignal) {
    runs[run]?.output.stopped()
    perform(machine.stop(run, isKill: signal == .kill))
  }

  /// Output of the process belongs to no run, and may contain the secrets of any run so far.
  private func hide(_ secrets: [[UInt8]]) {
    let new = Set(secrets).subtracting(hidden)
    guard !new.isEmpty else { return }
    hidden.formUnion(new)
    mask = SecretAutomaton(withTrimmed: Array(hidden))
    line?.output.hide(Array(hidden))
  }

  private func logMessage(_ level: LogLevel, _ text: String) {
    log.logMessage(level, "plugin \(manifest.name): \(mask?.masked(text) ?? text)")
  }

  private func sendLines(_ lines: [UInt8]) {
    commands.tap.forward(lines)
    line?.send(lines)
  }

  func retire() { perform(machine.retire()) }

  func kill() { line?.kill() }

  func started(_ line: ChildLine) {
    self.line = line
    line.output.hide(Array(hidden))
    // It was given up before there was a process.
    if machine.state == .ending { return line.kill() }
    sendLines(commands.hello(manifest))
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    conversation.feed(bytes) { handle($0) }
  }

  func closed() {
    perform(machine.hungUp())
  }

  func handlesSignal() -> Bool { true }

  func adjusted(_ result: AttemptResult) -> AttemptResult { result }

  private func command() -> Command {
    var command = Command(
      manifest.command, execution, origin: Command.Origin(owner: "plugin \(manifest.name)"),
      labels: labels)
    command.execution.environment.becomePlugin(with: manifest.variables)
    command.channel = self
    command.observe = { [self, id = command.id] in observe($0, of: id) }
    return command
  }

  private func observe(_ event: ProcessEvent, of id: ProcessID) {
    switch event {
    case .started(let process):
      ledger?.record(.service(id.number, process))
      // Written at once: if a daemon is killed before, no other one can find the process.
      ledger?.whenKept {}
    case .ended(let end) where end.descendants.isEmpty: ended(end.result, id)
    // Leftover processes of a service are not stopped by anything else.
    case .ended: processes.stop(id, signal: .kill)
    case .gone(_): ended(.signalled(SIGKILL), id)
    }
  }

  private func ended(_ result: AttemptResult, _ id: ProcessID) {
    ledger?.record(.serviceEnded(id.number))
    line = nil
    floods = [:]
    if case .notStarted(let stage, let number) = result {
      let program = manifest.command.first ?? ""
      startFailure =
        StartFailure(stage: stage, number: number)
        .named(program: program, at: [program], directory: execution.directory).sentence
      perform(machine.spawnFailed("\(stage.rawValue), \(ErrorName.of(number))"))
      startFailure = nil
    } else {
      perform(machine.processEnded())
    }
    onEnd?()
  }

  private func handle(_ event: PluginConversation.Event) {
    switch event {
    case .hello(_, let version, _):
      if machine.state == .starting {
        logMessage(.info, "version \(version ?? manifest.version) is ready")
      }
      perform(machine.greeted())
    case .progress(let name, let percent, let message):
      of(name) { $0.reporter.progress(percent, message) }
    case .log(let name, let level, let message):
      of(name) { $0.output.line(message, level) }
    case .metric(let name, let measured, let value, let unit):
      of(name) { $0.reporter.metric(measured, value, unit) }
    case .result(let name, let result):
      guard let name else { return }
      if let message = result.message {
        runs[name]?.output.line(message, result.isOK ? .info : .error)
      }
      perform(machine.result(of: name, runs[name]?.reporter.masked(result) ?? result))
    case .pong(let id):
      if mayContinue() { perform(machine.ponged(id)) }
    case .complaint(let code, let message):
      guard mayContinue() else { return }
      logMessage(.warning, "the plugin reported an unknown message: \(code) \(message)")
    case .unknownType(let type):
      guard mayContinue() else { return }
      logMessage(.warning, "the plugin sent a message of an unknown type: \(type)")
      sendLines(
        MessageToPlugin.line(
          MessageToPlugin.Problem(code: "unknown_type", message: "unknown type '\(type)'")))
    case .violation(let fault, _): perform(machine.fail(fault))
    }
  }

  /// Messages on a run that is over are ignored.
  private func of(_ name: String?, _ body: (Run) -> Void) {
    guard let name else { return }
    guard machine.mayBeNamed(name) else { return perform(machine.fail(.wrongRun)) }
    let now = commands.time.monotonic
    guard floods[name, default: PluginFlood(at: now)].allows(at: now) else {
      return perform(machine.fail(.flood))
    }
    if let run = runs[name] { body(run) }
  }

  /// Messages that belong to no run have a limit of their own.
  private func mayContinue() -> Bool {
    let now = commands.time.monotonic
    if floods["", default: PluginFlood(at: now)].allows(at: now) { return true }
    perform(machine.fail(.flood))
    return false
  }

  private func perform(_ effects: [ServiceMachine.Effect]) {
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: ServiceMachine.Effect) {
    switch effect {
    case .spawn:
      conversation = PluginConversation(isService: true, tap: commands.tap)
      let command = command()
      process = command.id
      processes.start([command])
    case .start(let name):
      guard let run = runs[name] else { return }
      if run.request.fence != nil, claimed.insert(name).inserted, claimed.count == 1, let process {
        processes.setGuarded(process, true)
      }
      sendLines(
        run.call.start(
          of: run.request, deadline: commands.deadline(of: run.request), withSecrets: true))
    case .cancel(let name): cancel(name)
    case .end(let name, let result): end(name, result)
    case .handOver(let name):
      claimEnded(name)
      if let run = runs.removeValue(forKey: name) { handOver(run) }
    case .ping(let id): sendLines(MessageToPlugin.line(MessageToPlugin.Ping(id: id)))
    case .shutdown:
      sendLines(
        MessageToPlugin.line(
          MessageToPlugin.Shutdown(grace_ms: ServiceMachine.exitTime.milliseconds)))
    case .kill: line?.kill()
    case .wait(let wait, let duration): generations[wait] = timer(wait).wait(duration)
    case .stopWaiting(let wait):
      generations[wait] = nil
      if let timer = timers[wait], timer.state == .running { timer.cancel(keepHandlers: true) }
    case .log(let level, let text): logMessage(level, text)
    case .logRestart(let delay):
      commands.observer.observe(
        LogRecord(
          at: commands.time.wall, .warning, .plugin,
          [
            LogField(.plugin, .text(manifest.name)),
            LogField(
              .message,
              .text(
                "plugin \(manifest.name): the service restarts in "
                  + "\(delay.milliseconds / 1000) s at the earliest")),
          ], fact: .serviceRestart(plugin: manifest.name)))
    }
  }

  private func cancel(_ name: String) {
    guard let run = runs[name] else { return }
    let isOverdue = run.request.deadline.map { commands.time.monotonic >= $0 } ?? false
    sendLines(
      MessageToPlugin.line(
        MessageToPlugin.Cancel(
          run: run.call.run, reason: isOverdue ? "timeout" : "cancelled",
          grace_ms: run.request.spec.execution.stop.grace.milliseconds)))
  }

  private func end(_ name: String, _ result: AttemptResult) {
    floods[name] = nil
    claimEnded(name)
    guard let run = runs.removeValue(forKey: name) else { return }
    if let startFailure { run.output.explain(startFailure) }
    let completed = run.output.complete(AttemptReport(result))
    run.output.close()
    report(run.request.run, completed)
  }

  private func claimEnded(_ name: String) {
    guard claimed.remove(name) != nil, claimed.isEmpty, let process else { return }
    processes.setGuarded(process, false)
  }

  private func timer(_ wait: ServiceMachine.Wait) -> SafeTimer {
    if let timer = timers[wait] { return timer }
    let timer = clock.timer("plugin-timer:\(manifest.name):\(number):\(wait.rawValue)") {
      [weak self] generation in
      guard let self, generations[wait] == generation else { return }
      generations[wait] = nil
      perform(machine.timeReached(wait))
    }
    timers[wait] = timer
    return timer
  }
}
