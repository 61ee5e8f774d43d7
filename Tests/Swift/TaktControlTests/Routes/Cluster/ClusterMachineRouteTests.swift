import Testing

@testable import TaktCore

/// One machine of a cluster, asked through another; and a machine's answers about itself.
@Suite struct ClusterMachineRouteTests {
  private static let b = (name: "b", api: String?.some("http://b.example:8080"))
  private static let run =
    #"{"run":7,"job":"shared","slot":"2026-09-21T14:13:20Z","kind":"manual","state":"queued","#
    + #""attempts":0}"#

  @Test func `a job is triggered on another machine`() async throws {
    let cluster = try await ControlCluster(others: [Self.b])
    cluster.machines.set("b.example") { _ in .success(.of("b", 1, Self.run, status: 202)) }
    let body = #"{"force":true}"#
    let reply = try cluster.ask("POST", "/api/v1/cluster/machines/b/jobs/shared/trigger", body)
    #expect(reply.status == 202 && reply["run"] as? Int == 7)
    let request = try #require(cluster.machines.requests.first)
    #expect(request.method == "POST" && request.target == "/api/v1/jobs/shared/trigger")
    #expect(request.body == Array(body.utf8) && request.timeout == .seconds(5))
    let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
    #expect(headers["Authorization"] == "Bearer \(ControlCluster.writeToken)")
    // Only this member is meant.
    #expect(headers["Takt-Member"] == "1" && headers["Takt-Cluster"] == "prod")
  }

  @Test func `a trigger needs a token that may write`() async throws {
    let cluster = try await ControlCluster(others: [Self.b], canWrite: false)
    let reply = try cluster.ask("POST", "/api/v1/cluster/machines/b/jobs/shared/trigger")
    #expect(reply.problem == "503 unavailable")
    #expect(
      reply["title"] as? String
        == "machine 'b' was not asked: this machine has no token that may write; set "
        + "'api_write_token_file' under 'scheduler.cluster' on all machines")
    #expect(cluster.machines.requests.isEmpty)
  }

  @Test func `what the machine refuses is passed on with its code`() async throws {
    let cluster = try await ControlCluster(others: [Self.b])
    cluster.machines.set("b.example") { _ in
      .success(
        .of(
          "b", 1, #"{"title":"run 3 has not ended","detail":"Wait.","code":"overlap"}"#,
          status: 409))
    }
    let trigger = "/api/v1/cluster/machines/b/jobs/shared/trigger"
    let reply = try cluster.ask("POST", trigger)
    #expect(reply.problem == "409 overlap" && reply["detail"] as? String == "Wait.")
    #expect(reply["title"] as? String == "machine 'b': run 3 has not ended")
    cluster.machines.set("b.example") { _ in
      .failure(MachineFailure("timed out after 5s", isUncertain: true))
    }
    #expect(
      try cluster.ask("POST", trigger)["title"] as? String
        == "machine 'b' did not answer: timed out after 5s (http://b.example:8080); it may carry "
        + "out the request all the same")
    cluster.machines.set("b.example") { _ in
      .success(MachineReply(status: 401, headers: [:], body: []))
    }
    #expect(
      try cluster.ask("POST", trigger)["title"] as? String
        == "machine 'b' refused the token; all machines need the same 'api_write_token_file'")
  }

  @Test func `a run and its output are shown as their machine has them`() async throws {
    let cluster = try await ControlCluster(others: [Self.b])
    cluster.machines.set("b.example") { request in
      guard request.target.hasSuffix("/output?attempt=2") else {
        return .success(.of("b", 1, Self.run))
      }
      var reply = MachineReply.of("b", 1, "a\0b\u{e4}")
      reply.headers["content-type"] = "text/html"
      reply.headers["takt-dropped-bytes"] = "12"
      return .success(reply)
    }
    let machine = "/api/v1/cluster/machines/member%3A1"
    #expect(try cluster.get("\(machine)/runs/7?wait=1")["run"] as? Int == 7)
    let output = try cluster.get("\(machine)/runs/7/output?attempt=2")
    // A browser takes it for text.
    #expect(output.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(output.text == "a\0b\u{e4}" && output.headers["takt-dropped-bytes"] == "12")
    #expect(
      cluster.machines.requests.map(\.target)
        == ["/api/v1/runs/7?wait=1", "/api/v1/runs/7/output?attempt=2"])
    #expect(try cluster.get("\(machine)/runs/x").problem == "404 notFound")
    #expect(try cluster.get("\(machine)/runs/7?wait=2").problem == "400 badRequest")
    #expect(try cluster.get("\(machine)/runs/7/output?follow=true").problem == "400 badRequest")
  }

  @Test func `this machine answers for itself`() async throws {
    let archive = MemoryArchive([.kept(50, "hand")])
    let cluster = try await ControlCluster(
      [.named("hand", every: nil)], others: [], archive: archive)
    archive.keep("printed", of: 50)
    let reply = try cluster.ask("POST", "/api/v1/cluster/machines/a/jobs/hand/trigger")
    #expect(reply.status == 202 && reply["job"] as? String == "hand")
    #expect(try cluster.get("/api/v1/cluster/machines/a/runs/50")["run"] as? Int == 50)
    #expect(try cluster.get("/api/v1/cluster/machines/a/runs/50/output").text == "printed")
    let unknown = try cluster.ask("POST", "/api/v1/cluster/machines/z/jobs/hand/trigger")
    #expect(unknown.problem == "404 notFound")
    #expect(unknown["detail"] as? String == "Its only machine is a.")
  }

  @Test func `only so many clients wait for other machines`() async throws {
    let cluster = try await ControlCluster(others: [Self.b], slack: .seconds(-1))
    cluster.machines.set("b.example") { _ in nil }
    let wires = try (0..<20).map { _ in try cluster.world.connect() }
    for wire in wires { wire.send("GET", "/api/v1/cluster/runs?machine=b", nil) }
    let statuses = try wires.map { try $0.reply().status }
    #expect(statuses.count { $0 == 200 } == 8 && statuses.count { $0 == 429 } == 12)
    cluster.machines.set("b.example") { _ in .success(.run(4, of: "b", 1, ago: .seconds(9))) }
    #expect(try cluster.get("/api/v1/cluster/runs?machine=b").machineRuns == ["b 4"])
  }

  // MARK: What a machine says to another

  @Test func `a machine says which one it is to machines, and to nobody else`() async throws {
    let cluster = try await ControlCluster([.named("job", every: nil)], others: [Self.b])
    let plain = try cluster.world.get("/api/v1/runs")
    #expect(plain.headers["takt-machine"] == nil)
    func ask(_ method: String, _ target: String, _ headers: String...) throws -> Reply {
      try cluster.world.ask(
        method, target, method == "GET" ? nil : "", headers: ["Takt-Cluster: prod"] + headers)
    }
    for target in ["/api/v1/runs", "/api/v1/runs/99"] {
      let reply = try ask("GET", target)
      #expect(reply.headers["takt-machine"] == "a" && reply.headers["takt-cluster"] == "prod")
      #expect(reply.headers["takt-member"] == "2")
    }
    let trigger = "/api/v1/jobs/job/trigger"
    let other = try ask("POST", trigger, "Takt-Member: 1")
    #expect(other.problem == "409 conflict" && other.headers["takt-member"] == "2")
    #expect(other["title"] as? String == "this is not member 1 of the cluster")
    #expect(cluster.world.scheduler.requests.isEmpty)
    #expect(try ask("POST", trigger, "Takt-Member: 2").status == 202)
  }

  @Test func `the machines' tokens open the API, one of them to readers only`() async throws {
    let cluster = try await ControlCluster([.named("job", every: nil)], others: [])
    let port = try await cluster.world.listenOnNetwork()
    func ask(_ method: String, _ token: String) throws -> Reply {
      let wire = try Wire(port: port, of: cluster.world)
      wire.send(
        method, method == "POST" ? "/api/v1/jobs/job/trigger" : "/api/v1/runs",
        method == "POST" ? [] : nil, ["Host: 127.0.0.1", "Authorization: Bearer \(token)"])
      return try wire.reply()
    }
    #expect(try ask("GET", ControlCluster.readToken).status == 200)
    let refused = try ask("POST", ControlCluster.readToken)
    #expect(refused.problem == "403 forbidden")
    #expect(refused["title"] as? String == "this token may only read")
    #expect(cluster.world.scheduler.requests.isEmpty)
    #expect(try ask("GET", ControlCluster.writeToken).status == 200)
    #expect(try ask("POST", ControlCluster.writeToken).status == 202)
    #expect(try ask("GET", ControlCluster.readToken + "x").status == 401)
  }
}
