import ArgumentParser
import TaktAPI
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Say why a slot ran, did not run, or was late.",
    discussion: """
      Answers from the ledger, in words: the verdict on the slot, how late its run started and what \
      it waited for, and what stopped it otherwise: another run, a suspension, a limit, or a time in \
      which takt did not run. The daemon need not run; if it does, takt also says how the job stands in \
      the cluster now.

      Without --at it is the job's last slot that was decided. An instant without seconds means all \
      slots of that minute, and a day such as 'yesterday', 'monday' or 'last night' means all of its \
      slots; the last five are explained, and the next five of those to come. Of a slot to come, it says when \
      the job will run and what may hold it up. Exits with 64 if the ledger has no such job.
      """)

  @Argument(help: "The job's name.", completion: JobCompletion.kind)
  var job: String

  @Option(
    help:
      "The instant of the slot, such as 2026-12-24T18:00, 18:00 or 'monday 02:30'; or a day, such as yesterday."
  )
  var at: String?

  @Flag(help: "Print one JSON object for each slot.")
  var json = false

  @OptionGroup var state: StateArgument

  func run() throws {
    let (archive, zone) = try state.open()
    let now = SystemTimeSource().wall
    let period = try at.map { try InstantArgument.period($0, of: "--at", in: zone) }
    let range: (first: WallInstant?, end: WallInstant) = (period?.first, period?.end ?? now)
    // A job that is new to the ledger may have future slots. A day may have both kinds.
    let future = range.first.flatMap { first in
      range.end > now ? foresee(from: max(first, now), to: range.end, archive) : nil
    }
    let name = try future?.name ?? state.requireJob(job, in: archive)
    let inquiry = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.inquire(name, from: range.first, to: range.end, zones: ZoneFiles())
    }
    let standing = JobStanding(of: name.text, state.control.quietConnection)
    let verdicts = inquiry.slots.map(\.record.verdict)
    let words = SlotWords(
      job: name.text, zone: zone, standing: standing,
      missed: verdicts.contains { $0.kind == .missed } ? policy(.missed, of: name) : nil,
      overlap: verdicts.contains(.skipped(.overlap))
        ? policy(.overlap, of: name).flatMap(Overlap.init) : nil)
    let toCome = FutureSlots(
      name: name, forecast: future?.forecast, inquiry: inquiry, words: words,
      daemon: future?.daemon ?? (state.control.hasSocket ? .hasJob : .isDown))
    if let period, period.first > now, inquiry.slots.isEmpty {
      return toCome.show(of: period, json: json)
    }
    showDecided(inquiry, words, of: period, besides: toCome)
    toCome.showEntries(json: json, after: !inquiry.slots.isEmpty)
    if !json, at == nil { showNow(name, inquiry, words, archive) }
  }

  private func showDecided(
    _ inquiry: SlotInquiry, _ words: SlotWords, of period: TypedPeriod?,
    besides toCome: FutureSlots
  ) {
    let isAllToCome = inquiry.slots.isEmpty && inquiry.pending == nil && toCome.hasEntries
    let others = isAllToCome ? [] : words.lines(of: inquiry, from: period)
    if json {
      for slot in inquiry.slots { Console.print(WhyAnswer(slot, words.lines(of: slot)).jsonLine) }
      if inquiry.slots.isEmpty { for line in others { Console.error("takt: \(line.printable)") } }
      return
    }
    if inquiry.hasMore {
      Console.error(
        "takt: only the last \(inquiry.slots.count) slots of that time are explained; 'takt slots' lists "
          + "all of them")
    }
    for (place, slot) in inquiry.slots.enumerated() {
      if place > 0 { Console.print("") }
      for line in words.lines(of: slot) { Console.print(line.printable) }
    }
    if !inquiry.slots.isEmpty, !others.isEmpty { Console.print("") }
    for line in others { Console.print(line.printable) }
  }

  private func showNow(
    _ name: JobName, _ inquiry: SlotInquiry, _ words: SlotWords, _ archive: LedgerArchive
  ) {
    printWaits(of: name.text)
    printMissingEnds(of: name, archive, words)
    // For slots that this machine has left to others, it has been printed.
    let isSaid = inquiry.slots.contains {
      [.skipped(.elsewhere), .skipped(.unplaced)].contains($0.record.verdict)
    }
    guard let standing = words.standing, standing.isProblem, !isSaid else { return }
    Console.print("")
    for line in standing.words { Console.print(line.printable) }
  }
}

extension WhyCommand {
  private struct Foresight {
    var name: JobName
    var forecast: SlotForecast
    var daemon: FutureSlots.Daemon
  }

  /// The job's forecast: from the running daemon, whose jobs count whatever the file's present
  /// content; without one, or if it does not have the job, from the jobs file. Nil if neither has
  /// it.
  private func foresee(
    from first: WallInstant, to end: WallInstant, _ archive: LedgerArchive
  ) -> Foresight? {
    guard let name = JobName(job) else { return nil }
    let connection = state.control.quietConnection
    let target = "/api/v1/jobs/\(job.asPathPart)"
    let range = "from=\(first.rfc3339().asQueryValue)&until=\(end.rfc3339().asQueryValue)"
    if let answer = connection?.askQuietly(API.Forecast.self, "\(target)/forecast?\(range)"),
      let forecast = answer.forecast
    {
      return Foresight(name: name, forecast: forecast, daemon: .hasJob)
    }
    guard let spec = state.snapshot()?.jobs.first(where: { $0.name == name }) else { return nil }
    let boot = BootIdentity.current()
    let previous = (try? archive.previous(of: name, boot: boot, zones: ZoneFiles()))?.jobs[name]
    let forecast = SlotForecast(
      of: spec, after: previous, from: first, to: end, at: SystemTimeSource().now)
    var daemon = FutureSlots.Daemon.isDown
    if let connection {
      // A daemon of an earlier version has the job, but makes no forecast.
      let isThere = connection.askQuietly(API.Job.self, target) != nil
      let isRunning = isThere || connection.askQuietly(API.Status.self, "/api/v1/status") != nil
      daemon = isThere ? .hasJob : isRunning ? .lacksJob : .isDown
    }
    return Foresight(name: name, forecast: forecast, daemon: daemon)
  }
}

extension WhyCommand {
  /// The job's present value of a key, in the words of the running daemon or else of the jobs file;
  /// nil if neither has the job.
  private func policy(_ key: JobKey, of name: JobName) -> String? {
    let target = "/api/v1/jobs/\(name.text.asPathPart)"
    if let detail = state.control.quietConnection?.askQuietly(API.JobDetail.self, target) {
      return detail.keys.first { $0.key == key.name }?.text
    }
    let spec = state.snapshot()?.jobs.first { $0.name == name }
    return spec.flatMap { JobKey.facts(of: $0).first { $0.key == key.name }?.text }
  }

  /// Prints the waits of active runs, as far as a daemon reports them.
  private func printWaits(of job: String) {
    guard let connection = state.control.quietConnection,
      let view = connection.askQuietly(API.Job.self, "/api/v1/jobs/\(job.asPathPart)")
    else { return }
    for run in view.active {
      guard let words = run.waitsFor else { continue }
      Console.print("Run \(run.run) waits for \(words).".printable)
    }
  }
}

extension WhyCommand {
  /// Prints the ends that `after: {all: […]}` still needs, by the ledger.
  private func printMissingEnds(of name: JobName, _ archive: LedgerArchive, _ words: SlotWords) {
    let previous = try? archive.previous(
      of: name, boot: BootIdentity.current(), zones: ZoneFiles())
    guard let job = previous?.jobs[name], job.isOpen, let all = job.version.schedule.afterAll else {
      return
    }
    let ends = GatheredEnds(
      all, job.checkpoint.alarms?.ended ?? [:], at: SystemTimeSource().wall)
    let missing = ends.missing.map { parent in
      switch parent.condition {
      case .success: "\(parent.job) has not succeeded"
      case .failure: "\(parent.job) has not failed"
      case .any: "\(parent.job) has not ended"
      }
    }
    let time = all.within.map { " within \(DurationText.format($0))" } ?? ""
    Console.print(
      "The next slot waits for \(all.parents.count) jobs\(time); since the last one \(missing.joined(separator: ", "))."
        .printable)
    for end in ends.ended { Console.print("  \(end.job) has, at \(words.time(end.at)).".printable) }
  }
}

private struct WhyAnswer: Encodable {
  var job: String
  var slot: String
  var slot_last: String?
  var count: Int
  var verdict: String
  var reason: String?
  var run: UInt64?
  var late_ms: Double?
  var words: [String]

  init(_ slot: SlotEvidence, _ words: [String]) {
    let record = slot.record
    job = record.job.text
    self.slot = record.slots.first.rfc3339()
    slot_last = record.slots.count > 1 ? record.slots.last.rfc3339() : nil
    count = record.slots.count
    verdict = record.verdict.name
    reason = record.verdict.detail
    run = record.run?.number
    late_ms = slot.lateness.map { Double($0.nanosecondsSaturated) / 1_000_000 }
    self.words = words
  }
}
