import Foundation
import TaktTime
import Testing

@testable import TaktControl
@testable import TaktCore

/// Lists over all machines of a cluster, and the problems of machines that do not answer.
@Suite struct ClusterListRouteTests {
  private static let b = (name: "b", api: String?.some("http://b.example:8080"))

  @Test func `the runs of all machines come in one list, the newest first`() async throws {
    let cluster = try await ControlCluster(
      [.named("shared")], others: [Self.b, ("c-1.x", "https://c-1.x.example")],
      archive: MemoryArchive([
        .kept(1, "shared", ago: .seconds(50)), .kept(2, "shared", .failed, ago: .seconds(30)),
      ]))
    cluster.machines.set("b.example") { _ in
      .success(.run(1, of: "b", 1, ago: .seconds(40)))
    }
    cluster.machines.set("c-1.x.example") { _ in
      .success(.run(77, of: "c-1.x", 2, ago: .seconds(20)))
    }
    let reply = try cluster.get(
      "/api/v1/cluster/runs?job=shared&limit=3&since=2026-01-01T00:00:00Z")
    #expect(reply.machineRuns == ["c-1.x 77", "a 2", "b 1"])
    // Members that this version does not know are passed on.
    #expect(reply.text.contains(#""of_a_later_version":[{}]"#))
    #expect(reply.problems.isEmpty)
    let machines = reply.list("machines").map { "\($0["machine"] ?? "") \($0["member"] ?? "")" }
    #expect(machines == ["a 3", "b 1", "c-1.x 2"])
    #expect(reply.list("machines").allSatisfy { $0["answered"] as? Bool == true })
    // Each is asked for its own runs, with the token that may only read.
    #expect(cluster.machines.requests.count == 2)
    for request in cluster.machines.requests {
      #expect(
        request.target == "/api/v1/runs?limit=3&job=shared&since=2026-01-01T00%3A00%3A00.000Z")
      #expect(request.method == "GET" && request.timeout == .seconds(2) && request.body == nil)
      #expect(
        request.headers.contains { $0 == ("Authorization", "Bearer \(ControlCluster.readToken)") })
    }
    #expect(reply.list("runs").first?["duration_ms"] as? Double == 12.5)
    let one = try cluster.get("/api/v1/cluster/runs?machine=c-1.x")
    #expect(one.machineRuns == ["c-1.x 77"] && one.list("machines").count == 1)
    #expect(try cluster.get("/api/v1/cluster/runs?machine=a").machineRuns == ["a 2", "a 1"])
    #expect(try cluster.get("/api/v1/cluster/runs?machine=member%3A1").machineRuns == ["b 1"])
  }

  /// The failures of a machine, and the sentence about each.
  static let failures: [(String, MemoryMachines.Answer, String)] = [
    (
      "down", { _ in .failure(MachineFailure("nothing listens on the port")) },
      "machine 'b' did not answer: nothing listens on the port (http://b.example:8080)"
    ),
    (
      "hung", { _ in nil },
      "machine 'b' did not answer: timed out after 2s (http://b.example:8080)"
    ),
    (
      "wrong token", { _ in .success(MachineReply(status: 401, headers: [:], body: [])) },
      "machine 'b' refused the token; all machines need the same 'api_token_file'"
    ),
    (
      "foreign server",
      { _ in .success(MachineReply(status: 200, headers: [:], body: Array("<html>".utf8))) },
      "machine 'b' did not answer: the server at http://b.example:8080 does not belong to a "
        + "cluster of takt"
    ),
    (
      "name refused",
      { _ in
        let json = #"{"title":"unknown host name","detail":"Do that.","code":"forbidden"}"#
        return .success(MachineReply(status: 403, headers: [:], body: Array(json.utf8)))
      },
      "machine 'b' did not answer: the server at http://b.example:8080 does not belong to a "
        + "cluster of takt; it says: unknown host name. Do that."
    ),
    (
      "another cluster", { _ in .success(.of("b", 1, #"{"runs":[]}"#, cluster: "test")) },
      "machine 'b' did not answer: the server at http://b.example:8080 belongs to cluster 'test'"
    ),
    (
      "another machine", { _ in .success(.of("z\u{1b}", 9, #"{"runs":[]}"#)) },
      "machine 'b' did not answer: the server at http://b.example:8080 is machine 'z\u{fffd}' "
        + "(member 9)"
    ),
    (
      "huge",
      { _ in
        var reply = MachineReply.of("b", 1, "")
        (reply.isCut, reply.body) = (true, [UInt8](repeating: 32, count: 8 << 20))
        return .success(reply)
      }, "machine 'b' sent more than 8MB"
    ),
    (
      "no JSON", { _ in .success(.of("b", 1, "}")) },
      "machine 'b' sent an answer that cannot be read"
    ),
    (
      "another form", { _ in .success(.of("b", 1, #"{"runs":[{"run":-1}]}"#)) },
      "machine 'b' sent an answer that cannot be read"
    ),
    (
      "a problem",
      { _ in
        .success(
          .of("b", 1, #"{"title":"the ledger cannot be read","code":"unavailable"}"#, status: 503))
      }, "machine 'b' refused the request: the ledger cannot be read"
    ),
    (
      "no problem", { _ in .success(.of("b", 1, "oops", status: 500)) },
      "machine 'b' refused the request (HTTP status 500)"
    ),
    (
      "a redirection", { _ in .success(.of("b", 1, "", status: 302)) },
      "machine 'b' refused the request (HTTP status 302)"
    ),
  ]

  @Test(arguments: failures.indices)
  func `a machine that does not answer is named, and the others are shown`(index: Int) async throws
  {
    let (name, answer, sentence) = Self.failures[index]
    let cluster = try await ControlCluster(
      [.named("shared")], others: [Self.b, ("c", "http://c.example:1")],
      archive: MemoryArchive([.kept(1, "shared")]),
      slack: name == "hung" ? .seconds(-1) : ClusterMachines.slack)
    cluster.machines.set("b.example", answer)
    cluster.machines.set("c.example") { request in
      .success(
        request.target.hasPrefix("/api/v1/runs")
          ? .run(5, of: "c", 2, ago: .seconds(1)) : .of("c", 2, #"{"jobs":[],"total":0}"#))
    }
    let runs = try cluster.get("/api/v1/cluster/runs")
    #expect(runs.problems == [sentence], "\(name)")
    #expect(runs.machineRuns == ["c 5", "a 1"], "\(name)")
    let answered = runs.list("machines").map { $0["answered"] as? Bool }
    #expect(answered == [true, false, true], "\(name)")
    #expect(runs.list("machines")[1]["problem"] as? String == sentence)
    let jobs = try cluster.get("/api/v1/cluster/jobs")
    #expect(jobs.problems == [sentence] && jobs.list("jobs").count == 1, "\(name)")
    // A request for that machine alone has the same answer.
    let alone = try cluster.get("/api/v1/cluster/runs?machine=b")
    #expect(alone.problems == [sentence] && alone.machineRuns.isEmpty, "\(name)")
  }

  @Test func `machines that cannot be asked are named too`() async throws {
    let cluster = try await ControlCluster(
      others: [("b", nil), ("c", "ftp://c.example"), ("d", "http://d.example")], canRead: false,
      canWrite: false)
    #expect(
      try cluster.get("/api/v1/cluster/runs").problems == [
        "machine 'b' was not asked: it has no address; set 'http' and 'cluster.api' under "
          + "'scheduler' in its file",
        "machine 'c' was not asked: its address is not that of an API",
        "machine 'd' was not asked: this machine has no token; set 'api_token_file' under "
          + "'scheduler.cluster' on all machines",
      ])
    #expect(cluster.machines.requests.isEmpty)
    // Only an address is passed on to the page.
    let members = try cluster.get("/api/v1/cluster").list("members")
    #expect(members.map { $0["api"] as? String } == [nil, nil, "http://d.example", nil])
  }

  @Test func `a token that may write reads as well, where there is no other`() async throws {
    let cluster = try await ControlCluster(others: [Self.b], canRead: false)
    _ = try cluster.get("/api/v1/cluster/runs")
    let headers = try #require(cluster.machines.requests.first).headers
    #expect(headers.contains { $0 == ("Authorization", "Bearer \(ControlCluster.writeToken)") })
  }

  @Test func `two machines of one name are two, and named by their numbers`() async throws {
    let cluster = try await ControlCluster(
      others: [("b", "http://b1.example"), ("b", "http://b2.example")])
    cluster.machines.set("b1.example") { _ in .success(.run(1, of: "b", 1, ago: .seconds(9))) }
    // Its address leads to the other one.
    cluster.machines.set("b2.example") { _ in .success(.run(1, of: "b", 1, ago: .seconds(9))) }
    let reply = try cluster.get("/api/v1/cluster/runs")
    #expect(reply.list("runs").map { $0["member"] as? Int } == [1])
    #expect(
      reply.problems == [
        "machine 'b' (member 2) did not answer: the server at http://b2.example is machine 'b' "
          + "(member 1)"
      ])
    let ambiguous = try cluster.get("/api/v1/cluster/runs?machine=b")
    #expect(ambiguous.problem == "409 ambiguous")
    #expect(ambiguous["title"] as? String == "2 machines are named 'b'")
    #expect(ambiguous["detail"] as? String == "Name one by its number: member:1 or member:2.")
    let one = try cluster.get("/api/v1/cluster/runs?machine=member:1")
    #expect(one.machineRuns == ["b 1"])
    #expect(try cluster.get("/api/v1/cluster/runs?machine=member:7").problem == "404 notFound")
  }

  @Test func `a machine that has joined again is one machine`() async throws {
    let cluster = try await ControlCluster(others: [Self.b, Self.b])
    cluster.machines.set("b.example") { _ in .success(.run(4, of: "b", 2, ago: .seconds(9))) }
    let reply = try cluster.get("/api/v1/cluster/runs?machine=b")
    #expect(reply.machineRuns == ["b 4"] && reply.problems.isEmpty)
    // It has joined again, and this machine does not know yet.
    cluster.machines.set("b.example") { _ in .success(.run(5, of: "b", 8, ago: .seconds(9))) }
    #expect(try cluster.get("/api/v1/cluster/runs?machine=b").machineRuns == ["b 5"])
    cluster.machines.set("b.example") { _ in .success(.run(6, of: "b", nil, ago: .seconds(9))) }
    #expect(try cluster.get("/api/v1/cluster/runs?machine=b").machineRuns == ["b 6"])
  }

  @Test func `an unknown machine is refused, and so is a daemon without a cluster`() async throws {
    let cluster = try await ControlCluster(others: [Self.b])
    let unknown = try cluster.get("/api/v1/cluster/runs?machine=bb")
    #expect(unknown.problem == "404 notFound")
    #expect(unknown["title"] as? String == "the cluster has no machine 'bb'")
    #expect(unknown["detail"] as? String == "Its machines are a, b.")
    let alone = try await ControlWorld([.named("a")])
    for target in ["runs", "jobs", "machines/a/runs/1", "machines/a/runs/1/output"] {
      let reply = try alone.get("/api/v1/cluster/\(target)")
      #expect(reply.problem == "404 notFound", "\(target)")
      #expect(reply["title"] as? String == "this daemon is not in a cluster")
    }
    #expect(try cluster.get("/api/v1/cluster/runs?before=3").problem == "400 badRequest")
    #expect(try cluster.get("/api/v1/cluster/runs?limit=1001").problem == "400 badRequest")
  }

  @Test func `shared jobs are put together by their names`() async throws {
    var each = try JobSpec.named("each")
    each.machines = .each
    var east = try JobSpec.named("east")
    east.machines = .labelled(["site": "east"])
    let cluster = try await ControlCluster(
      [each, east, .named("shared")], others: [Self.b],
      archive: MemoryArchive([.kept(1, "shared", .failed, ago: .seconds(90))]))
    let ended = (ControlWorld.wall + .seconds(-5)).rfc3339()
    let due = (ControlWorld.wall + .seconds(30)).rfc3339()
    cluster.machines.set("b.example") { _ in
      .success(
        .of(
          "b", 1,
          """
          {"jobs":[{"name":"each","state":"running","machines":"each","active":[]},
          {"name":"only-b","state":"suspended","active":[]},
          {"name":"shared","state":"running","next":{"slot":"\(due)","due":"\(due)"},
          "last":{"run":9,"job":"shared","slot":"\(ended)","kind":"slot","state":"ended",
          "began":"\(ended)","ended":"\(ended)","attempts":1,"outcome":"succeeded"},
          "active":[{"run":10,"job":"shared","slot":"\(ended)","kind":"slot","state":"running",
          "began":"\(ended)","attempts":1}]}],"total":3}
          """))
    }
    let reply = try cluster.get("/api/v1/cluster/jobs?limit=10")
    let jobs = reply.list("jobs")
    #expect(jobs.map { $0["name"] as? String } == ["east", "only-b", "shared"])
    #expect(jobs.map { $0["state"] as? String } == ["waiting", "suspended", "running"])
    #expect(jobs[0]["machines"] as? String == "site=east" && jobs[2]["machines"] == nil)
    let last = try #require(jobs[2]["last"] as? [String: Any])
    #expect(last["machine"] as? String == "b" && last["run"] as? Int == 9)
    let active = try #require(jobs[2]["active"] as? [[String: Any]])
    #expect(active.map { $0["machine"] as? String } == ["b"])
    #expect((jobs[2]["next"] as? [String: Any])?["due"] as? String == due)
    let places = (jobs[2]["on"] as? [[String: Any]])?.map { $0["machine"] as? String }
    #expect(places == ["a", "b"] && reply["after"] == nil)
    #expect(cluster.machines.requests.map(\.target) == ["/api/v1/jobs?limit=10"])
  }

  @Test func `a page of jobs ends where the first machine's page ends`() async throws {
    let cluster = try await ControlCluster(
      [.named("a"), .named("c"), .named("e"), .named("f")], others: [Self.b])
    cluster.machines.set("b.example") { request in
      let names = request.target.contains("after=c") ? ["d", "e"] : ["b", "c"]
      let jobs = names.map { #"{"name":"\#($0)","state":"idle","active":[]}"# }
      let more = names == ["b", "c"] ? #","after":"c""# : ""
      return .success(.of("b", 1, "{\"jobs\":[\(jobs.joined(separator: ","))]\(more)}"))
    }
    var (names, after) = ([String](), String?.none)
    repeat {
      let page = try cluster.get(
        "/api/v1/cluster/jobs?limit=2" + (after.map { "&after=\($0)" } ?? ""))
      names += page.list("jobs").compactMap { $0["name"] as? String }
      after = page["after"] as? String
    } while after != nil && names.count < 20
    #expect(names == ["a", "b", "c", "d", "e", "f"])
  }

  @Test func `a ledger that cannot be read is a problem of this machine alone`() async throws {
    let archive = MemoryArchive()
    let cluster = try await ControlCluster(others: [Self.b], archive: archive)
    archive.fail("disk full")
    cluster.machines.set("b.example") { _ in .success(.run(4, of: "b", 1, ago: .seconds(9))) }
    let reply = try cluster.get("/api/v1/cluster/runs")
    #expect(reply.machineRuns == ["b 4"])
    #expect(reply.problems == ["machine 'a': the ledger cannot be read: disk full"])
  }
}
