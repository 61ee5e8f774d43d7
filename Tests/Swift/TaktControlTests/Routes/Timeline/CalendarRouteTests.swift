import Foundation
import Testing

@testable import TaktCore

/// Slots to come, for calendar programs.
@Suite struct CalendarRouteTests {
  @Test func `the slots of the next days are events`() async throws {
    let world = try await ControlWorld([.named("beat", every: .seconds(60)), .named("other")])
    let reply = try world.get("/calendar.ics?ahead=150&match=beat")
    #expect(reply.status == 200)
    let lines = reply.text.components(separatedBy: "\r\n")
    #expect(lines.first == "BEGIN:VCALENDAR" && lines.suffix(2) == ["END:VCALENDAR", ""])
    #expect(
      lines.filter { $0.hasPrefix("DTSTART") } == [
        "DTSTART:20260921T141420Z", "DTSTART:20260921T141520Z",
      ])
    #expect(lines.contains("SUMMARY:beat"))
    #expect(lines.contains("DESCRIPTION:slot 2026-09-21T14:14:20.000Z\\nevery"))
    #expect(Set(lines.filter { $0.hasPrefix("UID:") }).count == 2)
  }

  @Test(arguments: ["ahead=-1", "ahead=x", "limit=0", "limit=501", "past=1"])
  func `what a parameter does not take is refused`(query: String) async throws {
    let world = try await ControlWorld([.named("a")])
    #expect(try world.get("/calendar.ics?\(query)").problem == "400 badRequest")
  }
}
