import Foundation
import Glibc
import Synchronization
import TaktTime

@testable import TaktControl
@testable import TaktCore

/// The control of a daemon that consists of a scheduler in virtual time and ports in memory, on a
/// real socket in a folder of its own.
final class ControlWorld: Sendable {
  /// 2026-09-21T14:13:20Z
  static let wall = WallInstant(milliseconds: 1_790_000_000_000)

  struct Failure: Error { var message: String }

  let clock = WorldClock(
    Now(wall: ControlWorld.wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)))
  let ledger = MemoryLedger()
  let readModel: ControlReadModel
  let scheduler: WorldScheduler
  let reload = MemoryReload()
  let output = MemoryOutput()
  let connections: ConnectionBudget
  let server: ControlServer
  let folder: String
  let jobs: [JobSpec]

  var socket: String { folder + "/control.sock" }
  var tokenFile: String { folder + "/token" }

  /// The token that may do all.
  func token() throws -> String { try Self.token(in: tokenFile) }

  /// The token in a file that the server made.
  static func token(in path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  /// A world that runs these jobs.
  ///
  /// - Parameters:
  ///   - archive: the runs of the ledger; nil for a daemon without one.
  ///   - cluster: its facts for other machines; nil for none.
  ///   - machines: the way to other machines; nil for none.
  ///   - isStarted: false for a scheduler that has no jobs yet.
  init(
    _ jobs: [JobSpec] = [], settings: SchedulerSettings = SchedulerSettings(),
    archive: (any RunArchive)? = MemoryArchive(), cluster: MemberFacts? = nil,
    machines: ClusterMachines? = nil, isStarted: Bool = true, descriptors: Int = 300,
    catalogue: any ActionCatalogue = MemoryCatalogue(),
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    self.jobs = jobs
    folder = NSTemporaryDirectory() + "takt-control-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    readModel = ControlReadModel(
      next: ledger, time: clock, settings: settings.metrics,
      onBegan: { [output] in output.begin($0) }, onEnded: { [output] in output.end($0) })
    scheduler = WorldScheduler(clock: clock, readModel: readModel, cluster: cluster)
    connections = ConnectionBudget(descriptors: descriptors)
    let figures = Figures()
    self.figures = figures
    var ports = ControlPorts(
      scheduler: scheduler, reload: reload, once: MemoryOnce(), archive: archive, output: output,
      machines: machines,
      catalogue: catalogue, readModel: readModel,
      facts: DaemonFacts(
        version: "9.9.9", pid: 4711, started: Self.wall, file: "/srv/jobs.yaml",
        givenFile: "jobs.yaml", stateFolder: folder, tracking: "cgroup v2 (delegated)"),
      figures: { figures.value.withLock { $0 } })
    ports.log = log
    server = ControlServer(ports, connections: connections)
    if isStarted { scheduler.send(.started(Snapshot(settings: settings, jobs: jobs))) }
    _ = try await listen(at: .socket(path: socket))
  }

  deinit {
    server.shutDown()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private final class Figures: Sendable {
    let value = Mutex(
      DaemonFigures(
        wakes: 3, served: 7, verdictCounts: VerdictCounts(),
        ledger: .init(queued: 0, lostEntries: 0, isFailing: false, words: "the ledger is fine"),
        processes: .init()))
  }

  private let figures: Figures

  /// Changes the figures that others count.
  func setFigures(_ change: (inout DaemonFigures) -> Void) {
    figures.value.withLock { change(&$0) }
  }

  /// Listens at another place. Returns its address.
  func listen(at place: ControlServer.Place) async throws -> String {
    let result = await withCheckedContinuation { continuation in
      server.listen(at: place) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Listens on a free TCP port, which is returned.
  ///
  /// - Parameters:
  ///   - readTokenFile: the file of the token that may only read; nil for none.
  ///   - operateTokenFile: the file of the token that may also operate; nil for none.
  ///   - publicURL: the public address of the page; nil for the address itself.
  func listenOnNetwork(
    names: [String] = [], readTokenFile: String? = nil, operateTokenFile: String? = nil,
    publicURL: String? = nil
  ) async throws -> UInt16 {
    var settings = HTTPSettings(host: "127.0.0.1", port: 0, names: names)
    settings.readTokenFile = readTokenFile
    settings.operateTokenFile = operateTokenFile
    settings.publicURL = publicURL
    let address = try await listen(at: .network(settings, tokenFile: tokenFile))
    return UInt16(address.split(separator: ":").last ?? "") ?? 0
  }

  /// A connection to the socket, for requests that no client would send.
  func connect() throws -> Wire { try Wire(socket: socket, of: self) }

  /// One request over the socket, and its whole answer.
  func ask(
    _ method: String, _ target: String, _ body: String? = nil, headers: [String] = []
  ) throws -> Reply {
    let wire = try connect()
    wire.send(method, target, body.map { Array($0.utf8) }, headers)
    return try wire.reply(isHead: method == "HEAD")
  }

  /// The answer to `GET`.
  func get(_ target: String, headers: [String] = []) throws -> Reply {
    try ask("GET", target, headers: headers)
  }

  /// The answer to `POST`.
  func post(_ target: String, _ body: String = "") throws -> Reply {
    try ask("POST", target, body)
  }

  func trigger(_ job: String) throws -> RunID {
    let reply = try post("/api/v1/jobs/\(job)/trigger")
    guard let number = reply["run"] as? Int else { throw Failure(message: reply.text) }
    return RunID(UInt64(number))
  }
}

// MARK: Values that tests make

extension StoredRun {
  /// A run that has ended, as a ledger keeps it: begun `ago` before the world starts.
  static func kept(
    _ number: UInt64, _ job: String, _ outcome: Outcome = .succeeded, ago: Duration = .seconds(60),
    took: Duration = .seconds(1), attempts: Int = 1, kind: RunHead.Kind = .slot,
    parent: UInt64? = nil
  ) -> StoredRun {
    guard let name = JobName(job) else { preconditionFailure("no name: \(job)") }
    let began = ControlWorld.wall + (.zero - ago)
    return StoredRun(
      RunHead(
        run: RunID(number), job: name, slot: began, kind: kind,
        hook: kind == .hook ? .onFailure : nil, parent: parent.map { RunID($0) }),
      beganAt: began, endedAt: began + took, duration: took, attempts: attempts,
      end: RunEnd(outcome, .exit(outcome == .succeeded ? 0 : 1)))
  }
}

extension JobSpec {
  /// A job that runs at this interval, or only when it is triggered.
  static func named(
    _ name: String, every: Duration? = .seconds(60), action: Action = .shell("true"),
    overlap: Overlap = .skip, tags: [String] = [], summary: String? = nil, isEnabled: Bool = true
  ) throws -> JobSpec {
    guard let job = JobName(name) else { throw ControlWorld.Failure(message: "no name: \(name)") }
    var schedule = Schedule()
    if let every { schedule = Schedule(every: Every(every)) }
    var timing = Timing(schedule: schedule)
    timing.isEnabled = isEnabled
    var spec = JobSpec(
      name: job, timing: timing, action: action, overlap: overlap, summary: summary)
    spec.tags = tags
    return spec
  }
}
