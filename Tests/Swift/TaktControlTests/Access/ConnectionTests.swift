import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

@Suite struct ConnectionTests {
  @Test func `connections beyond the bound are closed, and there is room when one goes`()
    async throws
  {
    let world = try await ControlWorld(descriptors: 12)
    #expect(world.connections.perListener == 4)
    var wires = try (0..<4).map { _ in try world.connect() }
    for wire in wires {
      wire.send("GET", "/healthz", nil)
      #expect(try wire.reply().status == 200)
    }
    let beyond = try world.connect()
    #expect(beyond.isClosed())
    wires.removeFirst()
    while try !isAnswered(world) {}
    world.connections.set(descriptors: 30)
    wires += try (0..<6).map { _ in try world.connect() }
    wires.last?.send("GET", "/healthz", nil)
    #expect(try wires.last?.reply().status == 200)
  }

  private func isAnswered(_ world: ControlWorld) throws -> Bool {
    let wire = try world.connect()
    wire.send("GET", "/healthz", nil)
    return (try? wire.reply().status) == 200
  }

  @Test func `one connection serves many requests, in their order`() async throws {
    let world = try await ControlWorld(["a", "b", "c"].map { try .named($0) })
    let wire = try world.connect()
    for name in ["a", "b", "c", "none", "a"] { wire.send("GET", "/api/v1/jobs/\(name)", nil) }
    let replies = try (0..<5).map { _ in try wire.reply() }
    #expect(replies.map(\.status) == [200, 200, 200, 404, 200])
    #expect(replies.compactMap { $0["name"] as? String } == ["a", "b", "c", "a"])
  }

  @Test func `many at once get each their own answer`() async throws {
    let names = (0..<50).map { "job-\($0)" }
    let world = try await ControlWorld(names.map { try .named($0) })
    let wires = try names.map { name in
      let wire = try world.connect()
      wire.send("GET", "/api/v1/jobs/\(name)", nil)
      return wire
    }
    #expect(try wires.map { try $0.reply()["name"] as? String } == names)
  }

  @Test(arguments: [
    "\r\n\r\n", "hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost takt\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
  ])
  func `what is no HTTP is refused, and the others are served`(text: String) async throws {
    let world = try await ControlWorld()
    let wire = try world.connect()
    wire.send(text)
    wire.finishSending()
    #expect(wire.isClosed())
    #expect(try world.get("/healthz").status == 200)
  }

  @Test func `a header that is too long is refused`() async throws {
    let world = try await ControlWorld()
    let most = try world.get(
      "/healthz", headers: ["X-Long: " + String(repeating: "x", count: 8000)])
    #expect(most.status == 200)
    let wire = try world.connect()
    wire.send("GET / HTTP/1.1\r\nHost: takt\r\nX: " + String(repeating: "x", count: 40_000))
    #expect(wire.isClosed())
    let many = try world.connect()
    let headers = (0..<200).map { "X-\($0): 1" }.joined(separator: "\r\n")
    many.send("GET / HTTP/1.1\r\nHost: takt\r\n\(headers)\r\n\r\n")
    #expect(many.isClosed())
    #expect(try world.get("/healthz").status == 200)
  }

  @Test func `a query that is too long is refused as others are`() async throws {
    let wire = try await ControlWorld().connect()
    wire.send("GET", "/api/v1/jobs?match=" + String(repeating: "x", count: 14_000), nil)
    let reply = try wire.reply()
    #expect(reply.problem == "400 badRequest")
    #expect((reply["detail"] as? String)?.contains("8 KB") == true, "\(reply.text)")
    #expect(wire.isClosed())
  }

  @Test func `who goes away in the middle disturbs nobody`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    for _ in 0..<20 {
      try world.connect().send("GET", "/api/v1/runs/\(run)?wait=60", nil)
      try world.connect().send("POST /api/v1/plan HTTP/1.1\r\nContent-Length: 100\r\n\r\nx")
    }
    #expect(try world.get("/api/v1/runs/\(run)")["state"] as? String == "running")
  }
}
