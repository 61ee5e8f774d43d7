import Glibc
import TaktControl
import TaktCore
import TaktEngine
import TaktStore
import TaktSystem
import TaktTime
import TimerMachine

struct Control {
  private let server: ControlServer
  private let settings: SchedulerSettings
  /// The folder of takt's files; nil without a state folder.
  private let folder: String?
  private let keepsState: Bool
  private let file: String
  private let archive: OpenedArchive?
  private let observer: any Observer
  private let cluster: ClusterLink?

  init(
    settings: SchedulerSettings, source: JobsFileSource, state: State, engine: Engine,
    tally: CountingLedger, readModel: ControlReadModel, hub: OutputHub, reloader: Reloader,
    connections: ConnectionBudget, cluster: ClusterLink?, observer: any Observer
  ) {
    self.cluster = cluster
    self.settings = settings
    self.observer = observer
    file = source.absolutePath
    let (ledger, unkept, factory) = (state.ledger, state.unkept, engine.factory)
    self.folder = state.folder
    keepsState = state.isKept
    let folder = ledger == nil ? nil : state.folder
    archive = folder.map { OpenedArchive(folder: $0) }
    var ports = ControlPorts(
      scheduler: engine.scheduler, reload: reloader, once: reloader,
      archive: archive, output: hub, machines: Self.machines(settings, observer),
      catalogue: source.catalogue, readModel: readModel,
      facts: DaemonFacts(
        version: TaktVersion.current, pid: getpid(), started: factory.time.wall,
        file: file, givenFile: source.path, stateFolder: folder, tracking: engine.tracking),
      figures: {
        let timers = factory.statistics
        return DaemonFigures(
          wakes: timers.wakes, served: timers.served, verdictCounts: tally.verdictCounts,
          ledger: ledger.map { DaemonFigures.LedgerFigures($0.status) }
            ?? unkept.map { .unkept($0) },
          processes: DaemonFigures.ProcessFigures(
            engine.processFigures, isResponsive: engine.startsProcesses),
          stuckThreads: StuckThreads.count, stuckThreadsTotal: StuckThreads.total)
      })
    ports.log = { [observer] in observer.logMessage($0) }
    server = ControlServer(ports, connections: connections)
  }

  private static func machines(
    _ settings: SchedulerSettings, _ observer: any Observer
  ) -> ClusterMachines? {
    settings.cluster.map { cluster in
      let (reading, writing) = (cluster.apiTokenFile, cluster.apiWriteTokenFile)
      let files = [reading, writing].compactMap(\.self).joined(separator: " or ")
      let tokens = PatientWork.perform(
        thread: "takt-token",
        orLog: "in the cluster, the file system of \(files) does not respond: other machines "
          + "cannot be asked until takt is restarted"
      ) {
        ClusterTokens(
          readingFile: reading, writingFile: writing,
          onWarning: { observer.logMessage("in the cluster, \($0)", .warning) },
          onProblem: { observer.logMessage("in the cluster, \($0)", .error) })
      }
      return ClusterMachines(MachineRequests(), tokens: tokens ?? ClusterTokens())
    }
  }

  /// Listens; a failure is logged, and the jobs continue.
  func listen() {
    let place = folder.map { StateFolder.folder($0) } ?? .none
    // If the folder cannot be written, neither can a socket.
    let paths = SocketPlace.paths(state: keepsState ? place : .none, file: file)
    if let last = paths.last {
      server.listen(
        atFirstOf: paths,
        passing: { [observer] path, trouble in
          observer.logMessage("not listening at \(path): \(trouble.message)", .warning)
        }, done: Self.logging("the control socket is at", of: last, observer))
    } else {
      observer.logMessage(
        "no control socket, so commands such as `takt status` do not work: without a state folder, or "
          + "if it cannot be written or its path is too long, the socket needs an XDG_RUNTIME_DIR of takt's own user",
        .warning)
    }
    guard var http = settings.http else { return }
    // The other machines use that name in requests.
    if let host = cluster?.api?.hostName { http.names.append(host) }
    PageAddress.set(http.publicURL ?? http.pageURL)
    guard let token = http.tokenFile ?? folder.map({ "\($0)/token" }) else { return }
    let files = [
      token, http.operateTokenFile, http.readTokenFile, http.proxy?.secretFile,
    ].compactMap(\.self)
    let page = ControlServer.Place.network(http, tokenFile: token)
    let proxy = http.proxy.flatMap { proxy in
      proxy.socket.map { _ in ControlServer.Place.proxy(proxy, http, tokenFile: token) }
    }
    _ = PatientWork.perform(
      thread: "takt-token",
      orLog: "not listening at \(page) yet: the file system of \(files.joined(separator: " or ")) "
        + "does not respond; the jobs continue"
    ) { [server, observer] in
      Self.listen(server, at: page, "the web page is at", observer)
      if let proxy { Self.listen(server, at: proxy, "the proxy's socket is at", observer) }
    }
  }

  /// Ends queries about the past; to be called before the ledger is closed.
  func closeArchive() { archive?.close() }

  /// Closes the server, so that readers of events see the end.
  func close() { server.close() }

  private static func listen(
    _ server: ControlServer, at place: ControlServer.Place, _ words: String,
    _ observer: any Observer
  ) {
    server.listen(at: place, done: logging(words, of: "\(place)", observer))
  }

  private static func logging(
    _ words: String, of place: String, _ observer: any Observer
  ) -> @Sendable (Result<String, ControlError>) -> Void {
    { result in
      switch result {
      case .success(let address): observer.logMessage("\(words) \(address)")
      case .failure(let trouble):
        observer.logMessage(
          "not listening at \(place): \(trouble.message); the jobs continue", .error)
      }
    }
  }
}

extension ConnectionBudget {
  /// The descriptors that the runs leave.
  convenience init(_ settings: SchedulerSettings) {
    self.init(
      descriptors: ResourceLimits.spareDescriptors(maxRunning: settings.maxRunning))
  }

  /// Called after a reload, which may have changed the number of runs.
  func adopt(_ settings: SchedulerSettings) {
    set(descriptors: ResourceLimits.spareDescriptors(maxRunning: settings.maxRunning))
  }
}

extension DaemonFigures.LedgerFigures {
  fileprivate init(_ status: SQLiteLedger.Status) {
    self.init(
      queued: status.queued, lostEntries: status.lostEntries, isFailing: status.failure != nil,
      words: "\(status)")
  }
}

extension DaemonFigures.ProcessFigures {
  fileprivate init(_ figures: TaktEngine.ProcessFigures, isResponsive: Bool) {
    self.init(
      isResponsive: isResponsive, stuckNow: figures.stuckNow, stuck: figures.stuck,
      released: figures.released, unrelated: figures.unrelated)
  }
}
