import Hummingbird
import TaktAPI
import TaktCore
import TaktTime

/// Runs, failures and slots without a run, over a year.
struct HeatMapRoutes {
  private static let day = Duration.seconds(86_400)

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get(
      "/api/v1/heatmap",
      RouteAbout(
        "heatMap", "Runs, failures and slots that did not run, by day or by hour, from the ledger",
        .object(API.HeatMap.self, "The heat map"), .problem(404, "There is no ledger")
      ).taking(RunParameter.job, Self.since, Self.until, Self.step), show)
  }

  private static let since = Parameter.instant(
    "since", "The start; by default 366 days before the end")
  private static let until = Parameter.instant("until", "The end; by default now")
  private static let steps = HeatMap.Step.allCases.map(\.rawValue)
  private static let step = Parameter.choice(
    "step", steps, default: HeatMap.Step.day.rawValue, "What a cell is"
  ) { text in
    Problem(
      .badRequest, "there is no step '\(text.prefix(50))'",
      detail: "Use \(steps.joined(separator: " or ")).")
  }

  @Sendable private func show(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let given = context.query
    let job = try given[RunParameter.job]
    let (zone, now) = await ports.query { core, now in
      let own = job.flatMap { core.view(of: $0, at: now) }?.spec.timing.schedule.rules.first?.zone
      return (own ?? core.currentSettings.zone, now.wall)
    }
    let until = try given[Self.until] ?? now
    let since = try given[Self.since] ?? until - Self.day * 366
    guard since < until else {
      throw Problem(.badRequest, "'since' must be before 'until'")
    }
    guard until - since <= Self.day * HeatQuery.daysMax else {
      throw Problem(.badRequest, "the range has more than \(HeatQuery.daysMax) days")
    }
    let query = HeatQuery(
      job: job, since: since, until: until, zone: zone,
      step: try given[Self.step].flatMap(HeatMap.Step.init) ?? .day)
    let map = try await ports.fromArchive(walks: true) { (archive) throws(ArchiveError) in
      try archive.heat(query)
    }
    guard let map else { throw ports.noLedger }
    if let job, map.cells.allSatisfy({ $0.tally.runs == 0 && $0.tally.notRun == 0 }) {
      try await ports.requireKnown(job)
    }
    var shown = API.HeatMap()
    shown.from = since
    shown.to = until
    shown.timezone = zone.name
    shown.job = job?.text
    shown.cells = map.cells.map { API.HeatMap.Cell($0) }
    return .json(shown)
  }
}
