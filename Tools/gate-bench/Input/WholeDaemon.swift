import Dispatch
import Glibc
import TaktControl
import TaktCore
import TaktEngine
import TaktStore
import TaktSystem
import TaktTesting
import TaktTime
import TimerMachine
import TimerMachineTesting

/// The parts of `takt run` for commands: scheduler, processes, ledger and JSON log, without the
/// control socket. Time is virtual; the commands, the ledger's file and the log's file are real.
final class WholeDaemon {
  private let folder: TemporaryFolder
  private let timers = ManualTimerFactory()
  private let turns = TurnQueue(DispatchQueue(label: "takt.scheduler", qos: .userInitiated))
  private let ends: EndSignal
  private let log: LogWriter
  private let ledger: SQLiteLedger
  private let scheduler: Scheduler
  private let factory: CoalescingTimerFactory
  private let processes: ProcessRunner
  private static let patience = DispatchTimeInterval.seconds(60)

  /// A daemon that has started with these jobs.
  init(_ snapshot: Snapshot) throws {
    Signals.block()
    folder = TemporaryFolder()
    factory = CoalescingTimerFactory(queue: turns.queue, over: timers)
    log = try Self.log(in: folder, time: factory.time)
    ledger = try Self.ledger(in: folder, observer: log, time: factory.time)
    let hub = OutputHub(next: log)
    let books = ControlReadModel(
      next: CountingLedger(next: ledger), time: factory.time, onBegan: { hub.began($0) },
      onEnded: { hub.ended($0) })
    let observers = Observers([log, books])
    ends = EndSignal(next: books)
    let scheduler = Scheduler(
      turns: turns, factory: factory, ledger: ends, observer: observers, gauge: books, onFinish: {})
    self.scheduler = scheduler
    let reactor = try Reactor()
    let files = OutputFiles(sink: hub, time: factory.time)
    // Not by control groups, which not every machine has.
    processes = try ProcessRunner(
      reactor: reactor, sink: hub, time: factory.time, files: files, observer: observers,
      tracking: .sessions)
    let outbox = EventOutbox(on: reactor) { scheduler.send($0) }
    let commands = CommandRunner(processes: processes, ledger: ends, report: outbox.add)
    let builtins = BuiltinRunner(
      registry: .standard, observer: observers, time: factory.time, files: files,
      commands: commands
    ) { scheduler.send($0) }
    try processes.adoptOrphans()
    try Signals.receive(on: reactor) { [processes] number in
      if number == SIGCHLD { processes.reapOrphans() }
    }
    scheduler.start(
      snapshot, after: PreviousState(),
      runner: ActionRouter(commands: commands, builtins: builtins))
  }

  private static func log(in folder: TemporaryFolder, time: any TimeSource) throws -> LogWriter {
    let file = open("\(folder.path)/log.json", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw WorkloadFailure("no log: \(SystemError.text())") }
    return LogWriter(
      to: .descriptor(file), format: .json, level: nil, zone: .utc, isColoured: false, time: time)
  }

  private static func ledger(
    in folder: TemporaryFolder, observer: any Observer, time: any TimeSource
  ) throws -> SQLiteLedger {
    var bounds = SQLiteLedger.Bounds()
    bounds.checkAfter = .seconds(86_400)
    return try SQLiteLedger.open(
      in: StateFolderLock(folder: folder.path, holder: "gate"),
      writer: SQLiteLedger.Writer(instance: "gate", boot: "gate", version: "1", file: "jobs.yaml"),
      history: History(), bounds: bounds, zones: FixedZones(), observer: observer, time: time,
      onRenewed: {}
    ).ledger
  }

  /// Lets this time pass, in which one run is due, and waits for the end of that run.
  func pass(_ duration: Duration) throws {
    turns.turn { timers.advance(by: duration) }
    guard ends.arrival.wait(timeout: .now() + Self.patience) == .success else {
      throw WorkloadFailure("a run has not ended")
    }
  }

  /// Waits until the ledger has written all entries.
  func keep() throws {
    let kept = DispatchSemaphore(value: 0)
    ledger.whenKept { kept.signal() }
    guard kept.wait(timeout: .now() + Self.patience) == .success else {
      throw WorkloadFailure("the ledger was not written: \(ledger.status)")
    }
  }

  /// Writes the rest of the log.
  func closeLog() { log.close(timeout: .seconds(60)) }

  /// Compares the ledger with the slots of its schedules.
  func audit() throws -> LedgerAuditReport {
    try LedgerArchive(folder: folder.path).audit(zones: FixedZones())
  }

  func lines() throws -> [Substring] {
    guard let file = fopen("\(folder.path)/log.json", "r") else {
      throw WorkloadFailure("the log cannot be read")
    }
    defer { fclose(file) }
    var text: [UInt8] = []
    var part: [UInt8] = Array(repeating: 0, count: 65_536)
    while case let count = fread(&part, 1, part.count, file), count > 0 { text += part[..<count] }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
  }
}

/// Passes entries on, and signals each run's end.
private final class EndSignal: Ledger {
  let arrival = DispatchSemaphore(value: 0)
  private let next: any Ledger

  init(next: any Ledger) { self.next = next }

  func record(_ entries: [LedgerEntry]) {
    next.record(entries)
    for case .ended in entries { arrival.signal() }
  }

  func whenKept(_ done: @escaping @Sendable () -> Void) { next.whenKept(done) }
}
