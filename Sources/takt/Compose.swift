import Dispatch
import Glibc
import TaktCore
import TaktEngine
import TimerMachine

/// The whole of takt put together: the one place where the modules meet.
struct Daemon {
  struct LogOptions {
    var format: LogFormat
    var level: LogLevel
    var isColoured: Bool
  }

  private let writer: LogWriter
  private let scheduler: Scheduler
  private let ledger = MemoryLedger()
  private let snapshot: Snapshot
  private let warning: String?
  private let router: ActionRouter
  private let stopped = DispatchSemaphore(value: 0)
  private let factory: CoalescingTimerFactory
  private let clockWatcher: ClockStepWatcher

  /// Puts it together and answers signals from now on; `run` starts the jobs.
  ///
  /// - Parameter watchedPaths: files whose change reloads; nil for a daemon that does not watch.
  init(
    snapshot: Snapshot, source: JobsFileSource, watchedPaths: [String]?, log: LogOptions
  ) throws(SystemError) {
    self.snapshot = snapshot
    warning = try ResourceLimits.check(maxRunning: snapshot.settings.maxRunning)
    // Above the jobs' classes, so that none of them makes a slot late.
    let queue = DispatchQueue(label: "takt.scheduler", qos: .userInitiated)
    let factory = CoalescingTimerFactory(queue: queue)
    self.factory = factory
    writer = try LogWriter(
      descriptor: STDOUT_FILENO, format: log.format, level: log.level,
      zone: snapshot.settings.zone, isColoured: log.isColoured, time: factory.time)
    scheduler = Scheduler(
      queue: queue, factory: factory, ledger: ledger, observer: writer
    ) { [stopped] in stopped.signal() }

    let report: @Sendable (SchedulerEvent) -> Void = { [scheduler] in scheduler.send($0) }
    let reactor = try Reactor()
    let processes = ProcessRunner(reactor: reactor, sink: writer, report: report)
    let builtins = BuiltinRunner(
      registry: .standard, observer: writer, time: factory.time
    ) { [scheduler] in scheduler.send($0) }
    router = ActionRouter(processes: processes, builtins: builtins)
    clockWatcher = ClockStepWatcher(queue: queue) { report(.clockStepped) }

    let watch = Watch()
    let reloader = Reloader(
      current: snapshot, watchedPaths: watchedPaths ?? [], source: source, observer: writer,
      time: factory.time,
      apply: { report(.reloaded($0)) }, onLoaded: { watch.watcher?.watch($0) })
    if let watchedPaths {
      let watcher = try FileWatcher(reactor: reactor, factory: factory) {
        reloader.reload(cause: "watch")
      }
      watch.watcher = watcher
      watcher.watch(watchedPaths)
    }
    try ProcessRunner.adoptOrphans()
    try Signals.receive(on: reactor) { number in
      switch number {
      case SIGHUP: reloader.reload(cause: "SIGHUP")
      case SIGCHLD: processes.reapOrphans()
      case SIGUSR1: report(.dumpStatus)
      default: report(.stop)
      }
    }
  }

  /// The watcher exists only with `--watch`, and the reloader before it.
  private final class Watch: @unchecked Sendable {
    // Set once, before the reloader is asked for anything.
    var watcher: FileWatcher?
  }

  /// Starts the jobs and returns when a stop is complete.
  func run() {
    log("takt \(Takt.configuration.version), pid \(getpid())")
    if let warning { log(warning, .warning) }
    scheduler.start(snapshot, runner: router)
    stopped.wait()
    let timers = factory.statistics
    log("timers: \(timers.served) served in \(timers.wakes) wakes")
    log("books: \(ledger.balance)")
    writer.close(timeout: .seconds(2))
    withExtendedLifetime(clockWatcher) {}
  }

  private func log(_ message: String, _ level: LogLevel = .notice) {
    writer.observe(
      LogRecord(
        at: factory.time.wall, level, .scheduler, [LogField(.message, .text(message))]))
  }
}
