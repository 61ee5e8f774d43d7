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
  private let engine: Engine
  private let ledger = MemoryLedger()
  private let snapshot: Snapshot
  private let warning: String?
  private let stopped = DispatchSemaphore(value: 0)

  /// Puts it together and answers signals from now on; `run` starts the jobs.
  ///
  /// - Parameter watchedPaths: files whose change reloads; nil for a daemon that does not watch.
  init(
    snapshot: Snapshot, source: JobsFileSource, watchedPaths: [String]?, log: LogOptions
  ) throws(SystemError) {
    self.snapshot = snapshot
    warning = try ResourceLimits.check(maxRunning: snapshot.settings.maxRunning)
    let writer = try LogWriter(
      descriptor: STDOUT_FILENO, format: log.format, level: log.level,
      zone: snapshot.settings.zone, isColoured: log.isColoured, time: SystemTimeSource())
    self.writer = writer
    let engine = try Engine(observer: writer, sink: writer, ledger: ledger) { [stopped] in
      stopped.signal()
    }
    self.engine = engine

    let scheduler = engine.scheduler
    let watch = Watch()
    let reloader = Reloader(
      current: snapshot, watchedPaths: watchedPaths ?? [], source: source, observer: writer,
      time: engine.factory.time,
      apply: { engine.apply($0) }, onLoaded: { watch.watcher?.watch($0) })
    if let watchedPaths {
      let watcher = try FileWatcher(reactor: engine.reactor, factory: engine.factory) {
        reloader.reload(cause: "watch")
      }
      watch.watcher = watcher
      watcher.watch(watchedPaths)
    }
    try engine.receiveSignals { number in
      switch number {
      case SIGHUP: reloader.reload(cause: "SIGHUP")
      case SIGUSR1: scheduler.send(.dumpStatus)
      case SIGQUIT:
        // At once: as two other signals.
        scheduler.send(.stop)
        scheduler.send(.stop)
      default: scheduler.send(.stop)
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
    if let degraded = snapshot.degradedClasses() { log(degraded, .warning) }
    engine.start(snapshot)
    stopped.wait()
    engine.close()
    let timers = engine.factory.statistics
    log("timers: \(timers.served) served in \(timers.wakes) wakes")
    log("books: \(ledger.balance)")
    writer.close(timeout: .seconds(2))
  }

  private func log(_ message: String, _ level: LogLevel = .notice) {
    writer.observe(
      LogRecord(
        at: engine.factory.time.wall, level, .scheduler, [LogField(.message, .text(message))]))
  }
}
