import Foundation
import TaktTime
import Testing

@testable import TaktControl
@testable import TaktCore

/// The routes against the description of the API.
@Suite struct RouteBookTests {
  @Test func `routes and description name the same paths and methods`() async throws {
    let description = try APIDescription()
    let described = Set(
      description.paths.flatMap { path, methods in methods.map { "\($0.uppercased()) \(path)" } })
    let world = try await ControlWorld([.named("a", every: nil)])
    for route in described {
      let words = route.split(separator: " ").map(String.init)
      let target = words[1].replacing("{job}", with: "a").replacing("{run}", with: "1")
      let reply = try world.ask(words[0] == "GET" ? "DELETE" : "PUT", target)
      // What there is takes another method; the page stands in no description.
      #expect(reply.problem == "405 methodNotAllowed", "\(route): \(reply.text)")
      #expect(reply.headers["allow"]?.contains(words[0]) == true, "\(route)")
      let allowed = (reply.headers["allow"] ?? "").components(separatedBy: ", ")
      for method in allowed where method != "HEAD" {
        #expect(described.contains("\(method) \(words[1])"), "\(method) \(words[1])")
      }
    }
    #expect(described.count > 20)
  }

  @Test func `the description is handed out as it is in the program`() async throws {
    let reply = try await ControlWorld().get("/api/v1/openapi.json")
    #expect(reply.bytes == PageFiles.api && reply.headers["content-type"] == "application/json")
  }

  /// Answers of a world in which much has happened, each as the description says.
  @Test func `every answer has the form that the description gives it`() async throws {
    let description = try APIDescription()
    let world = try await Self.busyWorld()
    let run = try world.trigger("queued")
    let requests = [
      "GET /api/v1/status", "GET /api/v1/jobs", "GET /api/v1/jobs?match=odd", "GET /api/v1/runs",
      "GET /api/v1/runs?hooks=true&failed=true", "GET /api/v1/runs/\(run)", "GET /api/v1/runs/1",
      "GET /api/v1/timeline", "GET /api/v1/jobs/busy", "GET /api/v1/jobs/resting",
      "GET /api/v1/jobs/busy/slots", "GET /api/v1/address", "GET /api/v1/jobs/none",
      "GET /api/v1/runs/999", "GET /api/v1/jobs?x", "GET /api/v1/runs?limit=0",
      "POST /api/v1/jobs/busy/trigger", "POST /api/v1/jobs/odd-1.x/trigger",
      "POST /api/v1/jobs/busy/suspend", "POST /api/v1/jobs/busy/resume",
      "POST /api/v1/jobs/busy/resume", "POST /api/v1/runs/\(run)/cancel",
      "POST /api/v1/runs/\(run)/cancel", "POST /api/v1/jobs/busy/cancel", "POST /api/v1/plan",
      "POST /api/v1/reload",
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

/// The description of the API, and what it says of an answer.
struct APIDescription {
  typealias Object = [String: Any]

  private let document: Object
  /// The methods of each path, in lower case.
  let paths: [String: [String]]

  init() throws {
    let json = try JSONSerialization.jsonObject(with: Data(PageFiles.api))
    document = json as? Object ?? [:]
    paths = (document["paths"] as? [String: Object] ?? [:]).mapValues { methods in
      methods.keys.filter { ["get", "post"].contains($0) }
    }
  }

  /// In what an answer differs from what is described.
  func problems(of reply: Reply, to method: String, _ target: String) -> [String] {
    let parts = target.split(separator: "?")[0].split(separator: "/")
    let path = paths.keys.first { path in
      let names = path.split(separator: "/")
      return names.count == parts.count
        && zip(names, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
    let methods = (document["paths"] as? [String: Object])?[path ?? ""]
    let operation = methods?[method.lowercased()] as? Object
    let responses = operation?["responses"] as? [String: Object]
    guard let response = responses?[String(reply.status)] else {
      return ["no answer \(reply.status) is described"]
    }
    let type = reply.headers["content-type"]?.split(separator: ";").first.map(String.init) ?? ""
    let content = response["content"] as? [String: Object]
    guard let media = content?[type] else { return ["no content of \(type) is described"] }
    guard type.hasSuffix("json"), let schema = media["schema"] as? Object else { return [] }
    guard let value = try? JSONSerialization.jsonObject(with: Data(reply.bytes)) else {
      return ["it is no JSON"]
    }
    return problems(of: value, schema, at: "")
  }

  private func problems(of value: Any, _ schema: Object, at place: String) -> [String] {
    let schema = resolved(schema)
    if let parts = schema["allOf"] as? [Object] {
      return problems(of: value, merged(parts), at: place)
    }
    var found: [String] = []
    if let type = schema["type"] as? String, !Self.has(value, type) {
      return found + ["\(place) is no \(type)"]
    }
    if let words = schema["enum"] as? [String], !words.contains(value as? String ?? "") {
      found.append("\(place) is none of \(words)")
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      found.append("\(place) is not like \(pattern)")
    }
    if let number = value as? Double, let least = schema["minimum"] as? Double, number < least {
      found.append("\(place) is less than \(least)")
    }
    if let items = schema["items"] as? Object {
      for (index, item) in (value as? [Any] ?? []).enumerated() {
        found += problems(of: item, items, at: "\(place)[\(index)]")
      }
    }
    return found + members(of: value as? Object ?? [:], schema, at: place)
  }

  /// One schema of several that hold together.
  private func merged(_ parts: [Object]) -> Object {
    parts.reduce(into: [:]) { whole, part in
      let part = resolved(part)
      let members = part["properties"] as? Object ?? [:]
      whole["properties"] = (whole["properties"] as? Object ?? [:]).merging(members) { $1 }
      whole["required"] =
        (whole["required"] as? [String] ?? []) + (part["required"] as? [String] ?? [])
      whole["type"] = "object"
    }
  }

  /// A schema, or the one that it refers to.
  private func resolved(_ schema: Object) -> Object {
    guard let name = (schema["$ref"] as? String)?.split(separator: "/").last else { return schema }
    let schemas = (document["components"] as? Object)?["schemas"] as? [String: Object]
    return schemas?[String(name)] ?? [:]
  }

  private func members(of value: Object, _ schema: Object, at place: String) -> [String] {
    let known = schema["properties"] as? [String: Object] ?? [:]
    var found = (schema["required"] as? [String] ?? []).filter { value[$0] == nil }
      .map { "\(place).\($0) is missing" }
    for (key, member) in value {
      if let schema = known[key] ?? schema["additionalProperties"] as? Object {
        found += problems(of: member, schema, at: "\(place).\(key)")
      } else if !known.isEmpty {
        found.append("\(place).\(key) is not described")
      }
    }
    return found
  }

  private static func has(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "object": value is Object
    case "array": value is [Any]
    case "string": value is String
    case "boolean": value is Bool
    case "integer": (value as? NSNumber).map { Double($0.int64Value) == $0.doubleValue } ?? false
    case "number": value is NSNumber
    default: false
    }
  }
}
