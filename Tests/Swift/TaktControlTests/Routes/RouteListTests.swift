import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

/// The routes against the description of the API.
@Suite struct RouteListTests {
  @Test func `routes and description name the same paths and methods`() async throws {
    let description = try APIDescription()
    let described = Set(
      description.paths.flatMap { path, methods in methods.map { "\($0.uppercased()) \(path)" } })
    let world = try await ControlWorld([.named("a", every: nil)])
    for route in described {
      let words = route.split(separator: " ").map(String.init)
      let target = words[1].replacing("{job}", with: "a").replacing("{run}", with: "1")
        .replacing("{machine}", with: "m")
      let reply = try world.ask(words[0] == "GET" ? "DELETE" : "PUT", target)
      // An existing route has another method; the page is in no description.
      #expect(reply.problem == "405 methodNotAllowed", "\(route): \(reply.text)")
      #expect(reply.headers["allow"]?.contains(words[0]) == true, "\(route)")
      let allowed = (reply.headers["allow"] ?? "").components(separatedBy: ", ")
      for method in allowed where method != "HEAD" {
        #expect(described.contains("\(method) \(words[1])"), "\(method) \(words[1])")
      }
    }
    #expect(described.count > 20)
  }

  @Test func `docs have the description that a daemon gives`() async throws {
    let reply = try await ControlWorld().get("/api/v1/openapi.json")
    #expect(reply.headers["content-type"] == "application/json")
    let json = try JSONSerialization.jsonObject(with: Data(reply.bytes))
    let text = try JSONSerialization.data(
      withJSONObject: json, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    if ProcessInfo.processInfo.environment["TAKT_WRITE_REFERENCE"] == "1" {
      try (text + Data("\n".utf8)).write(to: APIDescription.file)
    }
    let kept = try Data(contentsOf: APIDescription.file)
    #expect(
      kept == text + Data("\n".utf8), "run the tests with TAKT_WRITE_REFERENCE=1 to write it anew")
  }

  @Test func `each route, parameter and field is described by a sentence`() throws {
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: APIDescription.file))
    let document = try #require(json as? [String: Any])
    var count = 0
    for (path, methods) in document["paths"] as? [String: [String: Any]] ?? [:] {
      for (method, value) in methods where method != "parameters" {
        let route = value as? [String: Any] ?? [:]
        #expect((route["summary"] as? String)?.isEmpty == false, "\(method) \(path)")
        for parameter in route["parameters"] as? [[String: Any]] ?? [] {
          let sentence = parameter["description"] as? String
          #expect(sentence?.isEmpty == false, "\(method) \(path): \(parameter["name"] ?? "")")
          count += 1
        }
      }
    }
    func look(at schema: [String: Any], _ place: String) {
      for (name, value) in schema["properties"] as? [String: [String: Any]] ?? [:] {
        let sentence = value["description"] as? String
        #expect(sentence?.isEmpty == false, "\(place).\(name)")
        count += 1
        look(at: value["items"] as? [String: Any] ?? value, "\(place).\(name)")
      }
      for part in schema["allOf"] as? [[String: Any]] ?? [] { look(at: part, place) }
    }
    let components = document["components"] as? [String: Any]
    for (name, schema) in components?["schemas"] as? [String: [String: Any]] ?? [:] {
      look(at: schema, name)
    }
    #expect(count > 200)
  }

  @Test func `a parameter that no description names cannot be read`() throws {
    let known = Parameter.flag("known", "One that is described")
    let other = Parameter.flag("other", "One that is not")
    let query = try Query([("known", "true")], [known.about])
    #expect(try query[known])
    #expect(throws: Problem.self) { try query[other] }
  }

  /// Answers of a busy world, each compared with the description.
  @Test func `every answer has the form that the description gives it`() async throws {
    let description = try APIDescription()
    let world = try await Self.busyWorld()
    let run = try world.trigger("queued")
    let requests = [
      "GET /api/v1/status", "GET /api/v1/cluster", "GET /api/v1/jobs", "GET /api/v1/jobs?match=odd",
      "GET /api/v1/runs",
      "GET /api/v1/runs?hooks=true&failed=true", "GET /api/v1/runs/\(run)", "GET /api/v1/runs/1",
      "GET /api/v1/agenda", "GET /api/v1/heatmap", "GET /api/v1/heatmap?step=hour",
      "GET /api/v1/slots", "GET /api/v1/slots?job=busy&not_run=true", "GET /api/v1/slots?limit=0",
      "GET /api/v1/jobs?for_each=busy", "GET /api/v1/timeline", "GET /api/v1/plan",
      "GET /api/v1/jobs?durations=true",
      "GET /api/v1/runs/1/output?records=true", "GET /api/v1/jobs/busy", "GET /api/v1/jobs/resting",
      "GET /api/v1/jobs/busy/slots", "GET /api/v1/jobs/busy/forecast?from=2027-01-01T00:00:00Z",
      "GET /api/v1/jobs/off/forecast?from=2027-01-01T00:00:00Z&until=2027-01-02T00:00:00Z",
      "GET /api/v1/jobs/none/forecast?from=2027-01-01T00:00:00Z",
      "GET /api/v1/jobs/busy/forecast", "GET /api/v1/address", "GET /api/v1/jobs/none",
      "GET /api/v1/runs/999", "GET /api/v1/jobs?x", "GET /api/v1/runs?limit=0",
      "POST /api/v1/jobs/busy/trigger", "POST /api/v1/jobs/odd-1.x/trigger",
      "POST /api/v1/jobs/busy/suspend", "POST /api/v1/jobs/busy/resume",
      "POST /api/v1/jobs/busy/resume", "POST /api/v1/runs/\(run)/cancel",
      "POST /api/v1/runs/\(run)/cancel", "POST /api/v1/jobs/busy/cancel", "POST /api/v1/plan",
      "POST /api/v1/reload", "POST /api/v1/once", "POST /api/v1/calendar/address",
    ]
    for request in requests {
      let words = request.split(separator: " ").map(String.init)
      let reply = try world.ask(words[0], words[1], words[0] == "POST" ? "" : nil)
      let problems = description.problems(of: reply, to: words[0], words[1])
      #expect(problems.isEmpty, "\(request): \(reply.status) \(problems) \(reply.text)")
    }
    world.reload.set(
      MemoryReload.refused(
        Diagnostic(.syntax, at: SourceLocation(file: "f", line: 1, column: 2), "no", hint: "yes")))
    for route in ["plan", "reload"] {
      let reply = try world.post("/api/v1/\(route)")
      #expect(description.problems(of: reply, to: "POST", "/api/v1/\(route)").isEmpty)
    }
    let status = try world.get("/api/v1/status")
    #expect(description.problems(of: status, to: "GET", "/api/v1/status").isEmpty)
  }

  @Test func `an answer that breaks the description is found`() throws {
    let description = try APIDescription()
    func problems(_ json: String, status: Int = 200, _ target: String) -> [String] {
      description.problems(
        of: Reply(
          status: status, headers: ["content-type": "application/json"], bytes: Array(json.utf8)),
        to: "GET", target)
    }
    #expect(problems(#"{"slots":[]}"#, "/api/v1/jobs/a/slots").isEmpty)
    for (json, target) in [
      ("[]", "/api/v1/jobs/a/slots"), (#"{"slots":{}}"#, "/api/v1/jobs/a/slots"),
      (#"{"runs":[{"run":"1"}]}"#, "/api/v1/runs"), (#"{"jobs":[]}"#, "/api/v1/jobs"),
      (#"{}"#, "/api/v1/status"), ("no JSON", "/api/v1/status"),
    ] {
      #expect(!problems(json, target).isEmpty, "\(json)")
    }
    #expect(!problems("{}", status: 418, "/api/v1/status").isEmpty)
  }

  private static func busyWorld() async throws -> ControlWorld {
    let old = try JobSpec.named("gone")
    let world = try await ControlWorld(
      [
        .named("busy", tags: ["x"], summary: "Is busy"), .named("odd-1.x", every: nil),
        .named("off", isEnabled: false), .named("queued", every: nil), .named("resting"),
      ], settings: SchedulerSettings(maxRunning: 1),
      archive: MemoryArchive([
        .kept(1, "busy", .failed), .kept(2, "busy", kind: .hook, parent: 1), .kept(3, "old"),
      ]))
    world.scheduler.pass(.seconds(61))
    _ = try world.post("/api/v1/jobs/resting/suspend", #"{"for":"1h","reason":"x"}"#)
    world.reload.set(
      MemoryReload.applied(
        from: [old], to: [try .named("came")], settings: ["max_running: 1 → 2"],
        diagnostics: [
          Diagnostic(severity: .warning, .empty, at: SourceLocation(file: "f"), "odd")
        ]))
    _ = try world.post("/api/v1/reload")
    _ = try await world.listenOnNetwork()
    return world
  }
}
