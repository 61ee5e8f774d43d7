import Foundation
import Synchronization
import TaktTesting
import TaktTime

@testable import TaktCore

/// A ledger that writes all at once, or nothing between `hang` and `recover`.
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

  /// From now on nothing is written, until `recover`.
  func hang() { waiting.withLock { $0 = [] } }

  /// The number of callers that wait for their entries to be written.
  var waiterCount: Int { waiting.withLock { $0?.count ?? 0 } }

  func recover() {
    let done = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting ?? []
    }
    for done in done { done() }
  }
}

/// Keeps the names of jobs that run once.
final class MemoryOnce: OnceControl {
  private let jobs = Mutex<[JobName]>([])

  func add(_ job: OnceJob, isNamed: Bool, reply: @escaping @Sendable (OnceReply) -> Void) {
    jobs.withLock { $0.append(job.name) }
    reply(.added(job.name))
  }

  func remove(_ name: JobName, reply: @escaping @Sendable (Bool) -> Void) {
    reply(
      jobs.withLock { jobs in
        defer { jobs.removeAll { $0 == name } }
        return jobs.contains(name)
      })
  }
}

/// A jobs file with results that a test sets.
final class MemoryReload: ReloadControl {
  private struct State {
    var report = MemoryReload.applied(from: [], to: [])
    var last: ReloadReport?
    var causes: [String] = []
    var texts: [[UInt8]] = []
    var changed: [String] = []
    var labels: [Diagnostic] = []
  }

  private let state = Mutex(State())

  /// From now on these files differ from the running jobs.
  func change(_ paths: String...) { state.withLock { $0.changed = paths } }

  /// From now on these labels are refused.
  func refuse(_ labels: [Diagnostic]) { state.withLock { $0.labels = labels } }
  var labelProblems: [Diagnostic] { state.withLock { $0.labels } }

  func changedFiles(reply: @escaping @Sendable ([String]) -> Void) {
    reply(state.withLock { $0.changed })
  }

  /// The causes of reloads, and the planned texts.
  var causes: [String] { state.withLock { $0.causes } }
  var texts: [[UInt8]] { state.withLock { $0.texts } }
  var lastReport: ReloadReport? { state.withLock { $0.last } }

  /// Sets the result of the next plan or reload.
  func set(_ report: ReloadReport) { state.withLock { $0.report = report } }

  func reload(cause: String, reply: @escaping @Sendable (ReloadReport) -> Void) {
    reply(
      state.withLock { state in
        state.causes.append(cause)
        state.last = state.report
        return state.report
      })
  }

  func plan(
    text: [UInt8], isRemote: Bool, reply: @escaping @Sendable (ReloadReport) -> Void
  ) {
    reply(
      state.withLock { state in
        state.texts.append(text)
        return state.report
      })
  }

  func plan(reply: @escaping @Sendable (ReloadReport) -> Void) {
    reply(state.withLock { $0.report })
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

/// An archive without a file.
final class MemoryArchive: RunArchive {
  private struct State {
    var runs: [StoredRun]
    var outputs: [RunID: [StoredOutput]] = [:]
    var trouble: String?
    var verdicts: [VerdictRecord] = []
    var absences: [DaemonAbsence] = []
  }

  private let state: Mutex<State>

  init(_ runs: [StoredRun] = []) { state = Mutex(State(runs: runs)) }

  func keep(_ text: String, of run: UInt64, attempt: Int = 1, dropped: Int = 0) {
    keep(KeptOutput(head: Array(text.utf8), droppedBytes: dropped), of: run, attempt: attempt)
  }

  func keep(_ kept: KeptOutput, of run: UInt64, attempt: Int) {
    let output = StoredOutput(attempt: attempt, output: kept)
    state.withLock { $0.outputs[RunID(run), default: []].append(output) }
  }

  /// From now on nothing can be read.
  func fail(_ trouble: String) { state.withLock { $0.trouble = trouble } }

  func runs(_ query: RunQuery) throws(ArchiveError) -> [StoredRun] {
    let all = try readable().runs.filter(query.wants).sorted { $0.head.run > $1.head.run }
    return Array(all.prefix(query.limit))
  }

  func run(_ number: RunID) throws(ArchiveError) -> StoredRun? {
    try readable().runs.first { $0.head.run == number }
  }

  func outputs(of number: RunID) throws(ArchiveError) -> [StoredOutput] {
    try readable().outputs[number] ?? []
  }

  /// Adds verdicts, for the timeline.
  func decide(_ records: [VerdictRecord]) { state.withLock { $0.verdicts += records } }

  func verdicts(_ query: VerdictQuery) throws(ArchiveError) -> [VerdictRecord] {
    try readable().verdicts.reversed().filter { record in
      (query.jobs?.contains(record.job) ?? true) && record.slots.last >= query.since
        && record.at < query.before && (query.until.map { record.slots.first < $0 } ?? true)
    }
  }

  /// Adds a time without a daemon.
  func leave(_ absence: DaemonAbsence) { state.withLock { $0.absences.append(absence) } }

  func absences(
    from first: WallInstant, to last: WallInstant
  ) throws(ArchiveError) -> [DaemonAbsence] {
    try readable().absences.filter { $0.from <= last && $0.to ?? last >= first }
  }

  private func readable() throws(ArchiveError) -> State {
    let state = self.state.withLock { $0 }
    if let trouble = state.trouble { throw ArchiveError(trouble) }
    return state
  }
}

/// The output of runs, as a test prints it.
final class MemoryOutput: LiveOutput {
  private struct State {
    var printed: [RunID: KeptOutput] = [:]
    var followers: [LiveOutputUse: @Sendable (LiveOutputEvent) -> Void] = [:]
    var lastUse: UInt64 = 0
  }

  private let state = Mutex(State())
  private let left = DispatchSemaphore(value: 0)

  /// The followers of all runs.
  var followerCount: Int { state.withLock { $0.followers.count } }

  func begin(_ run: RunID) { state.withLock { $0.printed[run] = KeptOutput() } }

  func print(_ text: String, by run: RunID) {
    let bytes = Array(text.utf8)
    let followers = state.withLock { state in
      if let before = state.printed[run] {
        state.printed[run] = KeptOutput(head: before.head + bytes)
      }
      return state.followers.filter { $0.key.run == run }.map(\.value)
    }
    for deliver in followers {
      deliver(.bytes(bytes, OutputMark(stream: .stdout, at: ControlWorld.wall, attempt: 1)))
    }
  }

  func end(_ run: RunID) {
    let followers = state.withLock { state in
      state.printed[run] = nil
      return state.followers.filter { $0.key.run == run }.map(\.value)
    }
    for deliver in followers { deliver(.end) }
  }

  /// Waits until a follower has left.
  func awaitLeave() -> Bool { left.wait(timeout: .now() + 60) == .success }

  func follow(
    _ run: RunID, deliver: @escaping @Sendable (LiveOutputEvent) -> Void
  ) -> LiveOutputUse? {
    let (use, before) = state.withLock { state -> (LiveOutputUse?, KeptOutput?) in
      guard let before = state.printed[run] else { return (nil, nil) }
      state.lastUse += 1
      let use = LiveOutputUse(run: run, number: state.lastUse)
      state.followers[use] = deliver
      return (use, before)
    }
    if let before { deliver(.before(before)) }
    return use
  }

  func unfollow(_ use: LiveOutputUse) {
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
    return kinds.map {
      ParameterSchema($0.0, $0.1, reaches: .nothing, isRequired: false, summary: "A \($0.0).")
    }
  }

  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] {
    guard case .integer(let number)? = parameters["even"], number % 2 == 1 else { return [] }
    return [ParameterProblem("even", "\(number) is odd")]
  }

  func traits(of action: String, with parameters: Parameters) -> ActionTraits { [] }
}
