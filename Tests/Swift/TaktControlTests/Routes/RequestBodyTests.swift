import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

/// The bodies of requests that control a job.
@Suite struct RequestBodyTests {
  @Test(arguments: ["", "{}", " {} ", "{\"force\":null}", "{\"parameters\":{}}"])
  func `an order that says nothing is an order`(body: String) async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    #expect(try world.post("/api/v1/jobs/a/trigger", body).status == 202)
  }

  @Test(arguments: [
    "{ | the body must be a JSON object", "[] | the body must be a JSON object",
    "null | the body must be a JSON object", "\"x\" | the body must be a JSON object",
    "{}{} | the body must be a JSON object",
    "{\"slt\":1} | unknown key 'slt'", "{\"\":1} | unknown key ''",
    "{\"parameters\":{\"a\":\"1\"},\"parameters\":{}} | the key 'parameters' is in one object twice",
    "{\"parameters\":{\"a\":\"1\",\"\\u0061\":\"2\"}} | the key 'a' is in one object twice",
    "{\"slot\":1} | a value in the body has the wrong type",
    "{\"force\":\"true\"} | a value in the body has the wrong type",
    "{\"parameters\":[]} | a value in the body has the wrong type",
    "{\"parameters\":{\"a\":1}} | a value in the body has the wrong type",
    "{\"slot\":\"tomorrow\"} | 'slot' takes an instant with an offset, such as 2026-12-24T18:00:00Z",
    "{\"slot\":\"2026-12-24T18:00:00\"} | 'slot' takes an instant with an offset, such as 2026-12-24T18:00:00Z",
  ])
  func `a body that is not understood is refused and said`(row: String) async throws {
    let parts = row.components(separatedBy: " | ")
    let world = try await ControlWorld([.named("a", every: nil)])
    let reply = try world.post("/api/v1/jobs/a/trigger", parts[0])
    #expect(reply.problem == "400 badRequest", "\(reply.text)")
    #expect(reply["title"] as? String == parts[1])
    #expect(world.scheduler.requests.isEmpty)
  }

  @Test(arguments: [
    #"{"parameters":{"parameters":"x","a":"parameters","b":"\"a\":{,"},"force":true}"#,
    #"{"force":true,"parameters":{"force":"[,]"}}"#,
  ])
  func `a key that other objects and texts have as well is taken`(body: String) async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    #expect(try world.post("/api/v1/jobs/a/trigger", body).status == 202)
  }

  @Test func `what a body may have is said where it has something else`() async throws {
    let world = try await ControlWorld([.named("a")])
    let trigger = try world.post("/api/v1/jobs/a/trigger", #"{"x":1,"force":true}"#)
    #expect(
      trigger["detail"] as? String == "The keys are again, backfill, force, parameters, slot.")
    let suspend = try world.post("/api/v1/jobs/a/suspend", #"{"force":true}"#)
    #expect(suspend["detail"] as? String == "The keys are for, reason, until.")
  }

  @Test(arguments: [
    "{\"for\":\"1h\",\"until\":\"2099-01-01T00:00:00Z\"} | 'for' and 'until' cannot be combined",
    "{\"for\":\"-1h\"} | 'for' must be a duration from 1ms to 36499d, such as 90m or 2d",
    "{\"for\":\"0s\"} | 'for' must be a duration from 1ms to 36499d, such as 90m or 2d",
    "{\"for\":\"soon\"} | 'for' must be a duration from 1ms to 36499d, such as 90m or 2d",
    "{\"for\":\"40000d\"} | 'for' must be a duration from 1ms to 36499d, such as 90m or 2d",
    "{\"until\":\"2001-01-01T00:00:00Z\"} | the suspension would end before it starts",
    "{\"until\":\"2026-09-21T14:13:20Z\"} | the suspension would end before it starts",
    "{\"until\":\"1h\"} | 'until' takes an instant with an offset, such as 2026-12-24T18:00:00Z",
  ])
  func `a rest without an end that can be is refused`(row: String) async throws {
    let parts = row.components(separatedBy: " | ")
    let world = try await ControlWorld([.named("a")])
    let reply = try world.post("/api/v1/jobs/a/suspend", parts[0])
    #expect(reply.problem == "400 badRequest", "\(reply.text)")
    #expect(reply["title"] as? String == parts[1])
    #expect(try world.get("/api/v1/jobs/a")["suspension"] == nil)
  }

  @Test(arguments: ["2026-09-21T16:14:20+02:00", "2026-09-21t14:14:20z", "2026-09-21T14:14:20.1Z"])
  func `an instant may have any offset, small letters and parts of a second`(
    text: String
  ) async throws {
    let world = try await ControlWorld([.named("a")])
    let reply = try world.post("/api/v1/jobs/a/suspend", #"{"until":"\#(text)"}"#)
    let until = (reply["suspension"] as? [String: Any])?["until"] as? String
    #expect(until?.hasPrefix("2026-09-21T14:14:20.") == true, "\(reply.text)")
  }

  @Test func `an order has at most a mebibyte`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let frame = #"{"parameters":{"a":"","b":""}}"#.utf8.count
    // Each value also has a bound of its own.
    let text = String(repeating: "x", count: ControlContext.commandBytesMax - frame)
    let most = try world.post("/api/v1/jobs/a/trigger", #"{"parameters":{"a":"\#(text)","b":""}}"#)
    #expect(most.problem == "400 badRequest")
    let more = try world.post("/api/v1/jobs/a/trigger", #"{"parameters":{"a":"\#(text)","b":"x"}}"#)
    #expect(more.problem == "413 tooLarge", "\(more.text)")
    #expect(more.headers["connection"] == "close")
  }

  @Test func `each route that changes something refuses an unknown key`() async throws {
    let paths = try APIDescription().paths.filter { $0.value.contains("post") }.map(\.key)
    #expect(paths.count > 10)
    let world = try await ControlCluster([.named("a")], others: []).world
    // The text of a jobs file has no keys of a request.
    for path in paths where path != "/api/v1/plan" {
      let target = path.replacing("{job}", with: "a").replacing("{run}", with: "1")
        .replacing("{machine}", with: "a")
      let reply = try world.post(target, #"{"undo":true}"#)
      #expect(reply.status == 400 && reply["title"] as? String == "unknown key 'undo'", "\(path)")
      #expect(try world.post(target, "not JSON").problem == "400 badRequest", "\(path)")
    }
    #expect(world.scheduler.requests.isEmpty)
  }

  @Test(arguments: ["resume", "cancel"]) func `an order without keys takes an empty object`(
    order: String
  ) async throws {
    let world = try await ControlWorld([.named("a")])
    _ = try world.post("/api/v1/jobs/a/suspend")
    #expect(try world.post("/api/v1/jobs/a/\(order)", " {} ").status == 200)
  }
}
