import Foundation
import TaktTime
import Testing

@testable import TaktCore

/// The machines that share jobs with this one, as a client sees them.
@Suite struct ClusterRouteTests {
  private static func facts(
    _ machine: String, lease: Duration = .seconds(15), offset: Duration = .zero
  ) -> MemberFacts {
    MemberFacts(
      machine: machine, host: "host-\(machine)", version: "1.2.3", labels: ["site": "east"],
      lease: lease, grace: .seconds(30), clockOffset: offset)
  }

  private static var settings: SchedulerSettings {
    var settings = SchedulerSettings()
    settings.cluster = ClusterSettings(
      engine: .postgres(url: "postgres://u:hunter2@db/x"), name: "prod", machine: "a")
    return settings
  }

  /// A machine `a` in a cluster, which has not sent anything to its engine yet.
  private func world(_ jobs: [JobSpec] = []) async throws -> ControlWorld {
    try await ControlWorld(jobs, cluster: Self.facts("a"), isStarted: false)
  }

  private func start(_ world: ControlWorld) {
    world.scheduler.send(.started(Snapshot(settings: Self.settings, jobs: world.jobs)))
  }

  private func joining(_ facts: MemberFacts, _ requests: [ClaimRequest] = []) -> ClaimBatch {
    ClaimBatch(number: 1, member: nil, facts: facts, requests: requests)
  }

  private func problems(_ reply: Reply) -> [String] { reply["problems"] as? [String] ?? [] }

  private func check(_ reply: Reply) throws {
    let found = try APIDescription().problems(of: reply, to: "GET", "/api/v1/cluster")
    #expect(found.isEmpty, "\(found) \(reply.text)")
  }

  private func statusLine(_ world: ControlWorld) throws -> String? {
    try world.get("/api/v1/jobs", headers: ["Accept: text/plain"]).text
      .split(separator: "\n").first { $0.hasPrefix("cluster: ") }.map(String.init)
  }

  @Test func `a daemon without a cluster shows none`() async throws {
    let world = try await ControlWorld([.named("a")])
    let reply = try world.get("/api/v1/cluster")
    #expect(reply.status == 200 && reply.text == #"{"enabled":false}"#)
    #expect(try statusLine(world) == nil)
    #expect(try !world.get("/metrics").text.contains("takt_cluster"))
    #expect(try world.get("/api/v1/cluster?x=1").problem == "400 badRequest")
  }

  @Test func `the machines of a cluster are shown, with what they say of themselves`() async throws
  {
    let world = try await world([.named("job")])
    world.scheduler.others(joining(Self.facts("b", lease: .seconds(60))))
    start(world)
    world.scheduler.pass(.seconds(1))
    let reply = try world.get("/api/v1/cluster")
    try check(reply)
    #expect(reply["enabled"] as? Bool == true && reply["engine_answers"] as? Bool == true)
    #expect(reply["name"] as? String == "prod" && reply["engine"] as? String == "postgres")
    #expect(reply["machine"] as? String == "a" && reply["member"] as? Int == 2)
    #expect(reply["lease_ms"] as? Double == 15_000 && reply["failure"] == nil)
    let left = try #require(reply["lease_left_ms"] as? Double)
    #expect(left > 10_000 && left < 15_000)
    #expect(reply["engine_round_trip_ms"] as? Double != nil)
    let members = reply.list("members")
    #expect(members.map { "\($0["machine"] ?? "") \($0["member"] ?? "")" } == ["b 1", "a 2"])
    #expect(members.allSatisfy { $0["alive"] as? Bool == true })
    #expect(members[0]["labels"] as? [String: String] == ["site": "east"])
    #expect(
      members[0]["host"] as? String == "host-b" && members[0]["lease_ms"] as? Double == 60_000)
    #expect(problems(reply).isEmpty && reply.list("jobs").isEmpty)
    #expect(try statusLine(world) == "cluster: 2 machines, engine answers")
    let metrics = try world.get("/metrics").text
    #expect(PrometheusLint.problems(in: metrics).isEmpty)
    for line in [
      "takt_cluster_members 2", "takt_cluster_engine_up 1", "takt_cluster_clock_offset_seconds 0.0",
      "takt_cluster_waiting_slots 0", "takt_cluster_drifted_jobs 0",
    ] {
      #expect(metrics.contains("\n\(line)\n"), "\(line)")
    }
    // A password may be in the address of the engine.
    #expect(!reply.text.contains("hunter2") && !metrics.contains("hunter2"))
  }

  @Test func `a machine that has not joined yet says so`() async throws {
    let world = try await world()
    world.scheduler.failEngine(ClaimFailure("No route to db.\u{1b}[2J"))
    let early = try world.get("/api/v1/cluster")
    try check(early)
    #expect(early["engine_answers"] as? Bool == false && early["member"] == nil)
    #expect(problems(early) == ["this machine has not joined yet"])
    start(world)
    let reply = try world.get("/api/v1/cluster")
    try check(reply)
    let failure = try #require(reply["failure"] as? [String: Any])
    #expect(failure["permanent"] as? Bool == false)
    #expect(problems(reply) == ["the engine does not answer: No route to db.\u{1b}[2J"])
    // Texts of others do not control a terminal.
    #expect(
      try statusLine(world) == "cluster: the engine does not answer: No route to db.\u{fffd}[2J")
    let metrics = try world.get("/metrics").text
    #expect(metrics.contains("\ntakt_cluster_engine_up 0\n"))
    #expect(metrics.contains("\ntakt_cluster_lease_seconds 0.0\n"))
  }

  @Test func `slots that wait for an engine that is down are counted`() async throws {
    let world = try await world([.named("a"), .named("b")])
    start(world)
    world.scheduler.failEngine(ClaimFailure("It is down."))
    world.scheduler.pass(.seconds(125))
    let reply = try world.get("/api/v1/cluster")
    try check(reply)
    let jobs = reply.list("jobs")
    #expect(jobs.map { $0["job"] as? String } == ["a", "b"])
    let waiting = jobs.compactMap { $0["waiting"] as? Int }
    #expect(waiting.allSatisfy { $0 >= 2 })
    let total = waiting.reduce(0, +)
    #expect(
      problems(reply) == [
        "the engine does not answer: It is down.", "\(total) slots wait for the engine: a, b",
      ])
    #expect(
      try statusLine(world)
        == "cluster: the engine does not answer: It is down. (and 1 more; see 'takt cluster')")
    #expect(try world.get("/metrics").text.contains("\ntakt_cluster_waiting_slots \(total)\n"))
    #expect(reply["lease_left_ms"] == nil && reply["member"] as? Int == 1)
    world.scheduler.failEngine(nil)
    world.scheduler.pass(.seconds(10))
    #expect(try problems(world.get("/api/v1/cluster")).isEmpty)
  }

  @Test func `a lost machine, a wrong clock and a newer schedule are problems`() async throws {
    let world = try await world([.named("shared")])
    start(world)
    world.scheduler.pass(.seconds(45))
    world.scheduler.others(joining(Self.facts("gone", lease: .seconds(3))))
    world.scheduler.others(
      joining(
        Self.facts("b", lease: .seconds(200), offset: .milliseconds(-1500)),
        [.declare(try #require(JobName("shared")), schedule: 7, isChanged: true)]))
    // The next slot is due after a minute.
    world.scheduler.pass(.seconds(20))
    let reply = try world.get("/api/v1/cluster")
    try check(reply)
    #expect(
      problems(reply) == [
        "machine 'gone' (member 2) has not renewed its lease",
        "the clock of machine 'b' is 1s500ms behind the engine's; set it by NTP",
        "1 job has a newer schedule on another machine: shared; make this machine's file and time "
          + "zone equal to theirs and reload", "1 slot waits for the engine: shared",
      ])
    let gone = try #require(reply.list("members").dropFirst().first)
    #expect(gone["machine"] as? String == "gone" && gone["alive"] as? Bool == false)
    #expect(reply.list("jobs").first?["drifted"] as? Bool == true)
    #expect(try world.get("/api/v1/jobs/shared")["drifted"] as? Bool == true)
    let metrics = try world.get("/metrics").text
    #expect(metrics.contains("\ntakt_cluster_members 2\n"))
    #expect(metrics.contains("\ntakt_cluster_drifted_jobs 1\n"))
  }

  @Test func `jobs with labels that no machine has are listed`() async throws {
    var (fast, here) = (try JobSpec.named("fast"), try JobSpec.named("here"))
    fast.machines = .labelled(["disk": "fast"])
    here.machines = .labelled(["site": "east"])
    let world = try await world([fast, here])
    start(world)
    world.scheduler.pass(.seconds(1))
    let reply = try world.get("/api/v1/cluster")
    try check(reply)
    let unplaced = reply.list("unplaced")
    #expect(unplaced.map { $0["labels"] as? [String: String] } == [["disk": "fast"]])
    #expect(unplaced.map { $0["jobs"] as? [String] } == [["fast"]])
    #expect(
      problems(reply) == [
        "no machine of the cluster has the labels disk=fast, so 1 job does not run: fast; "
          + "machines: 'a' (site=east)"
      ])
    let metrics = try world.get("/metrics").text
    #expect(metrics.contains("\ntakt_cluster_unplaced_jobs 1\n"))
    #expect(metrics.contains("\ntakt_job_unplaced{job=\"fast\"} 1\n"))
    let job = try world.get("/api/v1/jobs/fast")
    let found = job["problems"] as? [[String: Any]]
    #expect(found?.map { $0["kind"] as? String } == ["unplaced"])
    #expect(
      found?.first?["message"] as? String
        == "No machine of the cluster has the labels disk=fast: its slots run nowhere.")
    #expect(try world.get("/api/v1/status")["unplaced"] as? Int == 1)
  }

  @Test func `a slot that another machine has is no problem, and says who has it`() async throws {
    let world = try await world([.named("shared")])
    let job = try #require(JobName("shared"))
    start(world)
    let slot = ControlWorld.wall + .seconds(60)
    let next = try #require(try world.get("/api/v1/jobs/shared")["next"] as? [String: Any])
    #expect(next["slot"] as? String == slot.rfc3339())
    world.scheduler.others(
      joining(Self.facts("b", lease: .seconds(120)), [.ranUnclaimed(job, slot)]))
    world.scheduler.pass(.seconds(61))
    let lanes = try world.get("/api/v1/timeline")
    let slots = lanes.list("jobs").first?["slots"] as? [[String: Any]]
    let past = try #require(slots?.first { $0["slot"] as? String == slot.rfc3339() })
    #expect(past["verdict"] as? String == "skipped" && past["reason"] as? String == "elsewhere")
    let found = try APIDescription().problems(of: lanes, to: "GET", "/api/v1/timeline")
    #expect(found.isEmpty)
    #expect(Verdict.skipped(.elsewhere).level == .info)
  }
}
