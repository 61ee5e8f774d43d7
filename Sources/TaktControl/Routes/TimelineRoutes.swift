import Hummingbird
import TaktCore
import TaktTime

/// What was and what will be, for a picture.
struct TimelineRoutes {
  /// So many slots of one job that are still to come are shown.
  private static let comingMax = 300
  private static let spanMax = 31 * 86_400

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get("/api/v1/timeline", timeline)
  }

  @Sendable private func timeline(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = try Query(request, "past", "ahead", "match", "limit", "order")
    let past = Duration.seconds(try query.integer("past", 0...Self.spanMax, default: 3600))
    let ahead = Duration.seconds(try query.integer("ahead", 0...Self.spanMax, default: 3600))
    let wanted = JobList(
      after: nil, limit: try query.integer("limit", 1...500, default: 50),
      match: try query.text("match"), state: nil, order: try order(query))
    let page = await wanted.page(from: ports)
    let names = page.jobs.map(\.view.spec.name)
    let (foresights, now) = await ports.query { core, now in
      (names.map { core.previewInput(of: $0, at: now) }, now)
    }
    let (from, to) = (now.wall - past, now.wall + ahead)
    let recent = await ports.readModel.read { TimelinePast($0, of: Set(names), since: from) }
    // A ledger that cannot be read is no reason to hide what is known without it.
    let behind = (try? await recent.completed(by: ports, names, until: now.wall)) ?? recent
    var isTruncated = page.jobs.count < page.total || behind.isTruncated
    var json = JSONWriter()
    json.object { json in
      json.member("from", from)
      json.member("to", to)
      json.member("now", now.wall)
      json.key("jobs")
      json.array(zip(page.jobs, foresights)) { json, job in
        let name = job.0.view.spec.name
        let all = job.1?.slots(count: Self.comingMax) ?? []
        let coming = all.prefix { $0.due <= to }
        let hasMore = coming.count == Self.comingMax
        if hasMore { isTruncated = true }
        json.object { json in
          json.member("job", name.text)
          json.key("slots")
          json.array { json in
            for slot in behind.slots(of: name, until: now.wall) { json.value(past: slot) }
            for slot in coming { json.value(coming: slot) }
          }
          // From there on there are more than are listed.
          if hasMore { json.member("slots_until", coming.last?.due) }
          json.key("runs")
          json.array(behind.runs(of: name, until: now.wall)) { $0.value(bar: $1) }
        }
      }
      json.key("wakes")
      json.array(behind.wakes) { $0.value($1.rfc3339()) }
      json.key("interruptions")
      json.array(behind.interruptions(until: now.wall)) { $0.value(interruption: $1) }
      json.member("total", page.total)
      json.key("truncated")
      json.value(isTruncated)
    }
    return .json(json)
  }

  private func order(_ query: Query) throws -> JobList.Sorting {
    guard let text = try query.text("order") else { return .name }
    guard let order = JobList.Sorting(rawValue: text) else {
      let orders = JobList.Sorting.allCases.map(\.rawValue).joined(separator: " or ")
      throw Problem(
        .badRequest, "there is no order '\(text.prefix(50))'", detail: "Use \(orders).")
    }
    return order
  }
}

extension JSONWriter {
  fileprivate mutating func value(past mark: TimelinePast.Mark<ControlState.PastSlot>) {
    let slot = mark.item
    object { json in
      json.member("slot", slot.slot)
      json.member("due", slot.due)
      json.member("window_ms", slot.window)
      json.member("verdict", slot.verdict.name)
      json.member("reason", slot.verdict.detail)
      json.member("run", slot.run?.number)
      if mark.count > 1 { json.member("count", mark.count) }
    }
  }

  fileprivate mutating func value(interruption: TimelinePast.Interruption) {
    object { json in
      json.member("kind", interruption.kind.rawValue)
      json.member("from", interruption.from)
      json.member("to", interruption.to)
    }
  }

  fileprivate mutating func value(coming slot: Slot) {
    object { json in
      json.member("slot", slot.nominal)
      json.member("due", slot.due)
      json.member("window_ms", slot.window)
    }
  }

  fileprivate mutating func value(bar mark: TimelinePast.Mark<StoredRun>) {
    let run = mark.item
    object { json in
      json.member("run", run.head.run.number)
      json.member("began", run.beganAt)
      json.member("ended", run.endedAt)
      json.member("outcome", run.end?.outcome.rawValue)
      if mark.count > 1 { json.member("count", mark.count) }
    }
  }
}
