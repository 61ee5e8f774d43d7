import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import TaktCore
import TaktEngine
import TaktStore
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
  private let tally: TallyLedger
  private let state: State
  private let snapshot: Snapshot
  private let warning: String?
  private let stopped = DispatchSemaphore(value: 0)

  /// Puts it together and answers signals from now on; `run` starts the jobs.
  ///
  /// - Parameter watchedPaths: files whose change reloads; nil for a daemon that does not watch.
  init(
    snapshot: Snapshot, source: JobsFileSource, watchedPaths: [String]?, log: LogOptions
  ) throws {
    var state = try State(snapshot.settings, file: source.path)
    self.snapshot = snapshot
    warning = try ResourceLimits.check(maxRunning: snapshot.settings.maxRunning)
    let writer = try LogWriter(
      descriptor: STDOUT_FILENO, format: log.format, level: log.level,
      zone: snapshot.settings.zone, isColoured: log.isColoured, time: SystemTimeSource())
    self.writer = writer
    // The ledger is there before the scheduler that it may want to hear from.
    let scheduling = Scheduling()
    do {
      try state.open(
        snapshot.settings, file: source.path, observer: writer, time: SystemTimeSource(),
        onRenewed: { scheduling.scheduler.withLock { $0 }?.send(.ledgerRenewed) })
    } catch {
      writer.close(timeout: .seconds(2))
      throw error
    }
    self.state = state
    let tally = TallyLedger(next: state.ledger)
    self.tally = tally
    let engine = try Engine(observer: writer, sink: writer, ledger: tally) { [stopped] in
      stopped.signal()
    }
    self.engine = engine
    scheduling.scheduler.withLock { $0 = engine.scheduler }

    let scheduler = engine.scheduler
    let watch = Watch()
    let reloader = Reloader(
      current: snapshot, watchedPaths: watchedPaths ?? [], source: source, observer: writer,
      ledger: tally, time: engine.factory.time,
      apply: { engine.apply($0) }, onLoaded: { watch.watcher?.watch($0) })
    if let watchedPaths {
      let watcher = try FileWatcher(reactor: engine.reactor, factory: engine.factory) {
        reloader.reload(cause: "watch")
      }
      watch.watcher = watcher
      watcher.watch(watchedPaths)
    }
    let ledger = state.ledger
    try engine.receiveSignals { number in
      switch number {
      case SIGHUP: reloader.reload(cause: "SIGHUP")
      case SIGUSR1:
        scheduler.send(.dumpStatus)
        if let ledger { Self.tell("\(ledger.status)", .notice, .ledger, writer) }
      case SIGQUIT:
        // At once: as two other signals.
        scheduler.send(.stop)
        scheduler.send(.stop)
      default: scheduler.send(.stop)
      }
    }
  }

  /// The scheduler comes after the ledger that may want to tell it something.
  private final class Scheduling: Sendable {
    let scheduler = Mutex<Scheduler?>(nil)
  }

  /// The watcher exists only with `--watch`, and the reloader before it.
  private final class Watch: @unchecked Sendable {
    // Set once, before the reloader is asked for anything.
    var watcher: FileWatcher?
  }

  /// Starts the jobs and returns when a stop is complete.
  func run() {
    writer.observe(
      LogRecord(
        at: engine.factory.time.wall, .notice, .scheduler,
        [
          LogField(.message, .text("takt \(Takt.configuration.version), pid \(getpid())")),
          LogField(.pid, .number(Int64(getpid()))),
        ]))
    if let warning { log(warning, .warning) }
    if let degraded = snapshot.degradedClasses() { log(degraded, .warning) }
    engine.start(snapshot, after: state.findings.former)
    stopped.wait()
    engine.close()
    state.ledger?.close(timeout: .seconds(10))
    let timers = engine.factory.statistics
    log("timers: \(timers.served) served in \(timers.wakes) wakes")
    log("books: \(tally.balance)")
    writer.close(timeout: .seconds(2))
  }

  private func log(_ message: String, _ level: LogLevel = .notice) {
    Self.tell(message, level, .scheduler, writer)
  }

  private static func tell(
    _ message: String, _ level: LogLevel, _ event: LogEvent, _ writer: LogWriter
  ) {
    writer.observe(
      LogRecord(
        at: SystemTimeSource().wall, level, event, [LogField(.message, .text(message))]))
  }
}
