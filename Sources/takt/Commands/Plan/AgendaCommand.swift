import ArgumentParser
import TaktAPI
import TaktCore
import TaktStore
import TaktTime

struct AgendaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agenda",
    abstract: "Show what ran last night and what will run, of all jobs.",
    discussion: """
      Lists slots in the order of time: those of the past from the ledger, those to come from the jobs \
      file. It also lists which jobs are expected to run at once, by 'expected' or by how long their \
      last runs took, and what calendars, 'except' and clock changes do to slots. A job with many slots \
      has one line for all of them. Slots that depend on an event, such as the end of another run, are \
      not foreseen. The daemon need not run.
      """)

  @OptionGroup var argument: FileArgument

  @Option(
    help: """
      List slots since then: 90m, 1d, 18:00, yesterday, 'monday 02:30'. (default: 'last night')
      """)
  var since: String?

  @Option(help: "List slots until then: a duration from now, an instant or a day. (default: 1d)")
  var until: String?

  @Option(
    name: .customShort("n", allowingJoined: true),
    help: "The maximum number of lines of the past, and of those to come.")
  var number = 500

  @Flag(help: "Print one JSON object, as GET /api/v1/agenda answers.")
  var json = false

  /// The number of decided slots that are read, the newest.
  private static let pastMax = 100_000

  func validate() throws {
    guard (1...100_000).contains(number) else {
      throw ValidationError("-n takes a number from 1 to 100000.")
    }
  }

  func run() throws {
    let (snapshot, _, _) = try argument.source.loadOrExit(isQuiet: json)
    let zone = snapshot.settings.zone
    let now = SystemTimeSource().now
    let range = Agenda.Range(
      from: try since.map { try InstantArgument.since($0, in: zone) }
        ?? Agenda.Range.lastNight(before: now.wall, in: zone),
      now: now.wall,
      to: try until.map { try InstantArgument.ahead($0, of: "--until", in: zone) }
        ?? now.wall + .seconds(86_400), zone: zone)
    guard range.from < range.to else { throw ValidationError("--since must be before --until.") }
    let previous = try PreviousState.kept(by: snapshot.settings)
    let (past, means) = Self.behind(range, snapshot.settings)
    let jobs = snapshot.jobs.filter { spec in
      spec.timing.isEnabled && previous.jobs[spec.name]?.checkpoint.suspension == nil
    }.map { spec in
      AgendaJob(spec, after: previous.jobs[spec.name], at: now, mean: means[spec.name])
    }
    var agenda = Agenda(range, of: jobs, past: Array(past.prefix(Self.pastMax)), limit: number)
    agenda.isPastTruncated = past.count > Self.pastMax
    if json {
      Console.printJSON(API.Agenda(agenda, maxRunning: snapshot.settings.maxRunning).json)
    } else {
      AgendaText(agenda: agenda, maxRunning: snapshot.settings.maxRunning).show()
    }
  }

  /// The decided slots in the ledger; a failure to read it has been printed.
  private static func behind(
    _ range: Agenda.Range, _ settings: SchedulerSettings
  ) -> ([DecidedSlot], [JobName: Duration]) {
    guard case .folder(let named)? = settings.state,
      let archive = try? LedgerArchive(folder: StateFolderLock.place(of: named))
    else { return ([], [:]) }
    var query = SlotQuery()
    query.since = range.from
    query.until = min(range.now, range.to)
    // One more shows if there are more.
    query.limit = pastMax + 1
    let slots = range.from < range.now ? try? archive.slots(query) : nil
    return (slots ?? [], (try? archive.meanDurations()) ?? [:])
  }
}

private struct AgendaText {
  let agenda: Agenda
  let maxRunning: Int

  private var zone: Zone { agenda.range.zone }

  func show() {
    if agenda.entries.isEmpty {
      Console.error("takt: no slots")
    } else {
      let split = agenda.entries.firstIndex { $0.verdict == nil } ?? agenda.entries.endIndex
      let now = [agenda.range.now.rfc3339(in: zone), "-", "now", "-", "-"]
      Console.print(
        titles: ["SLOT", "JOB", "WHAT", "EXPECTED", "AT ONCE"],
        rows: agenda.entries[..<split].map(columns) + [now] + agenda.entries[split...].map(columns))
    }
    list("Jobs at once", agenda.crowds.map(words), more: agenda.moreCrowds)
    list(
      "Calendars and clocks",
      agenda.moves.map { "\($0.at.rfc3339(in: zone))  \($0.job): \($0.words)" },
      more: agenda.moreMoves)
    showBounds()
  }

  private func columns(_ entry: Agenda.Entry) -> [String] {
    [
      entry.slots.first.rfc3339(in: zone), entry.job.text, what(entry),
      entry.expected.map { DurationText.brief($0) } ?? "-",
      entry.atOnce > 0 ? String(entry.atOnce) : "-",
    ]
  }

  private func what(_ entry: Agenda.Entry) -> String {
    let many =
      entry.slots.count > 1
      ? " (\(entry.slots.count) slots to \(entry.slots.last.rfc3339(in: zone)))" : ""
    guard let verdict = entry.verdict else {
      let moved = entry.movedFrom.map { DayFilter.date($0) }.joined(separator: ", ")
      return "to come\(moved.isEmpty ? "" : ", moved from \(moved)")\(many)"
    }
    if verdict == .ran { return (entry.outcome?.rawValue ?? "active") + many }
    let reason = verdict.detail.map { ": \(ShownZone.localized($0, in: zone))" } ?? ""
    return verdict.name + reason + many
  }

  private func words(of crowd: Agenda.Crowd) -> String {
    let names = crowd.jobs.map(\.text).joined(separator: ", ")
    let more = crowd.peak > crowd.jobs.count ? ", …" : ""
    let wait = crowd.peak > maxRunning ? "; takt starts at most \(maxRunning), the others wait" : ""
    return "\(crowd.from.rfc3339(in: zone)) to \(crowd.to.rfc3339(in: zone)): \(crowd.peak) jobs "
      + "(\(names)\(more))\(wait)"
  }

  private func list(_ title: String, _ lines: [String], more: Int) {
    guard !lines.isEmpty else { return }
    Console.print("\n\(title):")
    for line in lines { Console.print("  " + line.printable) }
    if more > 0 { Console.print("  and \(more) more") }
  }

  private func showBounds() {
    if agenda.isPastTruncated { Console.error("takt: older slots of the past are left out") }
    if agenda.earlier > 0 || agenda.later > 0 {
      Console.error(
        "takt: \(agenda.earlier) earlier and \(agenda.later) later lines are left out; -n shows more"
      )
    }
    if let until = agenda.foreseenUntil {
      Console.error(
        "takt: slots of frequent jobs are counted up to \(until.rfc3339(in: zone)) and later")
    }
  }
}
