import Dispatch
import Glibc
import Synchronization
import TaktControl
import TaktCore
import TaktEngine
import TaktStore
import TaktTime
import TimerMachine

/// The composition of the daemon: the one place where the modules meet.
struct Daemon {
  struct LogOptions {
    var destination: LogDestination
    var format: LogFormat
    var level: LogLevel?
    var isColoured: Bool

    fileprivate func writer(zone: Zone, time: any TimeSource) -> LogWriter {
      LogWriter(
        to: destination, format: format, level: level, zone: zone, isColoured: isColoured,
        time: time)
    }
  }

  private let writer: LogWriter
  private let observers: Observers
  private let engine: Engine
  private let tally: CountingLedger
  private let state: State
  /// The first messages in the log, on limits of this machine and on its cluster.
  private let warnings: [String]
  private let control: Control
  private let cluster: ClusterLink?
  private let supervision: Supervision?
  private let watch = Watch()
  private let zoneWatch: LocalZoneWatch?
  private let once: OnceJobs
  private let containers: ContainerLink?
  private let labelled: ContainerJobs
  private let reloader: Reloader
  private let stopped = DispatchSemaphore(value: 0)

  /// Puts it together and handles signals from now on; `run` starts the jobs.
  ///
  /// - Parameters:
  ///   - files: the files of the snapshot.
  ///   - isWatching: true to reload when they change.
  init(
    snapshot: Snapshot, source: JobsFileSource, files: FilesRead, isWatching: Bool,
    log: LogOptions
  ) throws {
    let settings = snapshot.settings
    var state = try State(settings, file: source.path)
    // Before the first thread: takt hangs if the system refuses one later.
    let shortage = try ResourceLimits.check(
      maxRunning: settings.maxRunning, hasCluster: settings.cluster != nil)
    let joining = try ClusterLink.open(settings)
    cluster = joining?.link
    warnings = [shortage, joining?.note, snapshot.degradedClasses()].compactMap(\.self)
    let time = SystemTimeSource()
    LocalZone.set(settings.zone)
    writer = log.writer(zone: settings.zone, time: time)
    let opening = Opening(of: writer, at: time.wall)
    // The ledger is made before the scheduler, to which it may send events.
    let scheduling = Scheduling()
    try Self.closing(writer) {
      try state.open(
        settings, file: source.path, observer: opening, time: time,
        onRenewed: { scheduling.scheduler.withLock { $0 }?.send(.ledgerRenewed) })
    }
    self.state = state
    opening.write()
    tally = CountingLedger(next: state.ledger)
    let hub = OutputHub(next: writer)
    let readModel = ControlReadModel(
      next: tally, time: time, settings: settings.metrics, onBegan: hub.began, onEnded: hub.ended)
    readModel.observe(opening.line)
    observers = Observers([writer, readModel, HeapKeeper()])
    engine = try Engine(
      observer: observers, sink: hub, ledger: readModel, gauge: readModel, cluster: cluster,
      farewell: ClusterLink.farewell(for: source.absolutePath)
    ) { [stopped] in stopped.signal() }
    scheduling.scheduler.withLock { [engine] in $0 = engine.scheduler }
    supervision = Supervision(engine)
    once = state.onceJobs(from: source, beside: snapshot, observer: observers, at: time.wall)
    containers = ContainerLink(settings, on: engine, observer: observers)
    let whole = once.added(to: snapshot)
    labelled = containers?.jobs(beside: whole, from: source) ?? ContainerJobs()
    let connections = ConnectionBudget(settings)
    let reloader = Reloader(
      current: labelled.added(to: whole), once: once, containers: labelled, files: files,
      watchedPaths: isWatching ? files.paths : [], source: source, observer: observers,
      ledger: readModel, time: engine.factory.time,
      apply: { [engine, supervision] in Self.apply($0, to: engine, connections, supervision) },
      onBegin: { [supervision] in supervision?.reloading() },
      onRefused: { [supervision] in supervision?.ready(isRefused: true) },
      onLoaded: { [watch] in watch.watcher?.watch($0) }, onDone: { readModel.apply($0) })
    self.reloader = reloader
    control = Control(
      settings: settings, source: source, state: state, engine: engine, tally: tally,
      readModel: readModel, hub: hub, reloader: reloader, connections: connections,
      cluster: cluster, observer: observers)
    zoneWatch = LocalZoneWatch(on: engine, observer: observers) { reloader.reload(cause: $0) }
    if isWatching { try watch.begin(files, on: engine, observer: observers, reloader) }
    try receiveSignals(reloader)
  }

  /// Writes all log records, also if the program ends here.
  private static func closing(_ writer: LogWriter, ifFails body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      writer.close(timeout: .seconds(2))
      throw error
    }
  }

  private static func apply(
    _ plan: ReloadPlan, to engine: Engine, _ connections: ConnectionBudget,
    _ supervision: Supervision?
  ) {
    connections.adopt(plan.settings)
    LocalZone.set(plan.settings.zone)
    let count = plan.snapshot.jobs.count
    engine.apply(plan) {
      supervision?.ready()
      Heap.giveBack(after: count)
    }
  }

  /// The number of stop requests. The third one kills the active runs; if takt still hangs, it ends
  /// a little later, or at once on the next request.
  private final class StopCount: Sendable {
    private static let last = 3
    private static let patience = SchedulerCore.abandonAfter + .seconds(5)
    private let count = Mutex(0)

    func add(_ stops: Int) {
      let (before, total) = count.withLock { count in
        defer { count += stops }
        return (count, count + stops)
      }
      guard total >= Self.last else { return }
      if before < Self.last { LastResort.end(after: Self.patience) } else { LastResort.end() }
    }
  }

  /// The first line of every daemon's log, by which `takt verify` tells its machines from those of
  /// previous daemons. It is written once the state folder is this daemon's, and before records of
  /// the ledger.
  private final class Opening: Observer {
    let line: LogRecord
    private let next: any Observer
    private let isWritten = Mutex(false)

    init(of next: any Observer, at wall: WallInstant) {
      self.next = next
      line = LogRecord(
        at: wall, .notice, .scheduler,
        [
          LogField(.message, .text("takt \(TaktVersion.current), pid \(getpid())")),
          LogField(.pid, .number(Int64(getpid()))),
        ])
    }

    func write() {
      // Within the lock, so that no other thread's record comes first.
      isWritten.withLock { isWritten in
        if !isWritten { next.observe(line) }
        isWritten = true
      }
    }

    func observe(_ records: [LogRecord]) {
      write()
      next.observe(records)
    }

    func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool {
      next.wants(level, routine: isRoutine)
    }
  }

  /// Set after the ledger, which may send the scheduler events.
  private final class Scheduling: Sendable {
    let scheduler = Mutex<Scheduler?>(nil)
  }

  /// The watcher exists only with `--watch`, and the reloader before it.
  ///
  /// `@unchecked Sendable`: set once, before the first request to the reloader.
  private final class Watch: @unchecked Sendable {
    var watcher: FileWatcher?

    func begin(
      _ files: FilesRead, on engine: Engine, observer: any Observer, _ reloader: Reloader
    ) throws {
      let watcher = try FileWatcher(
        reactor: engine.reactor, factory: engine.factory, timerLog: engine.timerLog,
        onChange: { reloader.reload(cause: "watch") },
        onError: { observer.logMessage($0, .warning) })
      self.watcher = watcher
      watcher.watch(files)
    }
  }

  private func receiveSignals(_ reloader: Reloader) throws {
    let stops = StopCount()
    try engine.receiveSignals {
      [scheduler = engine.scheduler, ledger = state.ledger, observers, supervision] number in
      switch number {
      case SIGHUP, SIGUSR2: reloader.reload(cause: "SIG\(Signals.name(of: number))")
      case SIGUSR1:
        scheduler.send(.dumpStatus)
        if let ledger { observers.logMessage("\(ledger.status)", .notice, .ledger) }
      case SIGQUIT:
        // At once, like two other signals.
        supervision?.stopping()
        scheduler.send(.stop)
        scheduler.send(.stop)
        stops.add(2)
      case SIGTERM, SIGINT:
        supervision?.stopping()
        scheduler.send(.stop)
        stops.add(1)
      default:
        observers.logMessage("signal \(Signals.name(of: number)) ignored", .notice)
      }
    }
  }

  /// Starts the jobs of the snapshot from `init`, and returns when a stop is complete.
  ///
  /// The snapshot is consumed: a reload replaces it.
  func run(_ snapshot: consuming Snapshot) {
    observers.logMessage("Processes of a run are tracked by \(engine.tracking).", .info)
    for warning in warnings { observers.logMessage(warning, .warning) }
    control.listen()
    let whole = labelled.added(to: once.added(to: consume snapshot))
    let count = whole.jobs.count
    engine.start(whole, after: state.handover.pop()) { [supervision, containers, reloader] in
      supervision?.ready()
      containers?.follow { reloader.update(containers: $0) }
      Heap.giveBack(after: count)
    }
    stopped.wait()
    watch.watcher?.close()
    zoneWatch?.close()
    containers?.close()
    engine.close()
    cluster?.close()
    supervision?.end()
    control.closeArchive()
    state.ledger?.close(timeout: .seconds(10))
    let timers = engine.factory.statistics
    writer.logTransitionCount("timers: \(timers.served) served in \(timers.wakes) wakes")
    observers.logMessage("\(tally.verdictCounts)")
    control.close()
    writer.close(timeout: .seconds(2))
  }
}

extension Observer {
  func logMessage(_ message: String, _ level: LogLevel = .notice, _ event: LogEvent = .scheduler) {
    observe(
      LogRecord(
        at: SystemTimeSource().wall, level, event, [LogField(.message, .text(message))]))
  }
}
