import Hummingbird
import TaktAPI
import TaktCore

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
  /// A longer list delays no other question.
  private static let longMin = 1000

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
    // One more tells if there are more.
    query.limit = limit + 1
    // All newer slots are passed on the way to the end of the range: a slot may be decided long
    // after its time, so that no number of a verdict bounds it. By job, or for slots not run, an
    // index does.
    let isWalk = query.until != nil && query.job == nil && !query.notRunOnly
    query.walks = isWalk || limit > Self.longMin
    let wanted = query
    let slots = try await ports.fromArchive(walks: query.walks) { (archive) throws(ArchiveError) in
      try archive.slots(wanted)
    }
    guard let slots else { throw ports.noLedger }
    if slots.isEmpty, let job = query.job { try await ports.requireKnown(job) }
    var shown = API.DecidedSlots()
    shown.slots = slots.prefix(limit).map { API.DecidedSlot($0) }
    shown.truncated = slots.count > limit
    return .json(shown)
  }
}
