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

  let clock = WorldClock()
  let ledger = MemoryLedger()
  let books: ControlBooks
  let scheduler: VirtualScheduler
  let reload = MemoryReload()
  let output = MemoryOutput()
  let connections: ConnectionBudget
  let server: ControlServer
  let folder: String
  /// What the description of a job, and of what it takes, says in this world.
  let jobs: [JobSpec]

  var socket: String { folder + "/control.sock" }
  var tokenFile: String { folder + "/token" }

  /// A world in which these jobs are served.
  ///
  /// - Parameters:
  ///   - archive: what is kept of runs; nil for a daemon without a ledger.
  ///   - isStarted: false for a scheduler that has no jobs yet.
  init(
    _ jobs: [JobSpec] = [], settings: SchedulerSettings = SchedulerSettings(),
    archive: (any RunArchive)? = MemoryArchive(), isStarted: Bool = true, descriptors: Int = 300
  ) async throws {
    self.jobs = jobs
    folder = NSTemporaryDirectory() + "takt-control-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    books = ControlBooks(
      next: ledger, time: clock, onBegan: { [output] in output.begin($0) },
      onEnded: { [output] in output.end($0) })
    scheduler = VirtualScheduler(clock: clock, books: books)
    connections = ConnectionBudget(descriptors: descriptors)
    let figures = Figures()
    self.figures = figures
    server = ControlServer(
      ControlPorts(
        scheduler: scheduler, reload: reload, archive: archive, output: output,
        catalogue: MemoryCatalogue(), books: books,
        facts: DaemonFacts(
          version: "9.9.9", pid: 4711, started: Self.wall, file: "/srv/jobs.yaml",
          givenFile: "jobs.yaml", stateFolder: folder, tracking: "cgroup v2 (delegated)"),
        figures: { figures.value.withLock { $0 } }),
      connections: connections)
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
        wakes: 3, served: 7, balance: Balance(),
        ledger: .init(queued: 0, lostEntries: 0, isFailing: false, words: "the ledger is fine"),
        processes: .init()))
  }

  private let figures: Figures

  /// Changes what others count.
  func setFigures(_ change: (inout DaemonFigures) -> Void) {
    figures.value.withLock { change(&$0) }
  }

  /// Listens at another place. Returns the address that it goes by.
  func listen(at place: ControlServer.Place) async throws -> String {
    let result = await withCheckedContinuation { continuation in
      server.listen(at: place) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Listens on a free TCP port, which is returned.
  func listenOnNetwork(names: [String] = []) async throws -> UInt16 {
    let address = try await listen(
      at: .network(HTTPSettings(host: "127.0.0.1", port: 0, names: names), tokenFile: tokenFile))
    return UInt16(address.split(separator: ":").last ?? "") ?? 0
  }

  /// A connection to the socket, for what no client would send.
  func connect() throws -> Wire { try Wire(socket: socket, of: self) }

  /// One request by the socket, and its whole answer.
  func ask(
    _ method: String, _ target: String, _ body: String? = nil, headers: [String] = []
  ) throws -> Reply {
    let wire = try connect()
    wire.send(method, target, body.map { Array($0.utf8) }, headers)
    return try wire.reply()
  }

  /// What `GET` answers.
  func get(_ target: String, headers: [String] = []) throws -> Reply {
    try ask("GET", target, headers: headers)
  }

  /// What `POST` answers.
  func post(_ target: String, _ body: String = "") throws -> Reply {
    try ask("POST", target, body)
  }

  /// Triggers a job. Returns the run.
  func trigger(_ job: String) throws -> RunID {
    let reply = try post("/api/v1/jobs/\(job)/trigger")
    guard let number = reply["run"] as? Int else { throw Failure(message: reply.text) }
    return RunID(UInt64(number))
  }
}

// MARK: Values that tests make

extension StoredRun {
  /// A run that has ended, as a ledger keeps it: begun `ago` before the world begins.
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
  /// A job that runs every so often, or only when somebody triggers it.
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

// MARK: Ports in memory

/// Both clocks of a world; they stand until somebody moves them.
final class WorldClock: TimeSource {
  private let state = Mutex(
    Now(wall: ControlWorld.wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000)))

  var now: Now { state.withLock { $0 } }
  var wall: WallInstant { now.wall }
  var monotonic: MonotonicInstant { now.monotonic }

  func move(by step: Duration) {
    state.withLock { $0 = Now(wall: $0.wall + step, monotonic: $0.monotonic + step) }
  }
}

/// The real core in virtual time, on a queue of its own. Attempts end when a test says so.
final class VirtualScheduler: SchedulerControl {
  private struct State {
    var core = SchedulerCore()
    var timers: [TimerKey: (deadline: MonotonicInstant, token: UInt64)] = [:]
    var requests: [AttemptRequest] = []
    var isSilent = false
    var unanswered: [@Sendable () -> Void] = []
  }

  private let clock: WorldClock
  private let books: ControlBooks
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "test.scheduler")

  init(clock: WorldClock, books: ControlBooks) {
    self.clock = clock
    self.books = books
  }

  /// What attempts were started with, the oldest first.
  var requests: [AttemptRequest] { state.withLock { $0.requests } }

  /// From now on nobody is answered; what is asked waits until `speak`.
  func fallSilent() { state.withLock { $0.isSilent = true } }

  func speak() {
    let unanswered = state.withLock { state in
      defer { (state.isSilent, state.unanswered) = (false, []) }
      return state.unanswered
    }
    for answer in unanswered { answer() }
  }

  /// Something happens to the scheduler.
  func send(_ event: SchedulerEvent) { queue.sync { handle(event) } }

  /// The attempt of a run ends so.
  func end(_ run: RunID, _ result: AttemptResult = .exited(0), printed text: String = "") {
    queue.sync { finish(run, result, KeptOutput(head: Array(text.utf8))) }
  }

  /// Lets time go on, and what is due happen.
  func pass(_ duration: Duration) {
    let end = clock.monotonic + duration
    while let (key, timer) = state.withLock({ state in
      state.timers.min { $0.value.deadline < $1.value.deadline }.flatMap { timer in
        timer.value.deadline <= end ? timer : nil
      }
    }) {
      clock.move(by: max(.zero, timer.deadline - clock.monotonic))
      state.withLock { $0.timers[key] = nil }
      send(.timerFired(key, token: timer.token))
    }
    clock.move(by: max(.zero, end - clock.monotonic))
  }

  func obey(
    _ command: SchedulerCommand, reply: @escaping @Sendable (SchedulerReply) -> Void
  ) {
    queue.async { [self] in
      let now = clock.now
      let (answer, effects) = state.withLock { $0.core.obey(command, at: now) }
      perform(effects)
      reply(answer)
    }
  }

  func look<Sight: Sendable>(
    _ question: @escaping @Sendable (SchedulerCore, Now) -> Sight,
    reply: @escaping @Sendable (Sight) -> Void
  ) {
    queue.async { [self] in
      let core: SchedulerCore? = state.withLock { state in
        guard state.isSilent else { return state.core }
        state.unanswered.append { [weak self] in self?.look(question, reply: reply) }
        return nil
      }
      if let core { reply(question(core, clock.now)) }
    }
  }

  private func handle(_ event: SchedulerEvent) {
    let now = clock.now
    perform(state.withLock { $0.core.handle(event, at: now) })
  }

  private func finish(_ run: RunID, _ result: AttemptResult, _ kept: KeptOutput = KeptOutput()) {
    let facts = OutputFacts(stdoutBytes: kept.head.count, kept: kept)
    handle(.attemptEnded(run, AttemptReport(result, output: facts)))
  }

  private func perform(_ effects: [SchedulerEffect]) {
    var next: [() -> Void] = []
    for effect in effects {
      switch effect {
      case .arm(let key, let deadline, _, let token):
        state.withLock { $0.timers[key] = (deadline, token) }
      case .disarm(let key): state.withLock { $0.timers[key] = nil }
      case .start(let request): state.withLock { $0.requests.append(request) }
      case .record(let entry): books.record(entry)
      case .served(let start): books.served(start)
      case .log(let record): books.observe(record)
      // A process that is told to end does so at once.
      case .signal(let run, let signal):
        next.append { self.finish(run, .signalled(signal == .kill ? 9 : 15)) }
      case .awaitLedger(let run): next.append { self.handle(.kept(run)) }
      case .finish: break
      }
    }
    for next in next { next() }
  }
}

/// A ledger that keeps all at once, or nothing until it is told.
final class MemoryLedger: Ledger {
  private let waiting = Mutex<[@Sendable () -> Void]?>(nil)

  func record(_ entries: [LedgerEntry]) {}

  func whenKept(_ done: @escaping @Sendable () -> Void) {
    let waits = waiting.withLock { waiting in
      waiting?.append(done)
      return waiting != nil
    }
    if !waits { done() }
  }

  /// From now on nothing is kept, until `recover`.
  func hang() { waiting.withLock { $0 = [] } }

  func recover() {
    let done = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting ?? []
    }
    for done in done { done() }
  }
}

/// A jobs file that says what a test wants.
final class MemoryReload: ReloadControl {
  private struct State {
    var report = MemoryReload.applied(from: [], to: [])
    var last: ReloadReport?
    var causes: [String] = []
    var texts: [[UInt8]] = []
  }

  private let state = Mutex(State())

  /// Why it was reloaded, and what was planned.
  var causes: [String] { state.withLock { $0.causes } }
  var texts: [[UInt8]] { state.withLock { $0.texts } }
  var lastReport: ReloadReport? { state.withLock { $0.last } }

  /// What the next plan or reload comes to.
  func set(_ report: ReloadReport) { state.withLock { $0.report = report } }

  func reload(cause: String, reply: @escaping @Sendable (ReloadReport) -> Void) {
    reply(
      state.withLock { state in
        state.causes.append(cause)
        state.last = state.report
        return state.report
      })
  }

  func plan(text: [UInt8], reply: @escaping @Sendable (ReloadReport) -> Void) {
    reply(
      state.withLock { state in
        state.texts.append(text)
        return state.report
      })
  }

  static func applied(
    from old: [JobSpec], to new: [JobSpec], settings: [String] = [],
    diagnostics: [Diagnostic] = []
  ) -> ReloadReport {
    ReloadReport(
      at: ControlWorld.wall, plan: ReloadPlan(from: Snapshot(jobs: old), to: Snapshot(jobs: new)),
      settings: settings, diagnostics: diagnostics)
  }

  static func refused(_ diagnostics: Diagnostic...) -> ReloadReport {
    ReloadReport(at: ControlWorld.wall, plan: nil, settings: [], diagnostics: diagnostics)
  }
}

/// What is kept of runs, without a file.
final class MemoryArchive: RunArchive {
  private struct State {
    var runs: [StoredRun]
    var outputs: [RunID: [StoredOutput]] = [:]
    var trouble: String?
  }

  private let state: Mutex<State>

  init(_ runs: [StoredRun] = []) { state = Mutex(State(runs: runs)) }

  func keep(_ text: String, of run: UInt64, attempt: Int = 1, dropped: Int = 0) {
    let output = StoredOutput(
      attempt: attempt, output: KeptOutput(head: Array(text.utf8), droppedBytes: dropped))
    state.withLock { $0.outputs[RunID(run), default: []].append(output) }
  }

  /// From now on nothing can be read.
  func fail(_ trouble: String) { state.withLock { $0.trouble = trouble } }

  func runs(_ query: RunQuery) throws(ArchiveTrouble) -> [StoredRun] {
    let all = try readable().runs.filter(query.wants).sorted { $0.head.run > $1.head.run }
    return Array(all.prefix(query.limit))
  }

  func run(_ number: RunID) throws(ArchiveTrouble) -> StoredRun? {
    try readable().runs.first { $0.head.run == number }
  }

  func outputs(of number: RunID) throws(ArchiveTrouble) -> [StoredOutput] {
    try readable().outputs[number] ?? []
  }

  private func readable() throws(ArchiveTrouble) -> State {
    let state = self.state.withLock { $0 }
    if let trouble = state.trouble { throw ArchiveTrouble(trouble) }
    return state
  }
}

/// What runs print while a test lets them.
final class MemoryOutput: LiveOutput {
  private struct State {
    var printed: [RunID: KeptOutput] = [:]
    var followers: [LiveOutputUse: @Sendable (LiveOutputEvent) -> Void] = [:]
    var lastUse: UInt64 = 0
  }

  private let state = Mutex(State())
  private let left = DispatchSemaphore(value: 0)

  /// How many follow a run.
  var followerCount: Int { state.withLock { $0.followers.count } }

  func begin(_ run: RunID) { state.withLock { $0.printed[run] = KeptOutput() } }

  func print(_ text: String, by run: RunID) {
    let bytes = Array(text.utf8)
    let followers = state.withLock { state in
      state.printed[run]?.head += bytes
      return state.followers.filter { $0.key.run == run }.map(\.value)
    }
    for take in followers { take(.bytes(bytes)) }
  }

  func end(_ run: RunID) {
    let followers = state.withLock { state in
      state.printed[run] = nil
      return state.followers.filter { $0.key.run == run }.map(\.value)
    }
    for take in followers { take(.end) }
  }

  /// Waits until a follower has left.
  func awaitLeave() -> Bool { left.wait(timeout: .now() + 60) == .success }

  func follow(
    _ run: RunID, take: @escaping @Sendable (LiveOutputEvent) -> Void
  ) -> LiveOutputUse? {
    let (use, before) = state.withLock { state -> (LiveOutputUse?, KeptOutput?) in
      guard let before = state.printed[run] else { return (nil, nil) }
      state.lastUse += 1
      let use = LiveOutputUse(run: run, number: state.lastUse)
      state.followers[use] = take
      return (use, before)
    }
    if let before { take(.before(before)) }
    return use
  }

  func leave(_ use: LiveOutputUse) {
    if state.withLock({ $0.followers.removeValue(forKey: use) }) != nil { left.signal() }
  }
}

/// One action with a parameter of each kind; `even` refuses odd numbers.
struct MemoryCatalogue: ActionCatalogue {
  let actionNames = ["every-kind"]

  func parameters(of action: String) -> [ParameterSchema]? {
    guard action == "every-kind" else { return nil }
    let kinds: [(String, ParameterSchema.Kind)] = [
      ("text", .string), ("word", .choice(["red", "green"])), ("path", .path),
      ("even", .integer(0...10)), ("ratio", .number(0...1)), ("flag", .boolean),
      ("wait", .duration(least: .seconds(1))), ("bytes", .size), ("share", .percent),
      ("items", .list(.integer(1...3))), ("table", .map(.string)),
    ]
    return kinds.map { ParameterSchema($0.0, $0.1, isRequired: false, summary: "A \($0.0).") }
  }

  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] {
    guard case .integer(let number)? = parameters["even"], number % 2 == 1 else { return [] }
    return [ParameterProblem("even", "\(number) is odd")]
  }

  func traits(of action: String, with parameters: Parameters) -> ActionTraits { [] }
}
