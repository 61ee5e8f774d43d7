import ArgumentParser
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

struct RunsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List runs that the ledger has, the newest first.",
    discussion: "Exits 64 when the ledger knows no job of this name.")

  @Argument(help: "A job's name. (default: all jobs)")
  var job: String?

  @Flag(help: "Only runs that failed, timed out or were interrupted.")
  var failed = false

  @Flag(help: "Hooks as well.")
  var hooks = false

  @Option(help: "Only runs of the last while, such as 90m or 1d.")
  var since: String?

  @Option(name: .short, help: "How many runs at most.")
  var number = 50

  @Flag(help: "A JSON object a line.")
  var json = false

  @OptionGroup var state: StateArgument

  func validate() throws {
    guard (1...1_000_000).contains(number) else {
      throw ValidationError("-n takes a number from 1 to 1000000.")
    }
  }

  func run() throws {
    let start = try since.map(Moment.ago)
    let (archive, zone) = try state.open()
    if let job { try archive.requireJob(job) }
    var query = RunQuery()
    query.job = job
    query.failedOnly = failed
    query.since = start
    query.withHooks = hooks
    query.limit = number
    let runs = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.runs(query)
    }
    if json {
      for run in runs { Console.print(RunLine(run).jsonLine) }
      return
    }
    let rows = runs.map { RunLine($0).columns(in: zone) }
    Table(
      titles: ["RUN", "JOB", "SLOT", "BEGAN", "TOOK", "TRIES", "OUTCOME", "REASON"], rows: rows
    ).print()
    if runs.isEmpty { Console.error("takt: no runs") }
  }
}

/// A moment that a person names by how long ago it was.
enum Moment {
  static func ago(_ text: String) throws -> WallInstant {
    guard let duration = try? DurationText.parse(text) else {
      throw ValidationError("--since takes a duration such as 90m or 1d.")
    }
    return SystemTimeSource().wall - duration
  }
}

extension LedgerArchive {
  /// Ends the program when the ledger knows no such job.
  func hasJob(_ name: String) throws -> Bool {
    try orExit { (archive) throws(LedgerArchive.Failure) in try archive.jobNames() }.contains(name)
  }

  func requireJob(_ name: String) throws {
    let names = try orExit { (archive) throws(LedgerArchive.Failure) in try archive.jobNames() }
    guard !names.contains(name) else { return }
    Console.error(
      "takt: the ledger knows no job '\(name.printable)'"
        + (NearestName.of(name, among: names).map { "; did you mean '\($0)'?" } ?? ""))
    throw ExitCode.usage
  }
}

/// A run as `takt runs` shows it.
struct RunLine: Encodable {
  var run: UInt64
  var job: String
  var slot: String
  var kind: String
  var hook: String?
  var parent: UInt64?
  var began: String?
  var ended: String?
  var duration_ms: Double?
  var attempts: Int
  var outcome: String?
  var reason: String?

  private let stored: StoredRun

  private enum CodingKeys: String, CodingKey {
    case run, job, slot, kind, hook, parent, began, ended, duration_ms, attempts, outcome, reason
  }

  init(_ run: StoredRun) {
    stored = run
    self.run = run.run.number
    job = run.job
    slot = run.slot.rfc3339()
    kind = run.kind
    hook = run.hook
    parent = run.parent?.number
    began = run.beganAt?.rfc3339()
    ended = run.endedAt?.rfc3339()
    duration_ms = run.duration.map { Double($0.nanosecondsSaturated) / 1_000_000 }
    attempts = run.attempts
    outcome = run.outcome
    reason = run.reason
  }

  func columns(in zone: Zone) -> [String] {
    [
      String(run), job + (hook.map { " (\($0))" } ?? ""), stored.slot.rfc3339(in: zone),
      stored.beganAt.map { $0.rfc3339(in: zone) } ?? "-",
      outcome == nil
        ? "-" : stored.duration.map { DurationText.format(.milliseconds($0.milliseconds)) } ?? "-",
      String(attempts), outcome ?? (began == nil ? "waiting" : "running"),
      (reason ?? "").printable,
    ]
  }
}
