import Dispatch
import Glibc
import Synchronization
import TaktCore
import TaktEngine
import TimerMachine

/// One run of one job without a daemon: the same core, in the foreground, until the run and its
/// hooks are over.
final class SingleRun {
  private let fork: Fork
  private let engine: Engine
  private let books = Books()
  private let spec: JobSpec
  private let settings: SchedulerSettings
  private let stopped = DispatchSemaphore(value: 0)

  /// Keeps how the run ended, and then lets the scheduler stop: hooks are still done.
  private final class Books: Ledger {
    private let state = Mutex<(end: RunEnd?, stop: (@Sendable () -> Void)?)>((nil, nil))

    func whenEnded(_ stop: @escaping @Sendable () -> Void) {
      state.withLock { $0.stop = stop }
    }

    func record(_ record: VerdictRecord) {}

    func record(_ run: RunRecord) {
      guard run.hook == nil else { return }
      state.withLock {
        $0.end = run.end
        return $0.stop
      }?()
    }

    var end: RunEnd? { state.withLock { $0.end } }
  }

  /// Puts it together; nothing runs yet.
  init(of spec: JobSpec, settings: SchedulerSettings, level: LogLevel) throws(SystemError) {
    _ = try ResourceLimits.check(maxRunning: settings.maxRunning)
    var alone = spec
    alone.timing = Timing(schedule: Schedule())
    self.spec = alone
    self.settings = settings
    fork = try Fork(settings: settings, level: level)
    engine = try Engine(
      observer: fork, sink: fork, ledger: books
    ) { [stopped] in stopped.signal() }
    try engine.receiveSignals { [engine] number in
      if number == SIGTERM || number == SIGINT { engine.scheduler.send(.stop) }
    }
  }

  /// Runs the job and returns how the run ended; nil when it was stopped before it began.
  func end(for slot: WallInstant?) -> RunEnd? {
    books.whenEnded { [engine] in engine.scheduler.send(.stop) }
    engine.start(Snapshot(settings: settings, jobs: [spec]))
    engine.scheduler.send(.triggered(spec.name, slot: slot))
    stopped.wait()
    engine.close()
    fork.close()
    return books.end
  }
}

/// What the run prints goes where the run has printed it, what is said about it to standard error.
private final class Fork: Observer, OutputSink {
  private let output: LogWriter
  private let errors: LogWriter
  private let log: LogWriter

  init(settings: SchedulerSettings, level: LogLevel) throws(SystemError) {
    let time = SystemTimeSource()
    func writer(_ descriptor: Int32, _ format: LogFormat) throws(SystemError) -> LogWriter {
      try LogWriter(
        descriptor: descriptor, format: format, level: format == .raw ? .debug : level,
        zone: settings.zone, isColoured: isatty(descriptor) == 1 && Console.isColoured, time: time)
    }
    output = try writer(STDOUT_FILENO, .raw)
    errors = try writer(STDERR_FILENO, .raw)
    log = try writer(STDERR_FILENO, .text)
  }

  func observe(_ records: [LogRecord]) {
    output.observe(records)
    log.observe(records.filter { $0.event == .run })
  }

  var hasRoom: Bool { output.hasRoom && errors.hasRoom }

  func output(_ fields: [LogField]) {
    let isError = fields.contains(LogField(.stream, .text("stderr")))
    (isError ? errors : output).output(fields)
  }

  func drop(lines: Int) { output.drop(lines: lines) }

  /// Waits for readers, longer for what the run has printed than for what is said about it.
  func close() {
    output.close(timeout: .seconds(60))
    errors.close(timeout: .seconds(2))
    log.close(timeout: .seconds(2))
  }
}
