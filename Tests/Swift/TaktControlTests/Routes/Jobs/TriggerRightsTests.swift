import Foundation
import TaktEngine
import Testing

@testable import TaktControl
@testable import TaktCore

/// The values that a trigger may set: each parameter of each built-in, by each kind of trigger. All
/// rows are made from the catalogue, so that no new parameter is forgotten.
@Suite struct TriggerRightsTests {
  enum Way: String, CaseIterable {
    case socket, token, clusterWriteToken, otherMachine, readToken, clusterReadToken

    var isOfNetwork: Bool { self != .socket }
    var mayWrite: Bool { self != .readToken && self != .clusterReadToken }
  }

  /// A job of each built-in with its required parameters.
  private static let bases: [String: Parameters] = [
    "log": ["message": .string("m")], "http": ["url": .string("http://h/")],
    "mail": [
      "host": .string("h"), "from": .string("a@b"), "to": .list([.string("a@b")]),
    ],
    "prune": ["root": .string("/x"), "older_than": .duration(.seconds(60))],
    "touch": ["path": .string("/x")], "signal": ["pid_file": .string("/x")],
    "ping": ["url": .string("https://h/x")],
    "notify": ["to": .string("slack"), "url": .string("https://h/x")],
    "container": ["image": .string("debian")],
  ]

  /// The parameters that may be opened: each reaches nothing, and so is no risk. A change here is a
  /// decision.
  private static let openable: [String: Set<String>] = [
    "log": ["message", "level"],
    "http": [
      "method", "body", "expect", "body_contains", "timeout", "retry_status", "retries", "backoff",
      "redirects", "max_body",
    ],
    "mail": ["subject", "body", "attach_output", "timeout", "hello"],
    "prune": ["older_than", "keep", "max_size", "dry_run"], "touch": [], "signal": ["signal"],
    "ping": ["environment", "output", "timeout", "retries"],
    "notify": ["text", "priority", "dedup_key", "timeout", "retries"],
    "container": ["init", "memory", "pids", "remove", "cpus"],
  ]

  private let catalogue = BuiltinRegistry.standard

  @Test func `each parameter of each built-in says what it reaches`() {
    for action in catalogue.actionNames {
      let schemas = catalogue.parameters(of: action) ?? []
      for schema in schemas { #expect(schema.reach != nil, "\(action) \(schema.name)") }
      #expect(Set(schemas.filter(\.mayBeOpened).map(\.name)) == Self.openable[action], "\(action)")
    }
    #expect(Set(catalogue.actionNames) == Set(Self.bases.keys))
  }

  /// A valid value of the parameter.
  private static func sample(_ kind: ParameterSchema.Kind) -> String {
    switch kind {
    case .string: "200"
    case .url: "https://evil/"
    case .choice(let words): words[0]
    case .path: "/evil"
    case .integer(let range): String(range.lowerBound)
    case .number, .percent: "1%"
    case .boolean: "true"
    case .duration: "90s"
    case .size: "1KB"
    case .list(let item): sample(item)
    case .map: "a"
    }
  }

  private func send(
    _ trigger: (job: String, name: String, text: String), by way: Way, _ cluster: ControlCluster,
    _ port: UInt16, readToken: String
  ) throws -> Reply {
    let data = try JSONSerialization.data(
      withJSONObject: ["force": true, "parameters": [trigger.name: trigger.text]])
    let body = String(decoding: data, as: UTF8.self)
    let target = "/api/v1/jobs/\(trigger.job)/trigger"
    guard way.isOfNetwork else { return try cluster.world.ask("POST", target, body) }
    let token = try cluster.world.token()
    let bearer =
      switch way {
      case .socket, .token: token
      case .clusterWriteToken, .otherMachine: ControlCluster.writeToken
      case .readToken: readToken
      case .clusterReadToken: ControlCluster.readToken
      }
    var headers = ["Host: 127.0.0.1:\(port)", "Authorization: Bearer \(bearer)"]
    // The header of a request from another machine.
    if way == .otherMachine { headers.append("Takt-Cluster: prod") }
    let wire = try Wire(port: port, of: cluster.world)
    wire.send("POST", target, Array(body.utf8), headers)
    return try wire.reply()
  }

  /// Two jobs of each built-in: one opens nothing, the other all.
  private func closedAndOpenJobs() throws -> [JobSpec] {
    try catalogue.actionNames.sorted().flatMap { action in
      let base = try #require(Self.bases[action])
      return try [("closed", []), ("open", catalogue.parameters(of: action) ?? [])].map {
        job, open in
        // A jobs file cannot have this: parameters that reach something are open, too.
        var spec = try JobSpec.named("\(action)-\(job)", every: nil, action: .use(action, base))
        spec.policies.params = open.map(BoundedParameter.init)
        spec.policies.overlap = .allow
        return spec
      }
    }
  }

  @Test func `over TCP no trigger sets what its job does not open, nor what reaches anything`()
    async throws
  {
    let jobs = try closedAndOpenJobs()
    var settings = HTTPSettings(host: "127.0.0.1", port: 0, names: [])
    let cluster = try await ControlCluster(jobs, others: [], catalogue: catalogue)
    settings.readTokenFile = cluster.world.folder + "/read-token"
    let address = try await cluster.world.listen(
      at: .network(settings, tokenFile: cluster.world.tokenFile))
    let port = UInt16(address.split(separator: ":").last ?? "") ?? 0
    let readToken = try ControlWorld.token(in: cluster.world.folder + "/read-token")
    var taken: [Way: Int] = [:]
    for spec in jobs {
      guard case .use(let action, _) = spec.action else { continue }
      let isOpen = !spec.policies.params.isEmpty
      for schema in catalogue.parameters(of: action) ?? [] {
        for way in Way.allCases {
          let row = "\(spec.name) \(schema.name) \(way.rawValue)"
          let before = cluster.world.scheduler.requests.count
          let reply = try send(
            (spec.name.text, schema.name, Self.sample(schema.kind)), by: way, cluster, port,
            readToken: readToken)
          let title = reply["title"] as? String ?? ""
          if !way.mayWrite {
            #expect(reply.problem == "403 forbidden", "\(row)")
          } else if way.isOfNetwork, !(isOpen && schema.mayBeOpened) {
            #expect(reply.problem == "400 badRequest", "\(row)")
            #expect(
              title == "'\(schema.name)' of '\(action)' is not open to triggers over TCP", "\(row)")
            let detail = reply["detail"] as? String ?? ""
            #expect(detail.hasPrefix(isOpen ? "The job opens '" : "The job opens none."), "\(row)")
          } else {
            // Some of its parameters exclude each other, which the action reports.
            #expect(!title.contains("is not open"), "\(row)")
            if reply.status == 202 { taken[way, default: 0] += 1 }
          }
          let started = cluster.world.scheduler.requests.count - before
          #expect(started == (reply.status == 202 ? 1 : 0), "\(row)")
          if reply.status == 202, let run = reply["run"] as? Int {
            cluster.world.scheduler.end(RunID(UInt64(run)))
          }
        }
      }
    }
    // Some are accepted on each way.
    #expect(taken[.socket, default: 0] > 60, "\(taken)")
    for way in [Way.token, .clusterWriteToken, .otherMachine] {
      #expect(taken[way, default: 0] > 15, "\(taken)")
    }
  }

  @Test func `each route that changes something takes no parameters besides the trigger's`() throws
  {
    // A new route that starts runs must be in the table above.
    let description = try APIDescription()
    let posts = description.paths.filter { $0.value.contains("post") }.map(\.key).sorted()
    #expect(
      posts == [
        "/api/v1/calendar/address",
        "/api/v1/cluster/machines/{machine}/jobs/{job}/cancel",
        "/api/v1/cluster/machines/{machine}/jobs/{job}/trigger",
        "/api/v1/cluster/machines/{machine}/runs/{run}/cancel", "/api/v1/drain",
        "/api/v1/drain/undo", "/api/v1/jobs/{job}/cancel",
        "/api/v1/jobs/{job}/resume", "/api/v1/jobs/{job}/suspend", "/api/v1/jobs/{job}/trigger",
        "/api/v1/once", "/api/v1/plan", "/api/v1/reload", "/api/v1/runs/{run}/cancel",
      ])
  }

  @Test func `a backfill follows the same rules`() async throws {
    let world = try await ControlWorld(
      [.named("a", every: nil, action: .use("http", ["url": .string("http://h/")]))],
      catalogue: catalogue)
    let port = try await world.listenOnNetwork()
    let token = try world.token()
    let body =
      #"{"slot":"2026-09-20T00:00:00Z","backfill":true,"parameters":{"url":"http://evil/"}}"#
    let wire = try Wire(port: port, of: world)
    wire.send(
      "POST", "/api/v1/jobs/a/trigger", Array(body.utf8),
      ["Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)"])
    #expect(try wire.reply().problem == "400 badRequest")
    #expect(world.scheduler.requests.isEmpty)
    #expect(try world.post("/api/v1/jobs/a/trigger", body).status == 202)
  }

  @Test func `a trigger that this machine passes to itself keeps its way`() async throws {
    let job = try JobSpec.named(
      "a", every: nil, action: .use("http", ["url": .string("http://h/")]))
    let cluster = try await ControlCluster([job], others: [], catalogue: catalogue)
    let port = try await cluster.world.listenOnNetwork()
    let target = "/api/v1/cluster/machines/a/jobs/a/trigger"
    let body = #"{"parameters":{"url":"http://evil/"}}"#
    let wire = try Wire(port: port, of: cluster.world)
    wire.send(
      "POST", target, Array(body.utf8),
      ["Host: 127.0.0.1:\(port)", "Authorization: Bearer \(ControlCluster.writeToken)"])
    #expect(try wire.reply().problem == "400 badRequest")
    #expect(try cluster.ask("POST", target, body).status == 202)
  }
}
