import ArgumentParser
import TaktAPI
import TaktCore
import TaktStore
import TaktTime

struct SlotsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slots",
    abstract: "List what became of slots, newest first.",
    discussion: """
      Answers from the ledger; the daemon need not run. A line stands for one slot, or for several of \
      a job without a gap: its verdict, the reason, the run and how it ended. 'takt why' explains one \
      of them, and 'takt next' lists slots to come. Exits with 64 if the ledger has no such job.

      --not-run lists skipped, missed and cancelled slots, the same that NOT RUN counts in 'takt status' \
      and 'takt runs --stats'. It leaves out slots that were not to run here: those of a suspended or \
      disabled job, in a time of 'except', beyond 'limit', or of another machine of the cluster. A \
      coalesced slot counts with the later one that stands for it.
      """)

  @Argument(help: "The job's name. (default: all jobs)", completion: JobCompletion.kind)
  var job: String?

  @Option(help: "List only slots since then: 90m, 1d, 18:00, yesterday, 'monday 02:30'.")
  var since: String?

  @Option(help: "List only slots before then. A day alone means its end.")
  var until: String?

  @Flag(help: "List only slots that did not run although they were to run here.")
  var notRun = false

  @Option(name: .customShort("n", allowingJoined: true), help: "The maximum number of lines.")
  var number = 50

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var state: StateArgument

  func validate() throws {
    guard (1...1_000_000).contains(number) else {
      throw ValidationError("-n takes a number from 1 to 1000000.")
    }
  }

  func run() throws {
    let (archive, zone) = try state.open()
    var query = SlotQuery()
    query.job = try job.map { try state.requireJob($0, in: archive) }
    query.since = try since.map { try InstantArgument.since($0, in: zone) }
    query.until = try until.map { try InstantArgument.until($0, in: zone) }
    query.notRunOnly = notRun
    // One more shows if there are more.
    query.limit = number + 1
    let wanted = query
    let found = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.slots(wanted)
    }
    let slots = found.prefix(number)
    if json {
      for slot in slots { Console.printJSON(API.DecidedSlot(slot).json) }
    } else {
      Console.print(
        titles: ["SLOT", "JOB", "VERDICT", "REASON", "RUN", "OUTCOME"],
        rows: slots.map { Self.columns($0, in: zone) })
    }
    if slots.isEmpty { Console.error("takt: no slots") }
    if found.count > number {
      Console.error("takt: only the newest \(number); -n, --since and --until show others")
    }
  }

  private static func columns(_ slot: DecidedSlot, in zone: Zone) -> [String] {
    let record = slot.record
    let first = record.slots.first.rfc3339(in: zone)
    let time =
      record.slots.count > 1
      ? "\(first) to \(record.slots.last.rfc3339(in: zone)) (\(record.slots.count))" : first
    return [
      time, record.job.text, record.verdict.name,
      record.verdict.detail.map { ShownZone.localized($0, in: zone) } ?? "-",
      record.run.map { String($0.number) } ?? "-",
      record.run == nil ? "-" : slot.outcome?.rawValue ?? "active",
    ]
  }
}
