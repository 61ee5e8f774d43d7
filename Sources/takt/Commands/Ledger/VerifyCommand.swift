import ArgumentParser
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check that every slot has exactly one verdict.",
    discussion: """
      Computes the expected slots from the schedules in the ledger and compares them with the \
      verdicts. With --log it also checks every transition in a JSON log against the state \
      machines. The daemon can keep running. Exits with 1 if it finds a problem.

      With --cluster it compares the slots with the records of the cluster's database instead: each \
      slot of a shared job must have one verdict over all machines. It reads the jobs file and this \
      machine's ledger, and changes nothing.
      """)

  @Option(
    help: "Check only slots since then: 90m, 1d, 18:00, 'yesterday 06:00' or 2026-12-24T18:00.")
  var since: String?

  @Option(help: "Also check this log in JSON lines; - is standard input.", completion: .file())
  var log: String?

  @Flag(help: "Check the slots of shared jobs over all machines of the cluster.")
  var cluster = false

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var state: StateArgument

  func validate() throws {
    if cluster, log != nil { throw ValidationError("--cluster and --log exclude each other.") }
    if cluster, state.folder != nil {
      throw ValidationError("--cluster needs the jobs file, which --state replaces.")
    }
  }

  func run() throws {
    if cluster {
      let start = try since.map { try InstantArgument.since($0, in: state.control.zone) }
      return try ClusterVerification(state: state, since: start).run(json: json)
    }
    let (archive, zone) = try state.open()
    let start = try since.map { try InstantArgument.since($0, in: zone) }
    let report = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.audit(since: start, zones: ZoneFiles())
    }
    let found = try log.map { try LogFile($0).replay() }
    let replay = found?.replay
    if json {
      Console.print(VerifyAnswer(report, replay, found?.notes ?? []).jsonLine)
    } else {
      show(report, in: zone)
      if let found { show(found.replay, found.notes) }
    }
    let isSound = report.isBalanced && replay?.isSound ?? true
    if !isSound { throw ExitCode.unbalanced }
  }

  private func show(_ report: LedgerAuditReport, in zone: Zone) {
    for finding in report.findings { Console.print("\(finding)".printable) }
    if report.findingCount > report.findings.count {
      Console.print("… and \(report.findingCount - report.findings.count) more")
    }
    for loss in report.losses { Console.print("not kept: \(loss)") }
    var line = "\(report.verdictCounts)"
    if report.lost > 0 { line += " + lost \(report.lost)" }
    if report.pending > 0 { line += ", and \(report.pending) waiting for a verdict" }
    Console.print(line)
    let range = report.since.map { "since \($0.rfc3339(in: zone))" } ?? "since the first load"
    let jobs = report.jobs == 1 ? "1 job" : "\(report.jobs) jobs"
    Console.print(
      report.isBalanced
        ? "every slot of \(jobs) is accounted for, \(range)"
        : "not every slot of \(jobs) is accounted for, \(range): \(report.findingCount) findings, "
          + "\(report.lost) slots lost"
          + (report.uncountedLosses > 0 ? ", and others that cannot be counted" : ""))
  }

  private func show(_ replay: TransitionReplay, _ notes: [String]) {
    guard replay.isVerifiable else {
      return Console.print(
        "log: cannot be checked, because it has no transitions; takt logs them in JSON at the level "
          + "debug, the default")
    }
    for problem in replay.problems { Console.print("log: \(problem)") }
    for note in notes { Console.print("log: it \(note)") }
    if replay.droppedCount > 0 {
      Console.print("log: \(replay.droppedCount) records were dropped when it was written")
    }
    Console.print(
      replay.problemCount == 0
        ? "log: \(replay.count) transitions, all of them valid"
        : "log: \(replay.count) transitions, wrong: \(replay.problemCount)")
  }
}

struct VerifyAnswer: Encodable {
  struct Finding: Encodable {
    var job: String
    var kind: String
    var first: String
    var last: String
    var count: Int
    var detail: String

    init(_ job: JobName, kind: String, _ slots: SlotSeries, _ detail: String) {
      self.job = job.text
      self.kind = kind
      first = slots.first.rfc3339()
      last = slots.last.rfc3339()
      count = slots.count
      self.detail = detail
    }
  }

  struct Log: Encodable {
    var verifiable: Bool
    var transitions: Int
    var problems: [String]
    var problem_count: Int
    var dropped: Int
    var notes: [String]
  }

  var balanced: Bool
  var jobs: Int
  var slots: Int
  var verdicts: [String: Int]
  var pending: Int
  var lost: Int
  var losses: [String]
  var since: String?
  var findings: [Finding]
  var finding_count: Int
  var log: Log?

  init(_ report: LedgerAuditReport, _ replay: TransitionReplay?, _ notes: [String]) {
    balanced = report.isBalanced && replay?.isSound ?? true
    jobs = report.jobs
    slots = report.verdictCounts.slots
    verdicts = report.verdictCounts.counts
    pending = report.pending
    lost = report.lost
    losses = report.losses
    since = report.since?.rfc3339()
    findings = report.findings.map {
      Finding($0.job, kind: $0.kind.rawValue, $0.slots, $0.detail)
    }
    finding_count = report.findingCount
    log = replay.map {
      Log(
        verifiable: $0.isVerifiable, transitions: $0.count, problems: $0.problems,
        problem_count: $0.problemCount,
        dropped: $0.droppedCount, notes: notes)
    }
  }
}
