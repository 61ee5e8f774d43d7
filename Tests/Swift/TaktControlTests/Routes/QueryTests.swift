import Testing

@testable import TaktCore

/// Queries are read strictly.
@Suite struct QueryTests {
  @Test(arguments: [
    "/api/v1/status", "/api/v1/address", "/api/v1/openapi.json", "/metrics", "/api/v1/jobs/a",
    "/api/v1/jobs", "/api/v1/runs", "/api/v1/runs/1", "/api/v1/runs/1/output", "/api/v1/timeline",
    "/api/v1/agenda", "/api/v1/heatmap", "/api/v1/events", "/api/v1/slots", "/api/v1/jobs/a/slots",
    "/api/v1/jobs/a/forecast",
    "/calendar.ics",
  ])
  func `a parameter that a route does not take is refused, and those it takes are named`(
    target: String
  ) async throws {
    let world = try await ControlWorld([.named("a")])
    let reply = try world.get("\(target)?lmit=5")
    #expect(reply.problem == "400 badRequest")
    #expect(reply["title"] as? String == "unknown parameter 'lmit'")
    let detail = try #require(reply["detail"] as? String)
    #expect(
      detail == "This route has none." || detail.hasPrefix("The parameters are "), "\(detail)")
  }

  @Test(arguments: ["trigger", "suspend", "resume", "cancel"])
  func `an order takes no parameters`(order: String) async throws {
    let world = try await ControlWorld([.named("a")])
    #expect(try world.post("/api/v1/jobs/a/\(order)?for=1h").problem == "400 badRequest")
    #expect(try world.get("/api/v1/jobs/a")["state"] as? String == "waiting")
  }

  @Test func `a long name of a parameter is not repeated whole`() async throws {
    let name = String(repeating: "n", count: 500)
    let reply = try await ControlWorld().get("/api/v1/jobs?\(name)=1")
    let title = try #require(reply["title"] as? String)
    #expect(title == "unknown parameter '\(name.prefix(50))'")
  }

  @Test(arguments: [
    "match=a%20b", "match=a+b", "match=%C3%A4", "limit=05", "state=waiting&limit=2", "",
    "match=a&after=b", "match=%26",
  ])
  func `what is written correctly is taken`(query: String) async throws {
    #expect(try await ControlWorld([.named("a")]).get("/api/v1/jobs?\(query)").status == 200)
  }

  @Test(arguments: [
    "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.123456789Z",
    "2026-01-01T00:00:00%2B14:00", "1970-01-01T00:00:00Z",
  ])
  func `an instant has an offset, and any number of places`(text: String) async throws {
    #expect(try await ControlWorld().get("/api/v1/runs?since=\(text)").status == 200)
  }

  @Test(arguments: [
    "2026-01-01", "2026-01-01T00:00:00", "now", "0", "", "2026-13-01T00:00:00Z",
    "2026-01-01T00:00:00.Z", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z",
  ])
  func `what is no instant is refused`(text: String) async throws {
    let reply = try await ControlWorld().get("/api/v1/runs?since=\(text)")
    #expect(reply.problem == "400 badRequest" && reply["detail"] as? String == "From 1970 to 2200.")
  }
}
