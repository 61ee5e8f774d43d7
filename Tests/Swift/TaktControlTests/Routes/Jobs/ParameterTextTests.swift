import Foundation
import Testing

@testable import TaktCore

/// Parameters of a triggered run, as texts.
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
      BoundedParameter(
        ParameterSchema("name", .string, reaches: .nothing, isRequired: false, summary: "Who."))
    ]
    let world = try await ControlWorld([
      .named("a", every: nil, action: .plugin(manifest, [:]))
    ])
    #expect(try trigger(world, "name", "Ada").status == 202)
    #expect(try trigger(world, "age", "36").problem == "400 badRequest")
    #expect(world.scheduler.requests.map(\.action) == [.plugin(manifest, ["name": .string("Ada")])])
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

/// Parameters that jobs open with `params`, over TCP.
@Suite struct OpenParameterTests {
  /// A world with one job that opens these, and a way to trigger it over TCP.
  private struct Listener {
    let world: ControlWorld
    let port: UInt16

    init(_ action: Action, _ open: [BoundedParameter]) async throws {
      var spec = try JobSpec.named("a", every: nil, action: action)
      spec.policies.params = open
      spec.policies.overlap = .allow
      world = try await ControlWorld([spec])
      port = try await world.listenOnNetwork()
    }

    func trigger(_ parameters: [String: String]) throws -> Reply {
      let data = try JSONSerialization.data(withJSONObject: ["parameters": parameters])
      let token = try world.token()
      let wire = try Wire(port: port, of: world)
      wire.send(
        "POST", "/api/v1/jobs/a/trigger", Array(data),
        ["Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)"])
      return try wire.reply()
    }
  }

  private static func open(
    _ name: String, _ kind: ParameterSchema.Kind,
    _ change: (inout BoundedParameter) -> Void = { _ in
    }
  ) -> BoundedParameter {
    var parameter = BoundedParameter(
      ParameterSchema(name, kind, reaches: .nothing, isRequired: false, summary: "A \(name)."))
    change(&parameter)
    return parameter
  }

  @Test func `the bounds of a job narrow those of its action`() async throws {
    let listener = try await Listener(
      .use("every-kind", ["word": .string("red")]),
      [
        Self.open("text", .string) {
          $0.lengthMax = 4
          $0.pattern = "[a-z{]*"
        },
        Self.open("even", .integer(0...10)) { ($0.minimum, $0.maximum) = (2, 6) },
        Self.open("wait", .duration(least: .seconds(1))) { $0.maximum = 60 },
        Self.open("share", .percent) { $0.choices = [.number(10), .number(20)] },
      ])
    let good = ["text": "abcd", "even": "4", "wait": "1m", "share": "20%"]
    #expect(try listener.trigger(good).status == 202)
    for (name, text, title) in [
      ("text", "abcde", "'text' must have at most 4 characters, in 'every-kind'"),
      ("text", "AB", "'text' must match [a-z{]*, in 'every-kind'"),
      // A text that looks like a placeholder is checked like any other.
      ("text", "{{{{{", "'text' must have at most 4 characters, in 'every-kind'"),
      ("even", "8", "'even' must be at most 6, in 'every-kind'"),
      ("even", "0", "'even' must be at least 2, in 'every-kind'"),
      ("wait", "61s", "'wait' must be at most 1m, in 'every-kind'"),
      ("share", "15%", "'share' must be one of 10%, 20%, in 'every-kind'"),
      ("word", "green", "'word' of 'every-kind' is not open to triggers over TCP"),
      ("nothing", "x", "'nothing' of 'every-kind' is not open to triggers over TCP"),
    ] {
      let reply = try listener.trigger([name: text])
      #expect(reply.problem == "400 badRequest" && reply["title"] as? String == title)
    }
    #expect(
      try listener.trigger(["word": "green"])["detail"] as? String
        == "The job opens 'text', 'even', 'wait', 'share' with 'params'.")
    // The socket is takt's own user, who has more rights.
    #expect(
      try listener.world.post("/api/v1/jobs/a/trigger", #"{"parameters":{"even":"8"}}"#).status
        == 202)
  }

  @Test func `a command takes data that it does not declare, and what it declares in bounds`()
    async throws
  {
    let listener = try await Listener(
      .shell("x"),
      [Self.open("month", .string) { $0.pattern = "[0-9]{4}-[0-9]{2}" }])
    #expect(try listener.trigger(["month": "2026-05", "any": "$(touch pwn)"]).status == 202)
    #expect(
      listener.world.scheduler.requests.map(\.spec.execution.environment) == [
        ["TAKT_PARAM_MONTH": "2026-05", "TAKT_PARAM_ANY": "$(touch pwn)"]
      ])
    // Another case of the same variable does not get around that.
    for name in ["month", "MONTH", "Month"] {
      #expect(try listener.trigger([name: "; rm"]).problem == "400 badRequest")
    }
    #expect(
      try listener.trigger(["n": "1", "N": "2"])["title"] as? String
        == "two parameters become TAKT_PARAM_N")
  }

  @Test func `bounds of a plugin hold for triggers`() async throws {
    var manifest = PluginManifest(name: "greet", version: "1", command: ["greet"], folder: "/p")
    manifest.parameters = [
      Self.open("times", .integer(0...9)) { $0.maximum = 3 },
      BoundedParameter(
        ParameterSchema("who", .string, reaches: nil, isRequired: false, summary: "")),
    ]
    let listener = try await Listener(.plugin(manifest, [:]), manifest.parameters)
    #expect(try listener.trigger(["times": "3"]).status == 202)
    #expect(try listener.trigger(["times": "4"]).problem == "400 badRequest")
    // The plugin does not declare its reach.
    #expect(try listener.trigger(["who": "x"]).problem == "400 badRequest")
    let socket = try listener.world.post("/api/v1/jobs/a/trigger", #"{"parameters":{"times":"4"}}"#)
    #expect(socket["title"] as? String == "'times' must be at most 3, in 'greet'")
  }

  @Test func `a run shows what it was given, without secrets`() async throws {
    let listener = try await Listener(.shell("x"), [])
    let long = String(repeating: "é", count: 1001)
    let reply = try listener.trigger(["n": "5", "API_TOKEN": "pw", "long": long])
    let shown = try #require(reply["parameters"] as? [String: String])
    #expect(shown["n"] == "5" && shown["API_TOKEN"] == "***")
    #expect(shown["long"] == String(repeating: "é", count: 1000) + "…")
    let run = try #require(reply["run"] as? Int)
    listener.world.scheduler.end(RunID(UInt64(run)))
    let ended = try listener.world.get("/api/v1/runs/\(run)")
    #expect(ended["state"] as? String == "ended")
    #expect(ended["parameters"] as? [String: String] == shown)
    let many = Dictionary(
      uniqueKeysWithValues: (10..<40).map { ("p\($0)", String(repeating: "x", count: 900)) })
    let bounded = try listener.trigger(many)
    #expect((bounded["parameters"] as? [String: String])?.count == 18)
    #expect(bounded["parameters_omitted"] as? Int == 12)
  }

  @Test func `a job says what it opens`() async throws {
    let listener = try await Listener(
      .use("every-kind", ["word": .string("red")]),
      [
        Self.open("even", .integer(0...10)) { ($0.minimum, $0.maximum) = (2, 6) },
        Self.open("word", .choice(["red", "green"])) { $0.schema.defaultValue = .string("red") },
      ])
    let reply = try listener.world.get("/api/v1/jobs/a")
    let problems = try APIDescription().problems(of: reply, to: "GET", "/api/v1/jobs/a")
    #expect(problems.isEmpty, "\(problems)")
    let params = reply.list("params")
    #expect(params.map { $0["name"] as? String } == ["even", "word"])
    #expect(params[0]["type"] as? String == "integer" && params[0]["max"] as? String == "6")
    #expect(params[1]["choices"] as? [String] == ["red", "green"])
    #expect(params[1]["default"] as? String == "red")
  }
}
