import Foundation
import TaktTime
import Testing

@testable import TaktControl
@testable import TaktCore

/// Parameters that somebody gives a run, as texts.
@Suite struct ParameterTextTests {
  private func trigger(
    _ world: ControlWorld, _ name: String, _ text: String
  ) throws -> Reply {
    let data = try JSONSerialization.data(withJSONObject: ["parameters": [name: text]])
    return try world.post("/api/v1/jobs/a/trigger", String(decoding: data, as: UTF8.self))
  }

  private func named() async throws -> ControlWorld {
    try await ControlWorld([
      .named("a", every: nil, action: .use("every-kind", ["word": .string("red")]))
    ])
  }

  @Test(arguments: [
    ("text", "", ParameterValue.string("")), ("text", "{{job}}", .string("{{{{job}}")),
    ("word", "green", .string("green")), ("path", "/a b", .string("/a b")),
    ("even", "10", .integer(10)), ("even", "-0", .integer(0)), ("ratio", "0.25", .number(0.25)),
    ("flag", "true", .boolean(true)), ("flag", "false", .boolean(false)),
    ("wait", "90s", .duration(.seconds(90))), ("bytes", "1KiB", .integer(1024)),
    ("share", "12.5%", .number(12.5)), ("items", "2", .list([.integer(2)])),
  ])
  func `a text becomes a value of the parameter's kind`(
    name: String, text: String, value: ParameterValue
  ) async throws {
    let world = try await named()
    let reply = try trigger(world, name, text)
    #expect(reply.status == 202, "\(reply.text)")
    var expected: Parameters = ["word": .string("red")]
    expected[name] = value
    #expect(world.scheduler.requests.map(\.action) == [.use("every-kind", expected)])
  }

  @Test(arguments: [
    "word blue", "path relative", "even 11", "even x", "even 1.0", "ratio 1.5", "ratio nan",
    "flag yes", "flag TRUE", "wait 999ms", "wait soon", "bytes many", "share 12", "share 101%",
    "items 4", "items [1]", "table a=b",
  ])
  func `a text that is no such value is refused`(row: String) async throws {
    let words = row.split(separator: " ").map(String.init)
    let world = try await named()
    let reply = try trigger(world, words[0], words[1])
    #expect(reply.problem == "400 badRequest")
    #expect(reply["title"] as? String == "'\(words[0])' of 'every-kind' cannot be '\(words[1])'")
    #expect(world.scheduler.requests.isEmpty)
  }

  @Test func `what the action says against the values is handed on`() async throws {
    let reply = try trigger(try await named(), "even", "3")
    #expect(reply.problem == "400 badRequest")
    #expect(reply["title"] as? String == "'even' of 'every-kind': 3 is odd")
  }

  @Test func `a parameter that the action does not have is refused, with the nearest`() async throws
  {
    let world = try await named()
    let near = try trigger(world, "texts", "x")
    #expect(near["title"] as? String == "'every-kind' takes no parameter 'texts'")
    #expect(near["detail"] as? String == "Did you mean 'text'?")
    let long = try trigger(world, String(repeating: "y", count: 200), "x")
    #expect((long["title"] as? String)?.utf8.count ?? 999 < 100 && long["detail"] == nil)
  }

  @Test func `a plugin takes what its manifest names`() async throws {
    var manifest = PluginManifest(name: "greet", version: "1", command: ["greet"], folder: "/p")
    manifest.parameters = [
      PluginParameter(ParameterSchema("name", .string, isRequired: false, summary: "Who."))
    ]
    let world = try await ControlWorld([
      .named("a", every: nil, action: .plugin(manifest, [:]))
    ])
    #expect(try trigger(world, "name", "Ada").status == 202)
    #expect(try trigger(world, "age", "36").problem == "400 badRequest")
    #expect(
      world.scheduler.requests.map(\.action) == [.plugin(manifest, ["name": .string("Ada")])])
  }

  @Test(arguments: [
    "a-b", "", "a b", "ä", "a=b", String(repeating: "n", count: 65), "a\u{0}",
  ])
  func `what cannot be the name of a variable is refused`(name: String) async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let reply = try trigger(world, name, "x")
    #expect(reply.problem == "400 badRequest")
    #expect((reply["detail"] as? String)?.hasPrefix("Names contain letters, digits") == true)
  }

  @Test func `a value of a variable has no zero and at most 64 KiB`() async throws {
    let world = try await ControlWorld([.named("a", every: nil, overlap: .allow)])
    #expect(try trigger(world, "n", "a\u{0}b").problem == "400 badRequest")
    #expect(try trigger(world, "n", String(repeating: "x", count: 65_537)).status == 400)
    #expect(try trigger(world, "n", String(repeating: "x", count: 65_536)).status == 202)
  }
}
