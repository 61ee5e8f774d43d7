import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

/// The routes of a client that plans or reloads the jobs file.
@Suite struct PlanRouteTests {
  private func step(_ reply: Reply, _ job: String) -> [String: Any] {
    reply.list("steps").first { $0["job"] as? String == job } ?? [:]
  }

  @Test func `a reload takes no keys`() async throws {
    let world = try await ControlWorld()
    let refused = try world.post("/api/v1/reload", #"{"force":true}"#)
    #expect(refused.status == 400 && refused["title"] as? String == "unknown key 'force'")
    #expect(try world.post("/api/v1/reload", "force").status == 400)
    #expect(world.reload.causes.isEmpty)
    _ = try world.post("/api/v1/reload", "{}")
    #expect(world.reload.causes.count == 1)
  }

  @Test func `a plan says what would be done with each job, and nothing is done`() async throws {
    let world = try await ControlWorld()
    let old: [JobSpec] = try [.named("gone", tags: ["x"]), .named("kept"), .named("slow")]
    let new: [JobSpec] = try [
      .named("came", action: .shell("false")), .named("kept"), .named("slow", every: .seconds(90)),
    ]
    world.reload.set(MemoryReload.applied(from: old, to: new, settings: ["max_running: 16 → 4"]))
    let reply = try world.post("/api/v1/plan", "jobs: {}\n")
    #expect(reply.status == 200 && reply["kept"] as? Int == 1)
    #expect(step(reply, "gone")["change"] as? String == "removed")
    #expect(step(reply, "came")["change"] as? String == "added")
    #expect(step(reply, "slow")["change"] as? String == "rearmed")
    let detail = (step(reply, "slow")["details"] as? [[String: Any]])?.first
    #expect(detail?["key"] as? String == "every" && detail?["to"] as? String == "1m30s")
    #expect(reply["settings"] as? [String] == ["max_running: 16 → 4"])
    #expect(world.reload.texts == [Array("jobs: {}\n".utf8)] && world.reload.causes.isEmpty)
    #expect(try world.get("/api/v1/status")["reload"] == nil)
  }

  @Test func `a plan names the settings that a reload does not apply`() async throws {
    let world = try await ControlWorld()
    var report = MemoryReload.applied(from: [], to: [], settings: ["http: none → 127.0.0.1:80"])
    report.keysForRestart = ["http"]
    world.reload.set(report)
    #expect(try world.get("/api/v1/plan")["needs_restart"] as? [String] == ["http"])
    #expect(try world.post("/api/v1/reload")["needs_restart"] as? [String] == ["http"])
  }

  @Test func `the plan of the file on disk says what a reload would do, and does nothing`()
    async throws
  {
    let world = try await ControlWorld()
    world.reload.set(MemoryReload.applied(from: [], to: [try .named("came")]))
    let reply = try world.get("/api/v1/plan")
    #expect(reply.status == 200 && step(reply, "came")["change"] as? String == "added")
    #expect(world.reload.causes.isEmpty && world.reload.texts.isEmpty)
    world.reload.set(
      MemoryReload.refused(
        Diagnostic(.unknownKey, at: SourceLocation(file: "f", line: 1, column: 2), "no")))
    #expect(try world.get("/api/v1/plan").problem == "422 unknownKey")
    #expect(try world.get("/api/v1/plan?file=x").problem == "400 badRequest")
  }

  @Test func `the plan of the file on disk has commands and variables, that of a text has not`()
    async throws
  {
    let world = try await ControlWorld()
    var (old, new) = (try JobSpec.named("a"), try JobSpec.named("a", action: .shell("echo b")))
    old.execution.environment = ["LEVEL": "info", "TOKEN": "hunter1"]
    new.execution.environment = ["LEVEL": "debug", "TOKEN": "hunter2"]
    world.reload.set(MemoryReload.applied(from: [old], to: [new]))
    let plan = try world.get("/api/v1/plan")
    #expect(plan.status == 200 && !plan.text.contains("hunter"))
    let details = step(plan, "a")["details"] as? [[String: Any]] ?? []
    let values = details.flatMap { $0["values"] as? [[String: String]] ?? [] }
    #expect(values.contains(["path": "env.LEVEL", "from": "info", "to": "debug"]))
    #expect(values.contains(["path": "env.TOKEN", "from": "***", "to": "***"]))
    #expect(values.contains { $0["path"] == "run" && $0["to"] == "echo b" })
    #expect(try world.post("/api/v1/reload").text.contains("echo b"))
    let text = try world.post("/api/v1/plan", "jobs: {}\n").text
    #expect(text.contains(#""key":"env""#) && !text.contains("LEVEL") && !text.contains("echo b"))
    #expect(try world.get("/api/v1/plan?x=1").status == 400)
  }

  @Test func `a job that looks renamed is said to be`() async throws {
    let world = try await ControlWorld()
    world.reload.set(MemoryReload.applied(from: [try .named("a")], to: [try .named("b")]))
    let renames = try world.post("/api/v1/plan").list("renames")
    #expect(renames.map { "\($0["from"] ?? "") \($0["to"] ?? "")" } == ["a b"])
  }

  @Test func `a reload says what it did, and the status remembers it`() async throws {
    let world = try await ControlWorld()
    let warning = Diagnostic(
      severity: .warning, .suspicious, at: SourceLocation(file: "jobs.yaml", line: 3, column: 5),
      "often", hint: "rarely", sourceLine: "  a: {every: 1ms}")
    world.reload.set(MemoryReload.applied(from: [], to: [try .named("a")], diagnostics: [warning]))
    let reply = try world.post("/api/v1/reload")
    #expect(reply.status == 200 && step(reply, "a")["change"] as? String == "added")
    let shown = try #require(reply.list("warnings").first)
    #expect(shown["severity"] as? String == "warning" && shown["code"] as? String == "suspicious")
    #expect(shown["line"] as? Int == 3 && shown["column"] as? Int == 5)
    #expect(shown["hint"] as? String == "rarely")
    #expect((shown["text"] as? String)?.contains("a: {every: 1ms}") == true)
    #expect(world.reload.causes == ["request"])
    let last = try #require(try world.get("/api/v1/status")["reload"] as? [String: Any])
    #expect(last["outcome"] as? String == "applied" && last["changed"] as? Int == 1)
    #expect(last["at"] as? String == "2026-09-21T14:13:20.000Z" && last["errors"] == nil)
  }

  @Test func `a file with errors is refused with all of them, and the first one's code`()
    async throws
  {
    let world = try await ControlWorld()
    let file = SourceLocation(file: "jobs.yaml", line: 2, column: 1)
    world.reload.set(
      MemoryReload.refused(
        Diagnostic(severity: .warning, .suspicious, at: file, "odd"),
        Diagnostic(.unknownKey, at: file, "unknown key 'evry'", sourceLine: "a: {evry: 1s}"),
        Diagnostic(.badDuration, at: file, "no duration")))
    for route in ["plan", "reload"] {
      let reply = try world.post("/api/v1/\(route)", route == "plan" ? "x" : "")
      #expect(reply.problem == "422 unknownKey", "\(route)")
      #expect(reply.headers["content-type"] == "application/problem+json")
      #expect(
        reply["title"] as? String == "the jobs file has errors; the previous jobs keep running")
      let codes = reply.list("diagnostics").compactMap { $0["code"] as? String }
      #expect(codes == ["suspicious", "unknownKey", "badDuration"])
    }
    let last = try #require(try world.get("/api/v1/status")["reload"] as? [String: Any])
    #expect(last["outcome"] as? String == "refused" && last["kept"] == nil)
    #expect((last["errors"] as? [Any])?.count == 2)
  }

  @Test func `who plans is not shown what stands in other files`() async throws {
    let world = try await ControlWorld()
    func report(in file: String) -> ReloadReport {
      MemoryReload.refused(
        Diagnostic(
          .wrongType, at: SourceLocation(file: file, line: 9, column: 2), "hunter2 is no list",
          hint: "not hunter2", sourceLine: "password: hunter2"))
    }
    world.reload.set(report(in: "private.yaml"))
    let other = try world.post("/api/v1/plan", "include: private.yaml\n")
    #expect(other.problem == "422 wrongType" && !other.text.contains("hunter2"))
    let shown = try #require(other.list("diagnostics").first)
    #expect(shown["message"] as? String == "wrongType (text hidden)")
    #expect(shown["file"] as? String == "private.yaml" && shown["line"] as? Int == 9)
    // A text that may include its own file is not shown that file's lines either.
    world.reload.set(report(in: "jobs.yaml"))
    let own = try world.post("/api/v1/plan", "include: jobs.yaml\n")
    #expect(own.text.contains("hunter2 is no list") && !own.text.contains("password"))
    // A client that sent the whole file sees it.
    #expect(try world.post("/api/v1/plan", "password: hunter2\n").text.contains("password"))
    // A reload has no text of a client.
    world.reload.set(report(in: "private.yaml"))
    #expect(try world.post("/api/v1/reload").text.contains("hunter2 is no list"))
  }

  @Test func `any bytes are planned, up to eight mebibytes`() async throws {
    let world = try await ControlWorld()
    let wire = try world.connect()
    let odd: [UInt8] = [0xff, 0, 0xfe]
    wire.send("POST", "/api/v1/plan", odd)
    #expect(try wire.reply().status == 200)
    let most = [UInt8](repeating: 35, count: ControlContext.bodyBytesMax)
    wire.send("POST", "/api/v1/plan", most)
    #expect(try wire.reply().status == 200)
    #expect(world.reload.texts == [odd, most])
  }

  @Test func `a text that is longer is refused before it is read`() async throws {
    let world = try await ControlWorld()
    let wire = try world.connect()
    wire.send("POST /api/v1/plan HTTP/1.1\r\nHost: takt\r\nContent-Length: 8388609\r\n\r\n")
    let reply = try wire.reply()
    #expect(reply.problem == "413 tooLarge" && reply.headers["connection"] == "close")
    #expect(reply["title"] as? String == "the body is larger than 8388608 bytes")
    // Without a length, the excess is found during the request.
    let chunked = try world.connect()
    chunked.send(
      "POST /api/v1/plan HTTP/1.1\r\nHost: takt\r\nTransfer-Encoding: chunked\r\n\r\n800001\r\n")
    chunked.send([UInt8](repeating: 35, count: 0x800001))
    chunked.send("\r\n0\r\n\r\n")
    let late = try chunked.reply()
    #expect(late.problem == "413 tooLarge", "\(late.text)")
    #expect(world.reload.texts.isEmpty)
  }

  @Test(arguments: ["plan", "reload"]) func `neither takes parameters`(route: String) async throws {
    let world = try await ControlWorld()
    #expect(try world.post("/api/v1/\(route)?force=true").problem == "400 badRequest")
    #expect(world.reload.causes.isEmpty && world.reload.texts.isEmpty)
  }
}
