import ArgumentParser
import Glibc
import TaktCore
import TaktStore
import TaktTime

struct LogsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Show the kept output of a run.",
    discussion: """
      For a job, this is its last run that ended. The output of all attempts goes to standard \
      output, with secrets masked; facts about the run go to standard error. output.keep sets how \
      much is kept of each attempt, scheduler.history.output for how long. Exits with 64 if there is \
      no such job, run or attempt.

      With --follow, takt shows new output of a running daemon: of a run until it ends, of a job \
      until Ctrl-C. With --on, of a run on another machine of the cluster, once a second.

      With --cluster or --on, a running daemon asks the machines of its cluster: for the last run of \
      a job on any of them, or for a run by its number on one.
      """)

  @Argument(help: RunOrJob.help, completion: JobCompletion.kind)
  var subject: String

  @Flag(help: "Show the job's last run that failed, timed out or was interrupted.")
  var failed = false

  @Option(help: "Show only this attempt of the run. (default: all attempts)")
  var attempt: Int?

  @Flag(name: .shortAndLong, help: "Follow new output.")
  var follow = false

  @OptionGroup var machines: MachineArgument

  @Option(
    help: "The jobs file, which names the state folder. (default: jobs.yaml)",
    completion: .file(extensions: ["yaml", "yml"]))
  var file: String?

  @Option(
    name: .customLong("state"),
    help: "The state folder, instead of the jobs file. (default: .takt beside the file)",
    completion: .directory)
  var folder: String?

  /// The options of other commands, except for the letter that means `--follow` here.
  private var state: StateArgument {
    var state = StateArgument()
    state.givenFile = file
    state.folder = folder
    return state
  }

  func validate() throws {
    if follow, failed { throw ValidationError("--follow cannot be combined with --failed.") }
    if follow, attempt != nil {
      throw ValidationError("--follow cannot be combined with --attempt.")
    }
    if follow, machines.cluster {
      throw ValidationError(
        "--follow shows runs of one machine; name it with --on, or omit --cluster.")
    }
    if let attempt, attempt < 1 { throw ValidationError("--attempt takes a number from 1.") }
  }

  func run() throws {
    if follow, let machine = machines.on {
      return try FollowedElsewhere(subject, on: machine, try state.control.connect())
        .show(Console.showOutput)
    }
    if follow {
      try Console.exitWhenReaderIsGone()
      return try FollowedOutput(subject, try state.control.connect()).show(Console.showOutput)
    }
    if machines.isGiven {
      return try ClusterLogs(
        subject: subject, failed: failed, attempt: attempt, machine: machines.on
      ).show(try state.control.connect(), Console.showOutput)
    }
    let (archive, zone) = try state.open()
    let found = try find(in: archive)
    let head = found.head
    if let attempt, attempt > found.attempts {
      Console.error("takt: run \(head.run) of \(head.job) has no attempt \(attempt)")
      throw ExitCode.usage
    }
    let outputs = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.outputs(of: head.run)
    }.filter { attempt == nil || $0.attempt == attempt }
    let end =
      found.end?.words.printable ?? "running"
    Console.error(
      "run \(head.run) of \(head.job), slot \(head.slot.rfc3339(in: zone)): \(end)"
        + (found.parameters.map { ", with \($0.value.words.printable)" } ?? ""))
    if outputs.isEmpty { Console.error("takt: no output of this run was kept") }
    for stored in outputs {
      if found.attempts > 1 { Console.error("attempt \(stored.attempt)") }
      show(stored.output)
    }
  }

  private func show(_ output: KeptOutput) {
    Console.showOutput(output.head)
    if output.droppedBytes > 0 {
      Console.error("… \(output.droppedBytes) bytes were not kept …")
    }
    Console.showOutput(output.tail)
  }

  private func run(_ number: UInt64, in archive: LedgerArchive) throws -> StoredRun {
    let run = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.run(RunID(number))
    }
    guard let run else {
      Console.error("takt: the ledger has no run \(number), and no job of that name")
      throw ExitCode.usage
    }
    return run
  }

  private func find(in archive: LedgerArchive) throws -> StoredRun {
    var query = RunQuery()
    switch RunOrJob(subject) {
    case .run(let number): return try run(number, in: archive)
    case .either(let number) where try !archive.jobs().contains(subject):
      return try run(number, in: archive)
    case .either, .job: query.job = try state.requireJob(subject, in: archive)
    }
    query.failedOnly = failed
    query.limit = 20
    let runs = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.runs(query)
    }
    guard let run = runs.first(where: { $0.end != nil && $0.beganAt != nil }) ?? runs.first
    else {
      Console.error("takt: the ledger has no such run of '\(subject)'")
      throw ExitCode.usage
    }
    return run
  }
}
