import Hummingbird
import TaktAPI
import TaktCore

/// What became of slots, from the ledger.
struct SlotRoutes {
  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get(
      "/api/v1/slots",
      RouteAbout(
        "listDecidedSlots", "What became of the slots of all jobs, or of one, newest first",
        .object(API.DecidedSlots.self, "The slots"),
        .problem(404, "There is no ledger, or no such job in it")
      ).taking(RunParameter.job, Self.since, Self.until, Self.notRun, Self.limit), list)
  }

  private static let since = Parameter.instant("since", "Only slots at this instant or later")
  private static let until = Parameter.instant("until", "Only slots before this instant")
  private static let notRun = Parameter.flag(
    "not_run",
    "Only slots that did not run: skipped, missed or cancelled. Slots of a suspended or disabled job, "
      + "excluded slots, those beyond limit, coalesced ones and those of another machine are left out"
  )
  private static let limit = Parameter.integer("limit", 1...10_000, default: 50, "Maximum number")

  @Sendable private func list(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let given = context.query
    var query = SlotQuery()
    query.job = try given[RunParameter.job]
    query.since = try given[Self.since]
    query.until = try given[Self.until]
    query.notRunOnly = try given[Self.notRun]
    let limit = try given[Self.limit]
    // One more tells whether there are more.
    query.limit = limit + 1
    // All newer ones are passed by on the way to the end of the range: a slot may be decided long after
    // its time, so that no number of a verdict bounds it. By job, or of those not run, an index does.
    query.walks = query.until != nil && query.job == nil && !query.notRunOnly
    let wanted = query
    let slots = try await ports.fromArchive(walks: query.walks) { (archive) throws(ArchiveError) in
      try archive.slots(wanted)
    }
    guard let slots else { throw ports.noLedger }
    if slots.isEmpty, let job = query.job { try await requireKnown(job) }
    var shown = API.DecidedSlots()
    shown.slots = slots.prefix(limit).map { API.DecidedSlot($0) }
    shown.truncated = slots.count > limit
    return .json(shown)
  }

  /// Tells a name that is none from a job without such slots. The ledger may know a job that the jobs
  /// file no longer has.
  private func requireKnown(_ job: JobName) async throws {
    if await ports.query({ core, now in core.view(of: job, at: now) != nil }) { return }
    var query = SlotQuery()
    query.job = job
    query.limit = 1
    let any = query
    let kept = try await ports.fromArchive { (archive) throws(ArchiveError) in
      try archive.slots(any)
    }
    if kept?.isEmpty != false { throw await ports.noJob(job.text) }
  }
}
