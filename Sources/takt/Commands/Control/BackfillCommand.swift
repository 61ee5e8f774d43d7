import ArgumentParser
import Glibc
import TaktAPI
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

struct BackfillCommand: ParsableCommand {
  private static let parallelMax = 32

  static let configuration = CommandConfiguration(
    commandName: "backfill",
    abstract: "Run a job for slots of the past.",
    discussion: """
      Starts a run for each slot of the job's schedule from --from through --to, the oldest first, and \
      shows each end. The run gets its slot in TAKT_SLOT. Verdicts stay as they are, no hook and no \
      'after' job follows, and no slot is skipped because of such a run: the slot waits for its end.

      Ctrl-C stops the backfill; an active run goes on. The same command continues: it leaves out \
      slots that a backfill has run successfully, and waits for its runs that are still active. Exits \
      with 1 if a run did not succeed.
      """)

  @Argument(help: "The job's name.", completion: JobCompletion.kind)
  var job: String

  @Option(help: "The first slot is not before this instant, such as 2026-12-01T00:00.")
  var from: String

  @Option(help: "The last slot is not after this instant. (default: now)")
  var to: String?

  @Flag(help: "Only slots that the ledger has as missed or skipped.")
  var missing = false

  @Option(
    help: "How many runs at once, 1 to 32. With more than 1 they run beside all runs of the job.")
  var parallel = 1

  @Flag(help: "Also slots that a backfill has run successfully.")
  var again = false

  @Flag(help: "Print the slots, and run nothing.")
  var dryRun = false

  @OptionGroup var state: StateArgument

  func validate() throws {
    guard (1...Self.parallelMax).contains(parallel) else {
      throw ValidationError("--parallel takes a number from 1 to \(Self.parallelMax).")
    }
  }

  func run() throws {
    let (archive, zone) = try state.open()
    let now = SystemTimeSource().wall
    let first = try InstantArgument.read(from, of: "--from", in: zone, preferring: .past)
    let last = try to.map {
      try InstantArgument.read($0, of: "--to", in: zone, preferring: .past)
    }
    let end = min(last ?? now, now)
    guard first <= end else {
      throw ValidationError(
        first > now
          ? "--from is in the future; a backfill runs slots of the past." : "--from is after --to.")
    }
    let name = try state.requireJob(job, in: archive)
    var slots = try self.slots(of: name, in: archive, from: first, through: end)
    let all = slots.count
    var done = BackfillHistory(job: name, archive: archive)
    if !again {
      try done.update()
      slots.removeAll(where: done.slots.contains)
    }
    if all > slots.count {
      Console.error("\(all - slots.count) of \(all) slots have been run by a backfill before")
    }
    if dryRun {
      for slot in slots { Console.print(slot.rfc3339(in: zone)) }
      Console.error("\(slots.count) \(slots.count == 1 ? "slot" : "slots") to run")
      return
    }
    guard !slots.isEmpty else {
      Console.error("takt: \(name.text) has no slots to run in this range")
      return
    }
    var work = BackfillWork(
      job: name.text, slots: slots, parallel: parallel, zone: zone, done: again ? nil : done,
      connection: try state.control.connect())
    try work.run()
  }

  private func slots(
    of name: JobName, in archive: LedgerArchive, from: WallInstant, through: WallInstant
  ) throws -> [WallInstant] {
    let previous = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.previous(of: name, boot: BootIdentity.current(), zones: ZoneFiles())
    }
    guard let version = previous.jobs[name]?.version else {
      Console.error("takt: the ledger has no schedule of '\(name.text)' that can be read")
      throw ExitCode.failure
    }
    let range = BackfillSlots(
      of: name, version.schedule, anchor: version.anchor, from: from, through: through)
    var slots: [WallInstant]?
    if missing {
      let query = VerdictQuery(
        jobs: [name], since: WallInstant(milliseconds: 0),
        before: through + .seconds(100 * 365 * 86_400),
        limit: 10_000_000)
      let records = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
        try archive.verdicts(query)
      }
      slots = range.missing(in: records)
    } else {
      guard range.isTimed else {
        Console.error(
          "takt: the schedule of '\(name.text)' names no times; use --missing, or 'takt trigger --slot'"
        )
        throw ExitCode.usage
      }
      slots = range.scheduled
    }
    guard let slots else {
      Console.error(
        "takt: there are more than \(BackfillSlots.countMax) slots; choose a shorter range")
      throw ExitCode.usage
    }
    return slots
  }
}

/// The job's backfills in the ledger: another one may fill in the same slots.
struct BackfillHistory {
  /// More runs than can be active at once: one with a lower number may end after those that are
  /// known.
  private static let overlap: UInt64 = 2000

  let job: JobName
  let archive: LedgerArchive
  /// The slots that a backfill has run successfully.
  private(set) var slots: Set<WallInstant> = []
  private var newest: RunID?

  init(job: JobName, archive: LedgerArchive) { (self.job, self.archive) = (job, archive) }

  mutating func update() throws {
    let after = newest.map { RunID($0.number - min($0.number, Self.overlap)) }
    let found = try archive.orExit { [job] (archive) throws(LedgerArchive.Failure) in
      try archive.backfilledSlots(of: job, after: after)
    }
    slots.formUnion(found.slots)
    newest = found.newest ?? newest
  }
}

/// The runs of a backfill: started a few at a time, and followed to their ends.
struct BackfillWork {
  let job: String
  let slots: [WallInstant]
  let parallel: Int
  let zone: Zone
  let connection: ControlArgument.Connection
  /// The slots run by other backfills meanwhile; nil if they do not matter.
  private var done: BackfillHistory?
  private var active: [(run: UInt64, slot: WallInstant)] = []
  private var endedCount = 0
  private var failedCount = 0

  init(
    job: String, slots: [WallInstant], parallel: Int, zone: Zone, done: BackfillHistory?,
    connection: ControlArgument.Connection
  ) {
    (self.job, self.slots, self.parallel) = (job, slots, parallel)
    (self.zone, self.done, self.connection) = (zone, done, connection)
  }

  mutating func run() throws {
    let view = try connection.ask(
      API.Job.self, "GET", "/api/v1/jobs/\(job.asPathPart)", about: job
    ).value
    do {
      // Those of a backfill that was stopped.
      for run in view.active where run.kind == RunHead.Kind.backfill.rawValue {
        if slots.contains(run.slot) { active.append((run.run, run.slot)) }
      }
      let known = Set(active.map(\.slot))
      var left = slots.filter { !known.contains($0) }[...]
      while !left.isEmpty || !active.isEmpty {
        while active.count < parallel, let slot = left.popFirst() { try start(slot) }
        if !active.isEmpty { try awaitOne() }
      }
    } catch {
      Console.error(
        "takt: stopped after \(endedCount) of \(slots.count) slots; run the same command again to continue"
      )
      throw error
    }
    let succeeded = endedCount - failedCount
    Console.error(
      "\(endedCount) \(endedCount == 1 ? "slot" : "slots"): \(succeeded) succeeded, \(failedCount) did not"
    )
    if failedCount > 0 { throw ExitCode.failure }
  }

  private mutating func start(_ slot: WallInstant) throws {
    try done?.update()
    if done?.slots.contains(slot) == true {
      endedCount += 1
      Console.print(
        "\(endedCount)/\(slots.count)  \(slot.rfc3339(in: zone))  another backfill has run it")
      return
    }
    var order = API.Trigger()
    order.slot = slot.rfc3339()
    order.backfill = true
    order.force = parallel > 1 ? true : nil
    order.again = done == nil ? true : nil
    let run = try connection.ask(
      API.Run.self, "POST", "/api/v1/jobs/\(job.asPathPart)/trigger",
      body: order.json, about: job
    ).value
    active.append((run.run, slot))
  }

  /// Waits until one of the active runs has ended, polling each in turn.
  private mutating func awaitOne() throws {
    let wait = active.count == 1 ? 30 : 1
    for (place, item) in active.enumerated() {
      let run = try connection.ask(
        API.Run.self, "GET", "/api/v1/runs/\(item.run)?wait=\(wait)", waitSeconds: Int64(wait + 5)
      ).value
      guard run.state == "ended" else { continue }
      active.remove(at: place)
      endedCount += 1
      if run.outcome != Outcome.succeeded.rawValue { failedCount += 1 }
      Console.print(
        "\(endedCount)/\(slots.count)  \(item.slot.rfc3339(in: zone))  run \(item.run): \(run.endWords)"
          .printable)
      // For a file or a pipe, too: the next end may take long.
      Console.flush()
      return
    }
  }
}
