import TaktConfig
import TaktCore
import TaktEngine
import TaktTesting
import TaktTime

/// Jobs whose ledger holds rows of each kind, and daemons that run them in virtual time.
struct KeptDay {
  static let boot = "this"
  static let jobs = ["often", "nightly", "single", "after", "paused"]

  private static let file = """
    jobs:
      often: {every: 10s, run: x, retry: {attempts: 3, delay: 1m}, timeout: 1h}
      nightly: {cron: "*/5 * * * *", timezone: Europe/Berlin, run: x, delivery: at_least_once}
      single: {at: 2026-09-21T16:01:00Z, run: x}
      after: {after: {job: often}, run: x, missed: {policy: all}}
      paused: {every: 1m, run: x, overlap: queue, missed: {policy: last}}
    """

  let snapshot: Snapshot

  init() throws {
    let loader = JobsLoader(
      catalogue: BuiltinRegistry.standard, zones: FixedZones(), accounts: FixedAccounts(),
      time: FixedTime(), userID: 1000, refusesWritableByOthers: false)
    let loaded = loader.load(path: "/nowhere/jobs.yaml", text: Array(Self.file.utf8))
    guard let snapshot = loaded.snapshot else {
      throw ScratchFolder.Failure(text: loaded.diagnostics.map(\.text).joined(separator: "\n"))
    }
    self.snapshot = snapshot
  }

  /// The entries of a daemon that starts after `previous` and performs up to `wakes` wakes. Each
  /// second run fails.
  ///
  /// - Returns: the entries for its ledger.
  func entries(after previous: PreviousState, wakes: Int) -> [LedgerEntry] {
    var scheduler = VirtualScheduler(at: FixedTime.start)
    var entries: [LedgerEntry] = []
    var events: [SchedulerEvent] = [.started(snapshot, after: previous)]
    for _ in 0..<wakes {
      while let event = events.popLast() {
        for effect in scheduler.send(event) {
          switch effect {
          case .record(let entry): entries.append(entry)
          case .awaitLedger(let run): events.append(.kept(run))
          case .start(let request):
            let status: Int32 = request.run.number % 2 == 0 ? 1 : 0
            scheduler.setEnd(
              of: request.run, .attempt(.exited(status)),
              at: scheduler.now.monotonic + .milliseconds(40))
          default: break
          }
        }
      }
      let end = scheduler.now.monotonic + .seconds(86_400)
      guard let due = scheduler.next(until: end) else { break }
      events = due.map(\.event).reversed()
    }
    return entries
  }

  /// Entries that no virtual run makes.
  static func rareEntries(after entries: [LedgerEntry]) throws -> [LedgerEntry] {
    let process = ProcessIdentity(
      pid: 4711, sinceTicks: 100, untilTicks: 101, mark: "mark", controlGroup: "/takt/one")
    let use = ResourceUse(userMicroseconds: 5, memoryPeakBytes: 1 << 20)
    let output = KeptOutput(head: Array("begin".utf8), tail: Array("end".utf8), droppedBytes: 9)
    guard let once = JobName("once"), let run = entries.lazy.compactMap(\.beginning).last else {
      throw ScratchFolder.Failure(text: "the day has no run")
    }
    return [
      .process(run, process), .attemptUse(run, attempt: 1, Shared(use)),
      .attemptOutput(run, attempt: 1, output, at: FixedTime.wall), .service(1, process),
      .rare(.clockStepped(at: FixedTime.wall, by: .seconds(-5))),
      .ranUnclaimed(UnclaimedRun(once, FixedTime.wall, askedAs: MemberID(7))),
      .reloaded(ReloadRecord(at: FixedTime.wall, kept: 3, lines: ["rearmed often"])),
      .once(OnceJob(name: once, text: #"{"run":"x"}"#, at: FixedTime.wall + .seconds(300))),
    ]
  }
}

extension LedgerEntry {
  /// The run that starts with it; nil if none does.
  fileprivate var beginning: RunID? {
    switch self {
    case .began(let beginning), .claimed(let beginning): beginning.head.run
    default: nil
    }
  }
}
