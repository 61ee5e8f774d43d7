import ArgumentParser
import TaktAPI
import TaktCore
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

  @Option(name: .customShort("n", allowingJoined: true), help: "The maximum number of runs.")
  var number = 50

  @Flag(help: "Show processor time, peak memory, and the parameters that triggers set, too.")
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
    show(runs, in: zone)
    if runs.isEmpty { Console.error("takt: no runs") }
  }

  private func show(_ runs: [StoredRun], in zone: Zone) {
    // Output for programs keeps its form.
    let now = Console.isTerminal && Console.width < 120 ? SystemTimeSource().wall : nil
    // Few runs have any, and a narrow table has no room for them.
    let isAsked = long || (Console.isTerminal && now == nil)
    let hasParameters = isAsked && runs.contains { $0.parameters != nil }
    let rows = runs.map { run in
      let line = RunLine(run, narrowAt: now)
      return line.columns(in: zone, long: long) + (hasParameters ? [line.parameters] : [])
    }
    let titles = RunLine.titles(long: long, isNarrow: now != nil)
    let reason = titles.count - 1
    Console.print(
      titles: titles + (hasParameters ? ["PARAMETERS"] : []), rows: rows, outcomes: reason - 1,
      narrowing: now == nil ? [] : [.init(1, to: 14), .init(reason, to: 8), .init(1, to: 6)])
  }
}

struct RunLine {
  private let run: StoredRun
  /// Now, for a terminal with few columns; nil for any width.
  private let now: WallInstant?

  init(_ run: StoredRun, narrowAt now: WallInstant? = nil) {
    self.run = run
    self.now = now
  }

  /// The parameters of the trigger: `month=2026-05`; empty for none.
  var parameters: String { run.parameters?.value.words.printable ?? "" }

  /// - Parameters:
  ///   - long: true to show the runs' resource use.
  ///   - isNarrow: true for a terminal with few columns.
  static func titles(long: Bool, isNarrow: Bool) -> [String] {
    ["RUN", "JOB", "SLOT", "BEGAN", "TOOK"] + (long ? ["CPU", "MEMORY"] : [])
      + (isNarrow ? [] : ["TRIES"]) + ["OUTCOME", "REASON"]
  }

  func columns(in zone: Zone, long: Bool) -> [String] {
    let (head, end) = (run.head, run.end)
    let columns = [
      String(head.run.number), head.job.text + (head.hook.map { " (\($0.rawValue))" } ?? ""),
      words(head.slot, in: zone), run.beganAt.map { beginning($0, in: zone) } ?? "-",
      end == nil
        ? "-" : run.duration.map(DurationText.brief) ?? "-",
    ]
    let used = [
      run.use.map { DurationText.brief($0.cpu) } ?? "-",
      run.use?.memoryPeakBytes.map(SizeText.brief) ?? "-",
    ]
    let reason = end.flatMap { RunEnd.reason($0.reason.description, of: $0.outcome.rawValue) }
    let outcome = end?.outcome.rawValue ?? (run.beganAt == nil ? "waiting" : "running")
    guard now != nil else {
      return columns + (long ? used : []) + [
        String(run.attempts), outcome, (reason ?? "").printable,
      ]
    }
    let tries = run.attempts > 1 ? "\(run.attempts) tries" : nil
    let words = [reason, tries].compactMap(\.self).joined(separator: ", ")
    return columns + (long ? used : []) + [outcome, words.printable]
  }

  /// In a narrow table, `06-28 02:30:00` for this year, and `2025-06-28` for another.
  private func words(_ instant: WallInstant, in zone: Zone) -> String {
    let text = instant.rfc3339(in: zone)
    guard let now else { return text }
    guard text.prefix(4) == now.rfc3339(in: zone).prefix(4) else { return String(text.prefix(10)) }
    return "\(text.dropFirst(5).prefix(5)) \(text.dropFirst(11).prefix(8))"
  }

  /// The time of its start: in a narrow table without the date if it is that of its slot.
  private func beginning(_ instant: WallInstant, in zone: Zone) -> String {
    let text = instant.rfc3339(in: zone)
    guard now != nil, text.prefix(10) == run.head.slot.rfc3339(in: zone).prefix(10) else {
      return words(instant, in: zone)
    }
    return String(text.dropFirst(11).prefix(8))
  }
}
