import Hummingbird
import TaktCore
import TaktTime
import DequeModule

/// What was and what will be, for a picture.
struct TimelineRoutes {
  /// So many slots of one job are shown on either side of now.
  private static let slotsMax = 200
  private static let wakesMax = 5_000

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get("/api/v1/timeline", timeline)
  }

  @Sendable private func timeline(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = try Query(request, "past", "ahead", "match", "limit")
    let past = Duration.seconds(try query.integer("past", 0...86_400, default: 3600))
    let ahead = Duration.seconds(try query.integer("ahead", 0...86_400, default: 3600))
    let wanted = JobList(
      after: nil, limit: try query.integer("limit", 1...500, default: 50),
      match: try query.text("match"), state: nil)
    let page = await wanted.page(from: ports)
    let names = page.jobs.map(\.view.spec.name)
    let (foresights, now) = await ports.query { core, now in
      (names.map { core.previewInput(of: $0, at: now) }, now)
    }
    let (from, to) = (now.wall - past, now.wall + ahead)
    let behind = await ports.readModel.read { Behind($0, of: Set(names), since: from) }
    var isTruncated = page.after != nil || behind.isTruncated
    var json = JSONWriter()
    json.object { json in
      json.member("from", from)
      json.member("to", to)
      json.member("now", now.wall)
      json.key("jobs")
      json.array(zip(page.jobs, foresights)) { json, job in
        let name = job.0.view.spec.name
        let coming = job.1?.slots(count: Self.slotsMax).prefix { $0.due <= to } ?? []
        if coming.count == Self.slotsMax { isTruncated = true }
        json.object { json in
          json.member("job", name.text)
          json.key("slots")
          json.array { json in
            for slot in behind.slots[name] ?? [] { json.value(past: slot) }
            for slot in coming { json.value(coming: slot) }
          }
          json.key("runs")
          json.array(behind.runs[name] ?? []) { $0.value(bar: $1) }
        }
      }
      json.key("wakes")
      json.array(behind.wakes) { $0.value($1.rfc3339()) }
      json.key("truncated")
      json.value(isTruncated)
    }
    return .json(json)
  }

  private struct Behind: Sendable {
    var slots: [JobName: [ControlState.PastSlot]] = [:]
    var runs: [JobName: [StoredRun]] = [:]
    var wakes: [WallInstant]
    var isTruncated = false

    init(_ state: ControlState, of names: Set<JobName>, since from: WallInstant) {
      for slot in state.pastSlots where slot.at >= from && names.contains(slot.job) {
        slots[slot.job, default: []].append(slot)
      }
      for run in Array(state.ended) + state.begun.values.sorted(by: { $0.head.run < $1.head.run }) {
        guard names.contains(run.head.job), run.head.kind != .hook, run.beganAt != nil,
          run.endedAt.map({ $0 >= from }) ?? true
        else { continue }
        runs[run.head.job, default: []].append(run)
      }
      wakes = state.pastWakes.filter { $0 >= from }
      if wakes.count > TimelineRoutes.wakesMax {
        wakes = Array(wakes.suffix(TimelineRoutes.wakesMax))
        isTruncated = true
      }
      for (name, all) in slots where all.count > TimelineRoutes.slotsMax {
        slots[name] = Array(all.suffix(TimelineRoutes.slotsMax))
        isTruncated = true
      }
      for (name, all) in runs where all.count > TimelineRoutes.slotsMax {
        runs[name] = Array(all.suffix(TimelineRoutes.slotsMax))
        isTruncated = true
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func value(past slot: ControlState.PastSlot) {
    object { json in
      json.member("slot", slot.slot)
      json.member("due", slot.due)
      json.member("window_ms", slot.window)
      json.member("verdict", slot.verdict.name)
      json.member("reason", slot.verdict.detail)
    }
  }

  fileprivate mutating func value(coming slot: Slot) {
    object { json in
      json.member("slot", slot.nominal)
      json.member("due", slot.due)
      json.member("window_ms", slot.window)
    }
  }

  fileprivate mutating func value(bar run: StoredRun) {
    object { json in
      json.member("run", run.head.run.number)
      json.member("began", run.beganAt)
      json.member("ended", run.endedAt)
      json.member("outcome", run.end?.outcome.rawValue)
    }
  }
}
