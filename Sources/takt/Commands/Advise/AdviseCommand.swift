import ArgumentParser
import TaktCore
import TaktStore
import TaktTime

struct AdviseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise",
    abstract: "Propose changes of a jobs file from the history of its jobs.",
    discussion: """
      Reads the runs of the ledger and simulates a day with them. Each proposal has the figures that \
      speak for it, what it changes, and the YAML to write. Nothing is changed. With --patch, prints \
      the proposals as a diff of the jobs file, which keeps its comments; 'patch -p1' applies it. \
      Proposals that the diff cannot have are listed on standard error, with the reason.
      """)

  @OptionGroup var argument: FileArgument

  @Option(
    name: .customLong("state"),
    help: "The state folder with the ledger. (default: that of the jobs file)",
    completion: .directory)
  var folder: String?

  @Option(help: "Read only runs since then: 30d, or an instant or a day.")
  var since: String?

  @Option(help: "The first seed. The same seed gives the same proposals.")
  var seed: UInt64 = 1

  @Option(help: "The number of simulations.")
  var seeds = 10

  @Option(help: "Show only proposals for this job.", completion: JobCompletion.kind)
  var job: String?

  @Flag(help: "Print a diff of the jobs file.")
  var patch = false

  @Flag(help: "Print one JSON object per line.")
  var json = false

  func validate() throws {
    guard (1...HistoryOptions.seedsMax).contains(seeds) else {
      throw ValidationError("--seeds takes a number from 1 to \(HistoryOptions.seedsMax).")
    }
    if patch, json { throw ValidationError("--patch cannot be combined with --json.") }
  }

  func run() throws {
    let (snapshot, _, _) = try argument.source.loadOrExit(isQuiet: true)
    if let job { _ = try argument.job(named: job, in: snapshot) }
    // Before the ledger, which may be read with the rights of another user.
    let editing = patch ? try JobsFilePatch(argument.source) : nil
    let input = try input(snapshot)
    let proposals = Advice.proposals(for: input).filter { job == nil || $0.job.text == job }
    if let editing { return editing.print(proposals, snapshot) }
    if json {
      for proposal in proposals { Console.print(ProposalAnswer(proposal).jsonLine) }
      return
    }
    show(proposals, input)
  }

  private func input(_ snapshot: Snapshot) throws -> AdviceInput {
    let zone = snapshot.settings.zone
    let now = WallInstant(milliseconds: SystemTimeSource().wall.milliseconds)
    let archive = try HistoryOptions.state(argument.file, folder).open().archive
    let history = try HistoryOptions.runs(
      in: archive, since: try since.map { try InstantArgument.since($0, in: zone) }, before: now,
      in: zone)
    let known = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.knownSince()
    }
    var plan = Forecast.Plan(from: now, for: .seconds(86_400))
    (plan.seed, plan.seeds) = (seed, seeds)
    var progress = SimulationProgress(from: now, for: plan.span)
    defer { progress.finish() }
    return AdviceInput(
      snapshot, history, plan, knownSince: known, cores: MachineSize.own.cores
    ) { _, event in progress.observe(event) }
  }

  private func show(_ proposals: [Proposal], _ input: AdviceInput) {
    for proposal in proposals {
      Console.print("\(proposal.job): \(proposal.reason)")
      if let change = proposal.change {
        Console.print("    \(change.yaml)")
        Console.print("    → \(proposal.effect)")
      } else {
        Console.print("    → \(proposal.effect) (no change to write)")
      }
    }
    Console.error(
      "takt: \(proposals.isEmpty ? "no proposals" : "proposals: \(proposals.count)"), from "
        + "\(input.history.count) runs of \(input.snapshot.jobs.count) jobs")
  }
}

private struct ProposalAnswer: Encodable {
  var job: String
  var rule: String
  var reason: String
  var effect: String
  var key: String?
  var value: String?
  var yaml: String?

  init(_ proposal: Proposal) {
    job = proposal.job.text
    rule = proposal.rule
    reason = proposal.reason
    effect = proposal.effect
    key = proposal.change?.path.joined(separator: ".")
    value = proposal.change?.value
    yaml = proposal.change?.yaml
  }
}
