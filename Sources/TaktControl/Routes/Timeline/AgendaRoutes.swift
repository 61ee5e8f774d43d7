import Hummingbird
import TaktAPI
import TaktCore
import TaktTime

/// The recent past and the future of all jobs together.
struct AgendaRoutes {
  /// The most decided slots that are read from the ledger, the newest.
  private static let pastMax = 20_000
  private static let spanMax = Duration.seconds(31 * 86_400)
  private static let day = Duration.seconds(86_400)
  /// The most jobs in one turn of the scheduler's queue.
  private static let turnCount = 1024

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get(
      "/api/v1/agenda",
      RouteAbout(
        "agenda",
        "Slots of all jobs that were and that come, in the order of time; which will run at once, and what "
          + "holidays and clock changes do to them", .object(API.Agenda.self, "The agenda")
      ).explained(
        "Of a job with more than \(Agenda.slotsShown) slots to come, one entry stands for all; so of those "
          + "of the past that succeeded, or that another machine has."
      ).taking(Self.since, Self.until, Self.limit), agenda)
  }

  private static let since = Parameter.instant(
    "since", "The start; by default 18:00 yesterday, in takt's zone")
  private static let until = Parameter.instant("until", "The end; by default 24 hours from now")
  private static let limit = Parameter.integer(
    "limit", 1...5000, default: 500, "Maximum number of entries of the past, and of those to come")

  @Sendable private func agenda(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    let (names, settings, now) = await ports.query { core, now in
      (Array(core.jobNames), core.currentSettings, now)
    }
    let lastNight = Agenda.Range.lastNight(before: now.wall, in: settings.zone)
    let range = Agenda.Range(
      from: try query[Self.since] ?? lastNight, now: now.wall,
      to: try query[Self.until] ?? now.wall + Self.day, zone: settings.zone)
    guard range.from < range.to else {
      throw Problem(.badRequest, "'since' must be before 'until'")
    }
    guard range.to - range.from <= Self.spanMax else {
      throw Problem(.badRequest, "the range has more than 31 days")
    }
    var inputs: [SlotPreviewInput] = []
    for start in stride(from: 0, to: names.count, by: Self.turnCount) where range.to > now.wall {
      let turn = names[start..<min(start + Self.turnCount, names.count)]
      inputs += await ports.query { core, now in
        turn.compactMap { core.previewInput(of: $0, at: now) }
      }
    }
    let limit = try query[Self.limit]
    let (foreseen, archive) = (inputs, ports.archive)
    let (agenda, isCut) = try await WalkQueue.shared.perform {
      let (past, means) = Self.behind(range, archive)
      let agenda = Agenda(
        range, of: foreseen.map { AgendaJob($0, mean: means[$0.name]) },
        past: Array(past.prefix(Self.pastMax)), limit: limit)
      return (agenda, past.count > Self.pastMax)
    }
    var shown = API.Agenda(agenda, maxRunning: settings.maxRunning)
    shown.pastTruncated = isCut
    return .json(shown)
  }

  /// The ledger's part; empty if it cannot be read, which is no reason to hide what is to come.
  private static func behind(
    _ range: Agenda.Range, _ archive: (any RunArchive)?
  ) -> ([DecidedSlot], [JobName: Duration]) {
    let means = (try? archive?.meanDurations()) ?? [:]
    guard range.from < range.now else { return ([], means) }
    var query = SlotQuery()
    query.since = range.from
    query.until = min(range.to, range.now)
    // One more tells if there are more.
    query.limit = pastMax + 1
    query.walks = true
    return ((try? archive?.slots(query)) ?? [], means)
  }
}
