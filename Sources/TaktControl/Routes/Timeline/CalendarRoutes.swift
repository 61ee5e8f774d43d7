import Hummingbird
import NIOCore
import TaktAPI
import TaktCore
import TaktTime

/// Slots to come as a calendar that other programs subscribe to.
struct CalendarRoutes {
  private static let slotsMax = 300
  private static let spanMax = 31 * 86_400

  let ports: ControlPorts
  let network: NetworkAddress
  let token: CalendarToken

  func add(to routes: inout RouteList) {
    routes.get(
      CalendarToken.path, needs: .calendar,
      RouteAbout(
        "calendar",
        "The slots to come as a calendar (iCalendar, RFC 5545), at most 300 of a job and 5000 in all",
        .text("The calendar", "text/calendar")
      ).taking(Self.ahead, TimelineRoutes.match, Self.limit, Self.token), calendar)
    routes.post(
      "/api/v1/calendar/address", needs: .socket,
      RouteAbout(
        "calendarAddress",
        "The calendar's address, with a token for it alone; only on the Unix socket",
        .object(API.Address.self, "The address"), .tooLarge,
        .problem(404, "There is no web page")
      ).taking(.object(API.CalendarOrder.self)), address)
  }

  /// The one token that may be in an address; the access has compared it.
  private static let token = Parameter.text(
    CalendarToken.parameter,
    "The calendar's own token, in place of any other login; 'takt open --calendar' prints it")
  private static let ahead = Parameter.integer(
    "ahead", 0...spanMax, default: 7 * 86_400, "Seconds into the future")
  private static let limit = Parameter.integer(
    "limit", 1...500, default: 100, "Maximum number of jobs")

  /// For takt's own user only, who may read the token's file anyway.
  @Sendable private func address(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let isReplaced = try await request.decodeBody(API.CalendarOrder.self).replace ?? false
    let result = await TokenQueue.perform { [network, token] in
      Result { () throws(Token.FileError) in
        try network.calendar(token, isReplaced: isReplaced)
      }
    }
    switch result {
    case .success(let address?):
      var shown = API.Address()
      shown.address = address
      return .json(shown)
    case .success(nil): throw network.problem
    case .failure(let error):
      throw Problem(.internalError, "the calendar has no token", detail: error.message)
    }
  }

  @Sendable private func calendar(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    let ahead = Duration.seconds(try query[Self.ahead])
    let wanted = JobList(
      after: nil, limit: try query[Self.limit], match: try query[TimelineRoutes.match], state: nil,
      order: .name)
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
