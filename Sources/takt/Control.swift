import ArgumentParser
import Glibc
import TaktControl
import TaktCore
import TaktEngine
import TaktStore

/// What answers those who steer this takt and look at it.
struct Control {
  private let server: ControlServer
  private let settings: SchedulerSettings
  private let file: String
  private let observer: any Observer

  init(
    settings: SchedulerSettings, source: JobsFileSource, state: State, engine: Engine,
    tally: TallyLedger, books: ControlBooks, hub: OutputHub, reloader: Reloader,
    observer: any Observer
  ) {
    self.settings = settings
    self.observer = observer
    file = source.absolutePath
    let (ledger, factory) = (state.ledger, engine.factory)
    let folder = ledger == nil ? nil : settings.state?.path
    server = ControlServer(
      ControlPorts(
        scheduler: engine.scheduler, reload: reloader,
        archive: folder.map { OpenedArchive(folder: $0) }, output: hub,
        catalogue: source.catalogue, books: books,
        facts: DaemonFacts(
          version: Takt.configuration.version, pid: getpid(), started: factory.time.wall,
          file: file, givenFile: source.path, stateFolder: folder),
        figures: {
          let timers = factory.statistics
          return DaemonFigures(
            wakes: timers.wakes, served: timers.served, balance: tally.balance,
            ledger: ledger.map { LedgerFigures($0.status) },
            stuckThreads: StuckWork.count, stuckThreadsTotal: StuckWork.total)
        }))
  }

  /// Listens; where that is not possible, the log says so, and the jobs go on.
  func listen() {
    if let path = SocketPlace.path(state: settings.state ?? .none, file: file) {
      listen(at: .socket(path: path), "commands reach this takt at")
    } else {
      observer.tell(
        "no commands reach this takt: without a state folder, or with one whose path is too long, "
          + "its socket needs XDG_RUNTIME_DIR", .warning)
    }
    guard let http = settings.http else { return }
    guard let token = http.tokenFile ?? settings.state?.path.map({ "\($0)/token" }) else { return }
    listen(at: .network(http, tokenFile: token), "the web page is at")
  }

  /// Lets those who read events see the end.
  func close() { server.close() }

  private func listen(at place: ControlServer.Place, _ words: String) {
    server.listen(at: place) { [observer] result in
      switch result {
      case .success(let address): observer.tell("\(words) \(address)")
      case .failure(let trouble):
        observer.tell("not listening at \(place): \(trouble.message); jobs go on", .error)
      }
    }
  }
}

extension StateFolder {
  /// The folder's path; nil for none.
  var path: String? { if case .folder(let path) = self { path } else { nil } }
}

extension DaemonFigures.LedgerFigures {
  fileprivate init(_ status: SQLiteLedger.Status) {
    self.init(
      queued: status.queued, lostEntries: status.lostEntries, isFailing: status.failure != nil,
      words: "\(status)")
  }
}

private typealias LedgerFigures = DaemonFigures.LedgerFigures
