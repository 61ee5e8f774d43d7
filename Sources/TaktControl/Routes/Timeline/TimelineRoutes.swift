import Hummingbird
import TaktAPI
import TaktCore
import TaktTime

/// The past and the future, for a chart.
struct TimelineRoutes {
  /// The most slots of one job that are still to come.
  private static let comingMax = 300
  private static let spanMax = 31 * 86_400

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get(
      "/api/v1/timeline",
      RouteAbout(
        "timeline", "Slots, windows, runs and wake-ups of the recent past and the near future",
        .object(API.Timeline.self, "The timeline")
      ).taking(Self.at, Self.past, Self.ahead, Self.match, Self.limit, Self.order), timeline)
  }

  private static let at = Parameter.instant(
    "at", "The instant from which past and ahead are counted; now by default")
  private static let past = Parameter.integer(
    "past", 0...spanMax, default: 3600, "Seconds into the past")
  private static let ahead = Parameter.integer(
    "ahead", 0...spanMax, default: 3600, "Seconds into the future")
  static let match = Parameter.text("match", "Only these jobs")
  private static let limit = Parameter.integer(
    "limit", 1...500, default: 50, "Maximum number of jobs")
  private static let orders = JobList.Sorting.allCases.map(\.rawValue)
  private static let order = Parameter.choice(
    "order", orders, default: JobList.Sorting.name.rawValue,
    "Which jobs come first: by name, or those whose last runs failed, then those whose last slots did "
      + "not run or started late"
  ) { text in
    Problem(
      .badRequest, "there is no order '\(text.prefix(50))'",
      detail: "Use \(orders.joined(separator: " or ")).")
  }

  @Sendable private func timeline(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    let at = try query[Self.at]
    let past = Duration.seconds(try query[Self.past])
    let ahead = Duration.seconds(try query[Self.ahead])
    let wanted = JobList(
      after: nil, limit: try query[Self.limit], match: try query[Self.match], state: nil,
      order: try query[Self.order].flatMap(JobList.Sorting.init) ?? .name)
    let page = await wanted.page(from: ports)
    let names = page.jobs.map(\.view.spec.name)
    let (foresights, now) = await ports.query { core, now in
      (names.map { core.previewInput(of: $0, at: now) }, now)
    }
    let middle = at ?? now.wall
    let (from, to) = (middle - past, middle + ahead)
    let recent = await ports.readModel.read {
      TimelinePast($0, of: Set(names), from: from, to: to)
    }
    // A ledger that cannot be read is no reason to hide what is known without it.
    let behind = (try? await recent.completed(by: ports, names, until: now.wall)) ?? recent
    var shown = API.Timeline()
    shown.from = from
    shown.to = to
    shown.now = now.wall
    shown.truncated = page.jobs.count < page.total || behind.isTruncated
    for (job, foresight) in zip(page.jobs, foresights) {
      let name = job.view.spec.name
      let coming =
        to < now.wall
        ? []
        : (foresight?.slots(
          from: from, count: Self.comingMax, before: to + .milliseconds(1)) ?? [])
          .prefix { $0.due <= to }
      var lane = API.Timeline.Job()
      lane.job = name.text
      lane.slots =
        behind.slots(of: name, until: min(now.wall, to)).map { API.Timeline.Job.Slot($0) }
        + coming.map { API.Timeline.Job.Slot($0) }
      // Beyond it there are more than are listed.
      if coming.count == Self.comingMax {
        lane.slotsUntil = coming.last?.due
        shown.truncated = true
      }
      lane.runs = behind.runs(of: name, until: min(now.wall, to)).map { API.Timeline.Job.Run($0) }
      shown.jobs.append(lane)
    }
    shown.wakes = Array(behind.wakes)
    shown.interruptions = behind.interruptions(until: now.wall).map {
      API.Timeline.Interruption($0)
    }
    shown.total = page.total
    return .json(shown)
  }
}

extension API.Timeline.Job.Slot {
  fileprivate init(_ mark: TimelinePast.Mark<ControlState.PastSlot>) {
    self.init()
    let past = mark.item
    slot = past.slot
    due = past.due
    window = past.window
    verdict = past.verdict.name
    reason = past.verdict.detail
    run = past.run?.number
    count = mark.count > 1 ? mark.count : nil
  }

  /// From a slot that is still to come.
  fileprivate init(_ coming: TaktCore.Slot) {
    self.init()
    slot = coming.nominal
    due = coming.due
    window = coming.window
  }
}

extension API.Timeline.Job.Run {
  fileprivate init(_ mark: TimelinePast.Mark<StoredRun>) {
    self.init()
    let stored = mark.item
    run = stored.head.run.number
    began = stored.beganAt ?? .empty
    ended = stored.endedAt
    outcome = stored.end?.outcome.rawValue
    count = mark.count > 1 ? mark.count : nil
  }
}

extension API.Timeline.Interruption {
  fileprivate init(_ interruption: TimelinePast.Interruption) {
    self.init()
    kind = interruption.kind.rawValue
    from = interruption.from
    to = interruption.to
  }
}
