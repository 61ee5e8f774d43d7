import Hummingbird
import NIOCore
import TaktCore
import TaktTime

/// Slots to come as a calendar that other programs subscribe to.
struct CalendarRoutes {
  /// So many slots of one job are shown.
  private static let slotsMax = 300
  private static let spanMax = 31 * 86_400

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get("/calendar.ics", calendar)
  }

  @Sendable private func calendar(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = try Query(request, "ahead", "match", "limit")
    let ahead = Duration.seconds(try query.integer("ahead", 0...Self.spanMax, default: 7 * 86_400))
    let wanted = JobList(
      after: nil, limit: try query.integer("limit", 1...500, default: 100),
      match: try query.text("match"), state: nil, order: .name)
    let specs = await wanted.page(from: ports).jobs.map(\.view.spec)
    let (foresights, now) = await ports.query { core, now in
      (specs.map { core.previewInput(of: $0.name, at: now) }, now)
    }
    let end = now.wall + ahead
    let events = zip(specs, foresights).flatMap { spec, foresight in
      (foresight?.slots(count: Self.slotsMax) ?? []).prefix { $0.due <= end }
        .map { SlotCalendar.Event(spec, $0) }
    }
    let text = SlotCalendar(events, at: now.wall).text
    return Response(
      status: .ok, headers: [.contentType: "text/calendar; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
