import Dispatch
import Glibc
import TaktCore
import TaktEngine
import TaktSystem
import TimerMachine

/// The scheduler and all that it uses, wired together.
struct Engine {
  /// The serial queue of all decisions. Above the jobs' classes, so that none of them makes a slot
  /// late.
  let turns = TurnQueue(DispatchQueue(label: "takt.scheduler", qos: .userInitiated))
  let factory: CoalescingTimerFactory
  /// Logs the timers that belong to no job and no run.
  let timerLog: OtherTimerLog
  let reactor: Reactor
  let scheduler: Scheduler
  private let files: OutputFiles
  private let processes: ProcessRunner
  /// For people: the means by which processes of a run are recognized.
  let tracking: String
  private let services: PluginServices
  private let router: ActionRouter
  private let guardian: Guard?
  private let clockWatcher: ClockStepWatcher
  private let watches: JobWatches

  /// - Parameters:
  ///   - observer: gets every record.
  ///   - sink: gets the lines of commands.
  ///   - tap: gets the conversation between takt and plugins; nil for a daemon.
  ///   - passThrough: gets the output of commands in place of the sink; nil for a daemon.
  ///   - gauge: gets each slot that starts; nil without measurements.
  ///   - cluster: the machines that share jobs with this one; nil for none.
  ///   - farewell: the command that reports to them that none of takt's runs is left.
  ///   - onFinish: called once, when a stop is complete.
  init(
    observer: any Observer, sink: any OutputSink, passThrough: PassThrough? = nil,
    tap: PluginTap? = nil, ledger: any Ledger, gauge: (any SlotGauge)? = nil,
    cluster: ClusterLink? = nil, farewell: [String] = [], onFinish: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    factory = CoalescingTimerFactory(
      queue: turns.queue, over: AlarmTimerFactory(name: "takt-timers", turn: turns.turn))
    timerLog = OtherTimerLog(observer: observer)
    Notices.deliver(to: { observer.logMessage($0, .warning) })
    reactor = try Reactor()
    let scheduler = Scheduler(
      turns: turns, factory: factory, ledger: ledger, observer: observer, gauge: gauge,
      cluster: cluster, onFinish: onFinish)
    self.scheduler = scheduler
    files = OutputFiles(sink: sink, time: factory.time)
    let plugins = PluginCommands(
      host: "takt \(TaktVersion.current)", observer: observer, time: factory.time,
      tap: tap)
    let tracking = ProcessTracking.best()
    self.tracking = "\(tracking)"
    guardian =
      cluster == nil
      ? nil
      : try Guard.start(
        on: reactor, tracking: tracking, observer: observer, farewell: farewell)
    cluster?.connect(scheduler, guardian)
    processes = try ProcessRunner(
      reactor: reactor, sink: sink, time: factory.time, files: files, observer: observer,
      tracking: tracking, guardian: guardian)
    let ends = EventOutbox(on: reactor) { scheduler.send($0) }
    let commands = CommandRunner(
      processes: processes, plugins: plugins.complete, passThrough: passThrough, ledger: ledger,
      report: ends.add)
    let builtins = BuiltinRunner(
      registry: .standard, observer: observer, time: factory.time, files: files,
      commands: commands
    ) { scheduler.send($0) }
    services = PluginServices(
      reactor: reactor, processes: processes, commands: plugins, factory: factory,
      timerLog: timerLog, queue: turns.queue, sink: sink, files: files, ledger: ledger
    ) { scheduler.send($0) }
    router = ActionRouter(commands: commands, builtins: builtins, services: services)
    let sleep = SleepMeter()
    clockWatcher = ClockStepWatcher(queue: turns.queue) {
      scheduler.send(.clockStepped(slept: sleep.popSlept()))
    }
    watches = JobWatches(reactor: reactor, factory: factory, observer: observer) {
      scheduler.send($0)
    }
    try processes.adoptOrphans()
  }

  /// Handles signals from now on; SIGCHLD is handled here.
  func receiveSignals(_ handler: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    try Signals.receive(on: reactor) { [processes] number in
      if number == SIGCHLD { processes.reapOrphans() } else { handler(number) }
    }
  }

  /// Applies a reload.
  ///
  /// - Parameter onApplied: called when it is done.
  func apply(_ plan: ReloadPlan, onApplied: @escaping @Sendable () -> Void = {}) {
    InheritedEnvironment.hideSecrets(of: plan.steps.map(\.spec))
    services.replace(by: plan.steps.lazy.map(\.spec).flatMap(\.plugins))
    watches.apply(plan) { [scheduler] in
      scheduler.send(.reloaded(plan))
      // After the reload in the scheduler's queue.
      scheduler.query({ _, _ in }, reply: onApplied)
    }
  }

  /// Keeps the variables that hold secrets of these jobs from all children.
  func keepSecrets(of specs: [JobSpec]) {
    InheritedEnvironment.hideSecrets(of: specs)
  }

  /// Ends the watches and services, writes the output files, and waits a little for each; to be
  /// called when a stop is complete.
  func close() {
    watches.close()
    services.close(timeout: .seconds(5))
    files.close(timeout: .seconds(2))
    guardian?.stop()
    processes.close()
  }

  var processFigures: ProcessFigures { processes.figures }

  var startsProcesses: Bool { processes.isResponsive }

  /// Starts the jobs, continuing from the previous daemon.
  ///
  /// - Parameter onStarted: called when the jobs run.
  func start(
    _ snapshot: Snapshot, after previous: PreviousState = PreviousState(),
    onStarted: @escaping @Sendable () -> Void = {}
  ) {
    InheritedEnvironment.hideSecrets(of: snapshot.jobs, cluster: snapshot.settings.cluster)
    watches.begin(with: snapshot.jobs) { [scheduler, router] in
      scheduler.start(snapshot, after: previous, runner: router)
      // After the start in the scheduler's queue.
      scheduler.query({ _, _ in }, reply: onStarted)
    }
  }
}
