import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

/// The stream of events, as a browser reads it.
@Suite struct EventRouteTests {
  /// One event of the stream.
  private struct Event: Equatable {
    var id: Int?
    var event: String
    var message: String?
  }

  private func events(in text: String) -> [Event] {
    text.components(separatedBy: "\n\n").dropLast().map { block in
      var fields: [String: String] = [:]
      for line in block.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2 { fields[parts[0]] = parts[1].trimmingCharacters(in: .whitespaces) }
      }
      let data = Data((fields["data"] ?? "").utf8)
      let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
      return Event(
        id: fields["id"].flatMap { Int($0) }, event: fields["event"] ?? "",
        message: object?["message"] as? String)
    }
  }

  private func logOutput(_ text: String, _ world: ControlWorld, job: String? = nil) {
    let fields = job.map { [LogField(.job, .text($0))] } ?? []
    world.readModel.observe(
      LogRecord(
        at: ControlWorld.wall, .notice, .scheduler, fields + [LogField(.message, .text(text))]))
  }

  private func follow(
    _ world: ControlWorld, _ query: String = "", headers: [String] = []
  ) throws -> Wire {
    let wire = try world.connect()
    wire.send("GET", "/api/v1/events\(query)", nil, headers)
    let head = try wire.head()
    #expect(head.status == 200 && head.headers["content-type"] == "text/event-stream")
    #expect(head.headers["connection"] == "close" && head.headers["x-accel-buffering"] == "no")
    return wire
  }

  @Test func `events come with their numbers, as they happen`() async throws {
    let world = try await ControlWorld(isStarted: false)
    logOutput("one", world)
    logOutput("two", world)
    let wire = try follow(world, "?after=0")
    #expect(
      events(in: try wire.body(until: "two")) == [
        Event(id: 1, event: "scheduler", message: "one"),
        Event(id: 2, event: "scheduler", message: "two"),
      ])
    logOutput("three", world)
    #expect(events(in: try wire.body(until: "three")).map(\.id) == [3])
    #expect(try world.get("/api/v1/status")["clients"] as? Int == 1)
  }

  @Test func `without a number only what is new comes`() async throws {
    let world = try await ControlWorld(isStarted: false)
    logOutput("old", world)
    let wire = try follow(world)
    logOutput("new", world)
    #expect(events(in: try wire.body(until: "new")).map(\.message) == ["new"])
  }

  @Test(arguments: ["?after=2", ""]) func `who comes back continues where he was`(
    query: String
  ) async throws {
    let world = try await ControlWorld(isStarted: false)
    for number in 1...4 { logOutput("\(number)", world) }
    // A browser's header counts if the address has no number.
    let wire = try follow(world, query, headers: ["Last-Event-ID: \(query.isEmpty ? 2 : 3)"])
    #expect(events(in: try wire.body(until: "id: 4")).map(\.id) == [3, 4])
  }

  @Test func `a number of another daemon starts again`() async throws {
    let world = try await ControlWorld(isStarted: false)
    logOutput("one", world)
    let wire = try follow(world, "?after=1000000")
    #expect(events(in: try wire.body(until: "one")).map(\.id) == [1])
  }

  @Test func `a client that was away too long learns which events are gone`() async throws {
    let world = try await ControlWorld(isStarted: false)
    for number in 0..<(EventRing.recordsMax + 10) { logOutput("\(number)", world) }
    let wire = try follow(world, "?after=3")
    let text = try wire.body(until: "id: 11\n")
    #expect(text.hasPrefix("event: gap\ndata: {\"from\":4,\"to\":10}\n\n"))
    let last = EventRing.recordsMax + 10
    let rest = try wire.body(until: "id: \(last)\n")
    #expect(events(in: text + rest).count == EventRing.recordsMax + 1)
  }

  @Test func `events of one job come alone`() async throws {
    let world = try await ControlWorld(isStarted: false)
    for number in 1...300 { logOutput("\(number)", world, job: number % 3 == 0 ? "a.b" : "other") }
    logOutput("of none", world)
    let wire = try follow(world, "?after=0&job=a.b")
    let found = events(in: try wire.body(until: "id: 300\n"))
    #expect(found.count == 100 && found.allSatisfy { ($0.id ?? 1) % 3 == 0 })
  }

  @Test func `a reader without news hears that the scheduler answers, as long as it does`()
    async throws
  {
    let world = try await ControlWorld()
    let wire = try follow(world)
    #expect(try wire.body(until: ": \n\n") == ": \n\n")
    world.scheduler.fallSilent()
    await world.scheduler.awaitUnanswered()
    logOutput("news", world)
    #expect(!(try wire.body(until: "news")).contains(": \n\n"))
    world.scheduler.speak()
    #expect(try wire.body(until: ": \n\n").hasSuffix(": \n\n"))
  }

  @Test(arguments: ["after=-1", "after=x", "job=a/b", "job=", "since=1", "after=1&after=2"])
  func `what events do not take is refused`(query: String) async throws {
    let world = try await ControlWorld()
    #expect(try world.get("/api/v1/events?\(query)").problem == "400 badRequest")
    #expect(try world.get("/api/v1/status")["clients"] as? Int == 0)
  }

  @Test(arguments: ["x", "-1", "99999999999999999999"])
  func `a last event that is no number is refused`(id: String) async throws {
    let reply = try await ControlWorld().get("/api/v1/events", headers: ["Last-Event-ID: \(id)"])
    #expect(reply.problem == "400 badRequest")
    #expect(reply["title"] as? String == "Last-Event-ID must be the number of an event")
  }

  @Test func `so many may read at once, and a place is free when one goes`() async throws {
    let world = try await ControlWorld(descriptors: 3000)
    var wires = try (0..<EventRoutes.readersMax).map { _ in try follow(world) }
    let beyond = try world.get("/api/v1/events")
    #expect(beyond.problem == "429 tooMany")
    #expect(beyond["title"] as? String == "there are already 256 readers of events")
    wires.removeLast()
    // The server sees the end of a connection only when the system reports it.
    while try world.get("/api/v1/status")["clients"] as? Int == EventRoutes.readersMax {}
    wires.append(try follow(world))
  }

  @Test func `those who read come to their end when the control is closed`() async throws {
    let world = try await ControlWorld(isStarted: false)
    let wire = try follow(world)
    world.server.close()
    #expect(try wire.chunk() == nil && wire.isClosed())
    #expect(!FileManager.default.fileExists(atPath: world.socket))
  }
}
