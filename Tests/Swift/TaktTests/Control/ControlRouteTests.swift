import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct ControlRouteTests {
  private static let jobs = """
    jobs:
      quick: {cron: '@yearly', run: echo hello}
      beat: {every: 300ms, leeway: 50ms, run: 'true'}

    """

  private static let description = Repository.url("docs/schemas/openapi.json")

  /// Compares the answer of every route with its description.
  @Test func `every route that is described is there`() throws {
    let live = try LiveTakt(Self.jobs, http: true)
    let run = try live.object("POST", "/api/v1/jobs/quick/trigger")["run"] as? Int ?? 0
    #expect(
      try live.object("GET", "/api/v1/runs/\(run)?wait=30")["outcome"] as? String == "succeeded")
    let data = try Data(contentsOf: Self.description)
    let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let paths = try #require(document?["paths"] as? [String: [String: Any]])
    #expect(paths.count > 15)
    let queries = [
      "/api/v1/jobs/{job}/forecast": "?from=2099-01-01T00:00:00Z&until=2099-02-01T00:00:00Z"
    ]
    let refused = [
      "/api/v1/jobs/{job}/resume": 409, "/api/v1/runs/{run}/cancel": 409, "/api/v1/once": 400,
      "/api/v1/drain/undo": 409,
    ]
    // One has no end, and one ends takt.
    let apart = ["/api/v1/events", "/api/v1/drain"]
    for (path, methods) in paths where !apart.contains(path) {
      let target =
        path.replacing("{job}", with: "quick").replacing("{run}", with: String(run))
        .replacing("{machine}", with: "m") + queries[path, default: ""]
      for method in ["get", "post"] where methods[method] != nil {
        let body = path.hasSuffix("/plan") ? Self.jobs : method == "post" ? "" : nil
        let (status, text) = try live.ask(method.uppercased(), target, body)
        // The daemon has no cluster.
        let isOfMachines = path.hasPrefix("/api/v1/cluster/")
        let expected =
          isOfMachines ? 404 : refused[path] ?? (path.hasSuffix("/trigger") ? 202 : 200)
        // The job was suspended by the route of that name, in any order of the two.
        let isEither = path.hasSuffix("/resume") && status == 200
        #expect(status == expected || isEither, "\(method) \(path): \(status) \(text)")
        let operation = methods[method] as? [String: Any]
        let responses = operation?["responses"] as? [String: Any] ?? [:]
        #expect(responses[String(status)] != nil, "\(method) \(path): \(status)")
      }
      let wrong = methods["post"] == nil ? "POST" : "DELETE"
      #expect(try live.ask(wrong, target, "").status == 405, "\(wrong) \(path)")
    }
    let described = try live.object("GET", "/api/v1/openapi.json")
    #expect(NSDictionary(dictionary: described) == NSDictionary(dictionary: document ?? [:]))
    #expect(try live.process.stop() == 0)
  }

  private static let misunderstood = [
    "GET /api/v1/jobs?limit=0", "GET /api/v1/jobs?limit=x", "GET /api/v1/jobs?lmit=1",
    "GET /api/v1/jobs?limit=1&limit=2", "GET /api/v1/jobs?state=odd", "GET /api/v1/runs?since=now",
    "GET /api/v1/runs?failed=yes", "GET /api/v1/runs?job=a/b", "GET /api/v1/timeline?past=-1",
    "POST /api/v1/jobs/quick/trigger {", "POST /api/v1/jobs/quick/trigger []",
    "POST /api/v1/jobs/quick/trigger {\"slt\":1}", "POST /api/v1/jobs/quick/trigger {\"slot\":1}",
    "POST /api/v1/jobs/quick/trigger {\"slot\":\"tomorrow\"}",
    "POST /api/v1/jobs/quick/trigger {\"parameters\":{\"a-b\":\"x\"}}",
    "POST /api/v1/jobs/quick/suspend {\"for\":\"1h\",\"until\":\"2099-01-01T00:00:00Z\"}",
    "POST /api/v1/jobs/quick/suspend {\"until\":\"2001-01-01T00:00:00Z\"}",
    "POST /api/v1/jobs/quick/suspend {\"for\":\"-1h\"}", "GET /api/v1/events?after=-1",
  ]

  @Test func `what is not understood is refused and said, what there is not is not found`() throws {
    let live = try LiveTakt(Self.jobs)
    for row in Self.misunderstood {
      let words = row.split(separator: " ", maxSplits: 2).map(String.init)
      let (status, text) = try live.ask(words[0], words[1], words.count > 2 ? words[2] : nil)
      #expect(status == 400, "\(row): \(status) \(text)")
      let problem = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      #expect(problem?["code"] as? String == "badRequest", "\(row): \(text)")
      #expect((problem?["title"] as? String)?.isEmpty == false)
    }
    for target in [
      "/api/v1/jobs/nobody", "/api/v1/runs/999999", "/api/v1/runs/x", "/api/v2", "/jobs",
      "/api/v1/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/v1/jobs/..%2f..%2fetc",
    ] {
      #expect(try live.ask("GET", target).status == 404, "\(target)")
    }
    #expect(try live.process.stop() == 0)
  }

  @Test func `events come in order, and continue from any number`() throws {
    let live = try LiveTakt(Self.jobs)
    let first = try Events(live, "/api/v1/events?after=0").receive(12)
    #expect(first.map(\.id) == Array(1...12))
    let after = first[6].id
    let rest = try Events(live, "/api/v1/events?after=\(after)&job=beat").receive(5)
    #expect(rest.allSatisfy { $0.id > after && $0.job == "beat" })
    #expect(rest.map(\.id) == rest.map(\.id).sorted())
    #expect(try live.process.stop() == 0)
  }

  @Test func `a plan shows what would be, and nothing is done`() throws {
    let live = try LiveTakt(Self.jobs)
    let plan = try live.object("POST", "/api/v1/plan", "jobs:\n  other: {every: 1s, run: x}\n")
    #expect((plan["steps"] as? [Any])?.count == 3)
    #expect(try live.object("GET", "/api/v1/status")["jobs"] as? Int == 2)
    let (status, text) = try live.ask("POST", "/api/v1/plan", "jobs:\n  a: {evry: 1s}\n")
    #expect(status == 422 && text.contains(#""code":"unknownKey""#) && text.contains("^"))
    // The contents of an included file are not shown to a client that names it.
    try live.folder.write("password: hunter2\n", to: "private.yaml")
    let peek = try live.ask("POST", "/api/v1/plan", "include: private.yaml\n")
    #expect(peek.status == 422 && !peek.text.contains("hunter2"), "\(peek.text)")
    #expect(try live.process.stop() == 0)
  }

  @Test func `output is followed from its beginning to its end`() throws {
    let live = try LiveTakt(
      "jobs:\n  talk: {cron: '@yearly', run: 'for i in 1 2 3; do echo $i; sleep 0.2; done', "
        + "output: {log: false}}\n")
    let run = try live.object("POST", "/api/v1/jobs/talk/trigger")["run"] as? Int ?? 0
    let text = try live.ask("GET", "/api/v1/runs/\(run)/output?follow=true").text
    #expect(text == "1\n2\n3\n")
    #expect(try live.ask("GET", "/api/v1/runs/\(run)/output").text == "1\n2\n3\n")
    #expect(try live.process.stop() == 0)
  }
}

/// The events of the running daemon.
final class Events {
  struct Event: Decodable {
    var id: Int
    var event: String
    var job: String?
  }

  private let live: LiveTakt
  private let target: String

  init(_ live: LiveTakt, _ target: String) {
    self.live = live
    self.target = target
  }

  /// The next events; ending curl closes the connection.
  func receive(_ count: Int) throws -> [Event] {
    let script =
      "curl -sN --unix-socket .takt/control.sock 'http://takt\(target)'"
      + " | sed -un 's/^data: //p' | head -\(count)"
    let shell = try live.folder.takt(["-c", script], program: "/bin/sh")
    return try shell.output.split(separator: "\n").map {
      try JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
  }
}
