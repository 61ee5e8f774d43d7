import ArgumentParser
import TaktAPI
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

struct RunsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List runs, newest first.",
    discussion: """
      With --stats, prints a line for each job instead: how many runs ended, the share that \
      succeeded (cancelled ones left out), and for durations and for lateness the median and the \
      value that 95 % do not exceed. Exits with 64 if the ledger has no such job.

      With --cluster or --on, a running daemon asks the machines of its cluster.
      """)

  @Argument(help: "The job's name. (default: all jobs)", completion: JobCompletion.kind)
  var job: String?

  @Flag(help: "List only runs that failed, timed out or were interrupted.")
  var failed = false

  @Flag(help: "Include hooks.")
  var hooks = false

  @Option(help: "List only runs since then: 90m, 1d, 18:00, 'yesterday 06:00' or 2026-12-24T18:00.")
  var since: String?

  @Option(name: .short, help: "The maximum number of runs.")
  var number = 50

  @Flag(help: "Show processor time, peak memory and the parameters of triggers, too.")
  var long = false

  @Flag(help: "Show success rate, durations and lateness by job.")
  var stats = false

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var machines: MachineArgument

  @OptionGroup var state: StateArgument

  func validate() throws {
    if stats, failed || hooks || long {
      throw ValidationError("--stats cannot be combined with --failed, --hooks or --long.")
    }
    guard (1...1_000_000).contains(number) else {
      throw ValidationError("-n takes a number from 1 to 1000000.")
    }
  }

  func run() throws {
    if machines.isGiven {
      let zone = state.control.zone
      let runs = ClusterRuns(
        job: job, failed: failed, hooks: hooks,
        since: try since.map { try InstantArgument.since($0, in: zone) }, number: number,
        machine: machines.on, long: long)
      return try runs.show(json: json, try state.control.connect())
    }
    let (archive, zone) = try state.open()
    if stats {
      return try RunStatisticsTable(
        archive: archive, job: try job.map { try state.requireJob($0, in: archive) },
        since: try since.map { try InstantArgument.since($0, in: zone) }
      ).print(json: json)
    }
    var query = RunQuery()
    query.job = try job.map { try state.requireJob($0, in: archive) }
    query.failedOnly = failed
    query.since = try since.map { try InstantArgument.since($0, in: zone) }
    query.withHooks = hooks
    query.limit = number
    let runs = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.runs(query)
    }
    if json {
      for run in runs { Console.printJSON(API.Run(run).json) }
      return
    }
    // Few runs have any.
    let hasParameters = long && runs.contains { $0.parameters != nil }
    let rows = runs.map { run in
      let line = RunLine(run)
      return line.columns(in: zone, long: long) + (hasParameters ? [line.parameters] : [])
    }
    let titles = RunLine.titles(long: long) + (hasParameters ? ["PARAMETERS"] : [])
    Console.print(titles: titles, rows: rows)
    if runs.isEmpty { Console.error("takt: no runs") }
  }
}

/// A run as `takt runs` shows it.
struct RunLine {
  private let run: StoredRun

  init(_ run: StoredRun) { self.run = run }

  /// What the trigger set: `month=2026-05`; empty for nothing.
  var parameters: String { run.parameters?.value.words.printable ?? "" }

  /// - Parameter long: with what the runs have used.
  static func titles(long: Bool) -> [String] {
    ["RUN", "JOB", "SLOT", "BEGAN", "TOOK"] + (long ? ["CPU", "MEMORY"] : [])
      + ["TRIES", "OUTCOME", "REASON"]
  }

  func columns(in zone: Zone, long: Bool) -> [String] {
    let (head, end) = (run.head, run.end)
    let columns = [
      String(head.run.number), head.job.text + (head.hook.map { " (\($0.rawValue))" } ?? ""),
      head.slot.rfc3339(in: zone), run.beganAt.map { $0.rfc3339(in: zone) } ?? "-",
      end == nil
        ? "-" : run.duration.map(DurationText.brief) ?? "-",
    ]
    let used = [
      run.use.map { DurationText.brief($0.cpu) } ?? "-",
      run.use?.memoryPeakBytes.map(SizeText.brief) ?? "-",
    ]
    return columns + (long ? used : []) + [
      String(run.attempts),
      end?.outcome.rawValue ?? (run.beganAt == nil ? "waiting" : "running"),
      (end.flatMap { RunEnd.reason($0.reason.description, of: $0.outcome.rawValue) } ?? "")
        .printable,
    ]
  }
}
