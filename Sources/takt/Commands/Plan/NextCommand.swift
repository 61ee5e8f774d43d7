import ArgumentParser
import Glibc
import TaktAPI
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

struct NextCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "next",
    abstract: "Show the next slots of the jobs.",
    discussion: """
      Continues from the ledger if there is one, otherwise as if takt started now for the first time. \
      Slots that depend on an event, such as the end of another run, are not shown.
      """)

  @Argument(help: "The job's name. (default: all jobs)", completion: JobCompletion.kind)
  var job: String?

  @OptionGroup var argument: FileArgument

  @Option(name: .customShort("n", allowingJoined: true), help: "The number of slots of each job.")
  var number = 5

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @Flag(help: "Print a calendar (iCalendar, RFC 5545) with an event for each slot.")
  var ics = false

  func validate() throws {
    guard !json || !ics else { throw ValidationError("Specify --json or --ics, not both.") }
    guard (1...1000).contains(number) else {
      throw ValidationError("-n takes a number from 1 to 1000.")
    }
  }

  func run() throws {
    let (name, argument) = self.argument.orFile(job)
    if !json, !ics { Self.noteDifferences(from: argument.source.path) }
    let (snapshot, _, _) = try argument.source.loadOrExit(isQuiet: json || ics)
    let specs = try name.map { [try argument.job(named: $0, in: snapshot)] } ?? snapshot.jobs
    let previous = try PreviousState.kept(by: snapshot.settings)
    let now = SystemTimeSource().now
    let width = specs.map(\.name.text.count).max() ?? 0
    let isAlone = name != nil
    var events: [SlotCalendar.Event] = []
    for spec in specs {
      let job = previous.jobs[spec.name]
      let isSuspended = job?.checkpoint.suspension != nil
      let slots =
        spec.timing.isEnabled && !isSuspended
        ? SlotPreview.slots(of: spec, after: job, startingAt: now, count: number) : []
      if ics {
        events += slots.map { SlotCalendar.Event(spec, $0) }
        continue
      }
      if json {
        for slot in slots { Console.print(NextAnswer(spec, slot).jsonLine) }
        continue
      }
      let name = spec.name.text + String(repeating: " ", count: width - spec.name.text.count)
      let zone = snapshot.settings.zone
      let lines =
        !isAlone
        ? slots.map { $0.line(in: zone, of: spec.timing.schedule) }
        : SlotLines.lines(of: spec, slots, after: job, from: now, in: zone)
      for line in lines { Console.print("\(name)  \(line)") }
      if !slots.isEmpty { continue }
      let why =
        !spec.timing.isEnabled
        ? "disabled"
        : isSuspended
          ? "suspended"
          : spec.timing.schedule.isManual ? "only by hand" : "no foreseeable slots"
      Console.print("\(name)  \(why)")
    }
    if ics { Console.write(Array(SlotCalendar(events, at: now.wall).text.utf8)) }
  }
}

extension NextCommand {
  /// Warns that a running daemon has other jobs than this file, so that its slots may differ.
  private static func noteDifferences(from file: String) {
    var control = ControlArgument()
    control.givenFile = file
    control.folder = nil
    let connection = control.quietConnection
    guard let status = connection?.askQuietly(API.Status.self, "/api/v1/status") else { return }
    if let reload = status.reload, reload.outcome == "refused" {
      Console.error(
        "takt: reload refused at \(reload.at.rfc3339(in: control.zone)): the daemon runs the previous "
          + "jobs; see 'takt plan'")
    }
    for path in status.changedFiles ?? [] {
      Console.error(
        "takt: \(path.printable) differs from what the daemon runs, so that its slots may be others; see "
          + "'takt plan'")
    }
  }
}

private struct NextAnswer: Encodable {
  var job: String
  var slot: String
  var due: String
  var causes: [String]
  /// Left out if the slot is on its own day.
  var movedFrom: [String]?

  init(_ spec: JobSpec, _ slot: Slot) {
    job = spec.name.text
    self.slot = slot.nominal.rfc3339()
    due = slot.due.rfc3339()
    causes = slot.causes.sorted().map(\.rawValue)
    let days = spec.timing.schedule.daysMoved(to: slot.nominal)
    movedFrom = days.isEmpty ? nil : days.map { DayFilter.date($0) }
  }
}

extension PreviousState {
  /// The progress of the jobs; empty without a ledger, and with a note if it cannot be read.
  static func kept(by settings: SchedulerSettings) throws -> PreviousState {
    guard case .folder(let named)? = settings.state else { return PreviousState() }
    let folder = StateFolderLock.place(of: named)
    try LedgerOwner.become(of: folder)
    do throws(LedgerArchive.Failure) {
      let archive = try LedgerArchive(folder: folder)
      return try archive.previous(boot: BootIdentity.current(), zones: ZoneFiles())
    } catch {
      if case .missing = error { return PreviousState() }
      Console.error(
        "takt: cannot continue from the ledger: \(error.sentence.printable). Intervals are counted "
          + "from now, as if the jobs were loaded for the first time.")
      return PreviousState()
    }
  }
}
