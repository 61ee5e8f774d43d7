import Dispatch
import Glibc
import Synchronization
import TaktCore
import TaktEngine
import TaktSystem
import TaktTime

/// One run of one job without a daemon: the same core, in the foreground, until the run and its
/// hooks are over.
final class SingleRun {
  private let fork: Fork
  private let engine: Engine
  private let ledger = EndLedger()
  private let spec: JobSpec
  private let settings: SchedulerSettings
  private let others: [JobSpec]
  private let stopped = DispatchSemaphore(value: 0)

  /// Keeps the end of the run, and then lets the scheduler stop: hooks still run.
  private final class EndLedger: Ledger {
    private struct State {
      var end: RunEnd?
      var isInterrupted = false
      var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func whenEnded(_ stop: @escaping @Sendable () -> Void) {
      state.withLock { $0.stop = stop }
    }

    func record(_ entries: [LedgerEntry]) {
      for case .ended(let run) in entries where run.head.kind != .hook {
        state.withLock {
          $0.end = run.end
          // An interrupt has already stopped the scheduler.
          return $0.isInterrupted ? nil : $0.stop
        }?()
      }
    }

    func whenKept(_ done: @escaping @Sendable () -> Void) {}

    /// Called for a stop request. Returns the number of stops to send: an interrupted run must not
    /// be waited for, which one stop alone would do.
    func interrupt() -> Int {
      state.withLock { state in
        defer { state.isInterrupted = true }
        return state.end == nil && !state.isInterrupted ? 2 : 1
      }
    }

    var end: RunEnd? { state.withLock { $0.end } }
  }

  /// Puts it together; nothing runs yet.
  ///
  /// - Parameters:
  ///   - snapshot: The jobs file: its settings apply to the run, and secrets of its other jobs are
  ///     hidden from it.
  ///   - tap: Gets the conversation between takt and a plugin.
  init(
    of spec: JobSpec, in snapshot: Snapshot, level: LogLevel, tap: PluginTap? = nil
  ) throws(SystemError) {
    var settings = snapshot.settings
    ServiceManager.forget()
    _ = try ResourceLimits.check(maxRunning: settings.maxRunning)
    var alone = spec
    alone.timing = Timing(schedule: Schedule())
    self.spec = alone
    others = snapshot.jobs
    // Hooks may use all of their time.
    settings.shutdownGrace = max(settings.shutdownGrace, SchedulerCore.hookTimeout)
    self.settings = settings
    LocalZone.set(settings.zone)
    fork = try Fork(settings: settings, level: level)
    engine = try Engine(
      observer: fork, sink: fork, passThrough: fork.passThrough, tap: tap, ledger: ledger
    ) { [stopped] in stopped.signal() }
    try engine.receiveSignals { [engine, fork, ledger] number in
      guard [SIGTERM, SIGINT, SIGQUIT].contains(number) else { return }
      for _ in 0..<ledger.interrupt() { engine.scheduler.send(.stop) }
      fork.passThrough.hurry()
    }
  }

  /// The error while the run's output was written; nil if all was written, or the reader is gone.
  var outputFailure: String? { fork.passThrough.failure }

  /// Runs the job and returns the end of the run; nil if it was stopped before its start.
  func end(for slot: WallInstant?) -> RunEnd? {
    ledger.whenEnded { [engine] in engine.scheduler.send(.stop) }
    engine.keepSecrets(of: others)
    engine.start(Snapshot(settings: settings, jobs: [spec]))
    engine.scheduler.send(.commanded(.trigger(spec.name, slot: slot)))
    stopped.wait()
    engine.close()
    fork.close()
    return ledger.end
  }
}

/// Passes on the output of commands unchanged, lines of built-ins as lines; takt's own messages on
/// the run go to standard error.
private final class Fork: Observer, OutputSink {
  let passThrough: PassThrough
  private let log: LogWriter

  init(settings: SchedulerSettings, level: LogLevel) throws(SystemError) {
    passThrough = try PassThrough(stdout: STDOUT_FILENO, stderr: STDERR_FILENO)
    log = LogWriter(
      to: .descriptor(STDERR_FILENO), format: .text, level: level, zone: settings.zone,
      isColoured: isatty(STDERR_FILENO) == 1 && Console.isColoured, time: SystemTimeSource(),
      showsDays: false)
  }

  func observe(_ records: [LogRecord]) {
    var remarks: [LogRecord] = []
    for record in records {
      if record.event == .output, case .text(let line) = record[.line] {
        passThrough.line(Array(line.utf8))
      } else if record.event == .run || record.level >= .warning {
        remarks.append(record)
      }
    }
    log.observe(remarks)
  }

  var hasRoom: Bool { log.hasRoom }

  func output(_ fields: [LogField]) { log.output(fields) }

  func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    log.record(level, event, fields)
  }

  func drop(lines: Int) { log.drop(lines: lines) }

  /// Waits for readers of the run's output, and briefly for those of the log.
  func close() {
    passThrough.close()
    log.close(timeout: .seconds(2))
  }
}
