import Foundation
import TaktTime
import Testing

@testable import TaktCore

/// The routes of a client that lists jobs, shows one, and controls it.
@Suite struct JobRouteTests {
  private static let oddNames = [
    "0", "7-up", "a.b.c", "a-b_c.d", "CamelCase", "z..", String(repeating: "n", count: 128),
  ]

  // MARK: One job

  @Test func `a job shows what it is, when it is due and how its last runs went`() async throws {
    let spec = try JobSpec.named("nightly", tags: ["backup"], summary: "Copies all")
    let archive = MemoryArchive([
      .kept(3, "nightly"), .kept(2, "nightly", .failed), .kept(1, "nightly"),
    ])
    let world = try await ControlWorld([spec], archive: archive)
    let job = try world.get("/api/v1/jobs/nightly")
    #expect(job.status == 200 && job.headers["content-type"] == "application/json")
    #expect(job["name"] as? String == "nightly" && job["state"] as? String == "waiting")
    #expect(job["description"] as? String == "Copies all")
    #expect(job["tags"] as? [String] == ["backup"])
    #expect(job["schedule"] as? String == "every 1m" && job["action"] as? String == "shell")
    #expect(job["timer"] as? String == "running" || job["timer"] as? String == "idle")
    #expect((job["next"] as? [String: Any])?["slot"] as? String == "2026-09-21T14:14:20.000Z")
    #expect(job.list("slots").count == 10)
    #expect((job["last"] as? [String: Any])?["run"] as? Int == 3)
    #expect(job["outcomes"] as? String == "sfs")
    #expect(job["suspension"] == nil)
    let every = job.list("keys").first { $0["key"] as? String == "every" }
    #expect(every?["text"] as? String == "1m")
  }

  @Test func `a failing job says since when, and when it last succeeded`() async throws {
    let archive = MemoryArchive([
      .kept(4, "a", .failed, ago: .seconds(60)), .kept(3, "a", .cancelled, ago: .seconds(120)),
      .kept(2, "a", .timedOut, ago: .seconds(180)), .kept(1, "a", ago: .seconds(240)),
    ])
    let world = try await ControlWorld([.named("a", every: nil)], archive: archive)
    // The scheduler knows the number of failures in a row, of this daemon's runs.
    world.scheduler.end(try world.trigger("a"), .exited(3))
    let job = try world.get("/api/v1/jobs/a")
    #expect(job["last_success"] as? String == "2026-09-21T14:09:21.000Z")
    #expect(job["failing_since"] as? String == "2026-09-21T14:10:21.000Z")
    #expect(job["outcomes"] as? String == "stcff")
    #expect((job["durations_ms"] as? [Int])?.dropLast() == [1000, 1000, 1000, 1000])
    world.scheduler.end(try world.trigger("a"))
    let mended = try world.get("/api/v1/jobs/a")
    #expect(mended["failing_since"] == nil)
    #expect(mended["last_success"] as? String == "2026-09-21T14:13:20.000Z")
  }

  @Test func `a stale job says since when, and is found by its state`() async throws {
    var spec = try JobSpec.named("a", every: nil)
    spec.policies.freshFor = .seconds(20)
    let world = try await ControlWorld([spec, .named("b", every: nil)])
    world.scheduler.pass(.seconds(25))
    let job = try world.get("/api/v1/jobs/a")
    #expect(job["stale_since"] as? String == "2026-09-21T14:13:40.000Z")
    #expect(job.list("keys").contains { $0["key"] as? String == "expect_success_within" })
    let found = try world.get("/api/v1/jobs?state=stale").list("jobs")
    #expect(found.map { $0["name"] as? String } == ["a"])
    #expect(try world.get("/api/v1/status")["stale"] as? Int == 1)
    world.scheduler.end(try world.trigger("a"))
    #expect(try world.get("/api/v1/jobs/a")["stale_since"] == nil)
    #expect(try world.get("/api/v1/jobs?state=stale").list("jobs").isEmpty)
    #expect(try world.get("/api/v1/status")["stale"] as? Int == 0)
  }

  @Test func `slots that did not run are counted, and the last of them has its reason`()
    async throws
  {
    let world = try await ControlWorld([.named("busy", every: .seconds(10))])
    world.scheduler.pass(.seconds(30))
    let job = try world.get("/api/v1/jobs/busy")
    #expect(job["verdicts"] as? String == "rss")
    // The slot that ran has its run still.
    #expect(job["recent"] as? String == "ass")
    let passed = try #require(job["passed"] as? [String: Any])
    #expect(passed["verdict"] as? String == "skipped" && passed["reason"] as? String == "overlap")
    #expect(passed["slot"] as? String == "2026-09-21T14:13:50.000Z")
    // A suspended job is expected not to run.
    world.scheduler.end(try #require(world.scheduler.requests.first).run, .exited(1))
    #expect(try world.get("/api/v1/jobs/busy")["recent"] as? String == "fss")
    _ = try world.post("/api/v1/jobs/busy/suspend")
    world.scheduler.pass(.seconds(30))
    #expect(try world.get("/api/v1/jobs/busy")["verdicts"] as? String == "rss")
  }

  @Test func `a list has durations for those who ask`() async throws {
    let world = try await ControlWorld([.named("a")], archive: MemoryArchive([.kept(1, "a")]))
    let asked = try world.get("/api/v1/jobs?durations=true").list("jobs").first
    #expect(asked?["durations_ms"] as? [Int] == [1000])
    #expect(try world.get("/api/v1/jobs").list("jobs").first?["durations_ms"] == nil)
  }

  @Test func `what a job does is shown without its secrets`() async throws {
    let spec = try JobSpec.named(
      "a", action: .shell("curl -H 'Authorization: Bearer abc123' https://me:pw@example.org/"))
    let job = try await ControlWorld([spec]).get("/api/v1/jobs/a")
    let command = job.list("command")
    #expect(command.map { $0["path"] as? String } == ["run"])
    let text = command.first?["text"] as? String ?? ""
    #expect(text.hasPrefix("curl -H") && !text.contains("abc123") && !text.contains("pw@"))
    #expect(job["schedule_words"] as? [String] == ["every 1m, counted from the first load"])
  }

  @Test func `a job without a ledger shows the runs of this daemon alone`() async throws {
    let world = try await ControlWorld([.named("a")], archive: nil)
    #expect(try world.get("/api/v1/jobs/a")["last"] == nil)
    let run = try world.trigger("a")
    let active = try world.get("/api/v1/jobs/a").list("active")
    #expect(active.map { $0["run"] as? Int } == [Int(run.number)])
    world.scheduler.end(run, .exited(3))
    let job = try world.get("/api/v1/jobs/a")
    #expect(job.list("active").isEmpty)
    #expect((job["last"] as? [String: Any])?["outcome"] as? String == "failed")
    #expect(job["streak"] as? Int == 1 && job["outcomes"] as? String == "f")
  }

  @Test(arguments: oddNames) func `a job is found by any name that it may have`(
    name: String
  ) async throws {
    let world = try await ControlWorld([.named(name), .named("other")])
    let encoded = name.utf8.map { String(format: "%%%02x", $0) }.joined()
    for target in [name, encoded] {
      #expect(try world.get("/api/v1/jobs/\(target)")["name"] as? String == name, "\(target)")
      #expect(try world.get("/api/v1/jobs/\(target)/slots?n=1").list("slots").count == 1)
    }
    let run = try world.post("/api/v1/jobs/\(encoded)/trigger")
    #expect(run.status == 202 && run["job"] as? String == name)
    #expect(try world.post("/api/v1/jobs/\(name)/cancel").status == 200)
    #expect(try world.post("/api/v1/jobs/\(encoded)/suspend")["state"] as? String == "suspended")
    #expect(try world.post("/api/v1/jobs/\(name)/resume").status == 200)
  }

  @Test func `a job that there is not is not found, and the nearest name is given`() async throws {
    let world = try await ControlWorld([.named("backup"), .named("report")])
    for (method, suffix) in [
      ("GET", ""), ("GET", "/slots"), ("POST", "/trigger"), ("POST", "/suspend"),
      ("POST", "/resume"), ("POST", "/cancel"),
    ] {
      let reply = try world.ask(method, "/api/v1/jobs/bakcup\(suffix)", method == "GET" ? nil : "")
      #expect(reply.problem == "404 notFound", "\(method) \(suffix): \(reply.text)")
      #expect(reply["title"] as? String == "there is no job 'bakcup'")
      #expect(reply["detail"] as? String == "Did you mean 'backup'?")
    }
    let far = try world.get("/api/v1/jobs/quite-another-thing")
    #expect(far.problem == "404 notFound" && far["detail"] == nil)
  }

  @Test(arguments: [
    ("-a", "-a"), ("a%20b", "a b"), ("%C3%A4", "ä"), ("a%2Fb", "a/b"),
    (String(repeating: "n", count: 129), String(repeating: "n", count: 128)), ("%ff", "%FF"),
  ])
  func `what no job may be called is not found, and shown as it was meant`(
    target: String, shown: String
  ) async throws {
    let world = try await ControlWorld([.named("a")])
    let reply = try world.get("/api/v1/jobs/\(target)")
    #expect(reply.problem == "404 notFound")
    #expect(reply["title"] as? String == "there is no job '\(shown)'")
  }

  // MARK: Slots

  @Test(arguments: [1, 3, 1000]) func `so many slots are foretold as are asked for`(
    count: Int
  ) async throws {
    let world = try await ControlWorld([.named("a", every: .seconds(2))])
    let slots = try world.get("/api/v1/jobs/a/slots?n=\(count)").list("slots")
    #expect(slots.count == count)
    #expect(slots.first?["slot"] as? String == "2026-09-21T14:13:22.000Z")
  }

  @Test func `a job that waits for nothing has no slots`() async throws {
    let world = try await ControlWorld([
      .named("by-hand", every: nil), .named("off", isEnabled: false),
    ])
    for job in ["by-hand", "off"] {
      let reply = try world.get("/api/v1/jobs/\(job)/slots")
      #expect(reply.status == 200 && reply.list("slots").isEmpty, "\(job)")
    }
    #expect(try world.get("/api/v1/jobs/by-hand")["state"] as? String == "idle")
    #expect(try world.get("/api/v1/jobs/off")["state"] as? String == "disabled")
  }

  @Test(arguments: ["0", "1001", "-1", "+1", "1e1", "", "99999999999999999999", "١"])
  func `an odd number of slots is refused with the range`(count: String) async throws {
    let world = try await ControlWorld([.named("a")])
    let encoded = count.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let reply = try world.get("/api/v1/jobs/a/slots?n=\(encoded)")
    #expect(reply.problem == "400 badRequest")
    #expect(reply["title"] as? String == "'n' takes a whole number from 1 to 1000")
  }

  @Test func `slots to come are foreseen, with what may hold them up`() async throws {
    var limited = try JobSpec.named("limited", every: .seconds(2))
    limited.timing.schedule.limit = 3
    let world = try await ControlWorld([
      .named("a", every: .seconds(2)), .named("off", every: .seconds(2), isEnabled: false), limited,
    ])
    let range = "from=2026-09-21T15:00:00Z&until=2026-09-21T15:00:04Z"
    let forecast = try world.get("/api/v1/jobs/a/forecast?\(range)")
    let slots = forecast.list("slots").map { $0["slot"] as? String }
    #expect(slots == ["2026-09-21T15:00:00.000Z", "2026-09-21T15:00:02.000Z"])
    #expect(forecast["enabled"] as? Bool == true && forecast["limit"] == nil)
    #expect(forecast["next"] as? String == "2026-09-21T14:13:22.000Z")
    #expect(forecast["overlap"] as? String == "skip")
    let off = try world.get("/api/v1/jobs/off/forecast?\(range)")
    #expect(off["enabled"] as? Bool == false && off.list("slots").count == 2)
    let beyond = try world.get("/api/v1/jobs/limited/forecast?\(range)")
    let entry = beyond.list("slots").first
    #expect(entry?["beyond_limit"] as? Bool == true && beyond["limit_reached"] as? Bool == false)
  }

  @Test(arguments: [
    ("", "'from' is missing"), ("?from=2020-01-01T00:00:00Z", "'until' is not in the future"),
    ("?from=2027-01-01T00:00:00Z&until=2026-12-31T00:00:00Z", "'until' is not after 'from'"),
    ("?from=tomorrow", "'from' takes an instant with an offset, such as 2026-12-24T18:00:00Z"),
  ])
  func `a range that is none, or not to come, is refused`(query: String, title: String) async throws
  {
    let reply = try await ControlWorld([.named("a")]).get("/api/v1/jobs/a/forecast\(query)")
    #expect(reply.problem == "400 badRequest" && reply["title"] as? String == title)
  }

  // MARK: Trigger

  @Test func `a triggered run is shown at once, with a place and its slot`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let reply = try world.post("/api/v1/jobs/a/trigger", #"{"slot":"2026-01-02T03:04:05+01:00"}"#)
    #expect(reply.status == 202)
    #expect(reply["kind"] as? String == "manual" && reply["state"] as? String == "running")
    #expect(reply["slot"] as? String == "2026-01-02T02:04:05.000Z")
    #expect(world.scheduler.requests.map(\.slot.milliseconds) == [1_767_319_445_000])
  }

  @Test func `a run waits where there is no place, and a job beyond its bound is refused`()
    async throws
  {
    let settings = SchedulerSettings(maxRunning: 1)
    let world = try await ControlWorld(
      [.named("a", every: nil, overlap: .allow)], settings: settings)
    #expect(try world.post("/api/v1/jobs/a/trigger")["state"] as? String == "running")
    for _ in 0..<SchedulerCore.waitingRunsPerJobMax {
      #expect(try world.post("/api/v1/jobs/a/trigger")["state"] as? String == "queued")
    }
    let beyond = try world.post("/api/v1/jobs/a/trigger")
    #expect(beyond.problem == "409 conflict")
    #expect(beyond["title"] as? String == "too many runs of the job are waiting")
    let cancelled = try world.post("/api/v1/jobs/a/cancel")["runs"] as? [Int]
    #expect(cancelled?.count == 1 + SchedulerCore.waitingRunsPerJobMax)
  }

  @Test func `a second run is refused where the job's overlap says so, unless it is forced`()
    async throws
  {
    let world = try await ControlWorld([.named("a", every: nil)])
    let first = try world.trigger("a")
    let second = try world.post("/api/v1/jobs/a/trigger")
    #expect(second.problem == "409 overlap")
    #expect(
      (second["title"] as? String)?.hasPrefix("run \(first) of the job has not ended") == true)
    #expect(try world.post("/api/v1/jobs/a/trigger", #"{"force":false}"#).status == 409)
    #expect(try world.post("/api/v1/jobs/a/trigger", #"{"force":true}"#).status == 202)
  }

  @Test func `parameters of a command become variables`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let reply = try world.post(
      "/api/v1/jobs/a/trigger", #"{"parameters":{"day_2":"mon \"x\"","N":""}}"#)
    #expect(reply.status == 202)
    let environment = try #require(world.scheduler.requests.first).spec.execution.environment
    #expect(environment == ["TAKT_PARAM_DAY_2": "mon \"x\"", "TAKT_PARAM_N": ""])
  }

  @Test func `no job is triggered before takt has started, or when it stops`() async throws {
    let early = try await ControlWorld([.named("a")], isStarted: false)
    #expect(try early.post("/api/v1/jobs/a/trigger").status == 404)
    let world = try await ControlWorld([.named("a", every: nil)])
    world.scheduler.send(.stop)
    for order in ["trigger", "suspend", "resume"] {
      let reply = try world.post("/api/v1/jobs/a/\(order)")
      #expect(reply.problem == "503 stopping", "\(order)")
      #expect(reply["title"] as? String == "takt is starting or stopping")
    }
  }

  // MARK: Suspend and resume

  @Test func `a suspended job says since when, until when and why, until it is resumed`()
    async throws
  {
    let world = try await ControlWorld([.named("a")])
    let reply = try world.post("/api/v1/jobs/a/suspend", #"{"for":"90m","reason":"a \n \u00e4"}"#)
    let suspension = try #require(reply["suspension"] as? [String: Any])
    #expect(reply["state"] as? String == "suspended" && reply["next"] == nil)
    #expect(suspension["since"] as? String == "2026-09-21T14:13:20.000Z")
    #expect(suspension["until"] as? String == "2026-09-21T15:43:20.000Z")
    #expect(suspension["reason"] as? String == "a \n ä")
    let forGood = try world.post("/api/v1/jobs/a/suspend")
    #expect((forGood["suspension"] as? [String: Any])?["until"] == nil)
    let resumed = try world.post("/api/v1/jobs/a/resume")
    #expect(resumed["state"] as? String == "waiting" && resumed["suspension"] == nil)
    let again = try world.post("/api/v1/jobs/a/resume")
    #expect(again.problem == "409 conflict")
    #expect(again["title"] as? String == "the job is not suspended")
  }

  @Test func `a suspension is answered when it is kept, so that no crash undoes it`() async throws {
    let world = try await ControlWorld([.named("a")])
    for order in ["suspend", "resume"] {
      world.ledger.hang()
      let wire = try world.connect()
      wire.send("POST", "/api/v1/jobs/a/\(order)", [], [])
      let end = ContinuousClock.now + .seconds(60)
      while world.ledger.waiterCount == 0 && ContinuousClock.now < end { await Task.yield() }
      #expect(world.ledger.waiterCount == 1)
      world.ledger.recover()
      #expect(try wire.reply().status == 200)
    }
  }

  @Test func `a suspension that lasts for a while ends by itself`() async throws {
    let world = try await ControlWorld([.named("a")])
    _ = try world.post("/api/v1/jobs/a/suspend", #"{"until":"2026-09-21T14:15:00Z"}"#)
    world.scheduler.pass(.seconds(99))
    #expect(try world.get("/api/v1/jobs/a")["state"] as? String == "suspended")
    world.scheduler.pass(.seconds(2))
    #expect(try world.get("/api/v1/jobs/a")["suspension"] == nil)
  }

  @Test func `a reason has at most a thousand characters`() async throws {
    let world = try await ControlWorld([.named("a")])
    let text = String(repeating: "ä", count: 1000)
    #expect(try world.post("/api/v1/jobs/a/suspend", #"{"reason":"\#(text)"}"#).status == 200)
    let long = try world.post("/api/v1/jobs/a/suspend", #"{"reason":"\#(text)x"}"#)
    #expect(long.problem == "400 badRequest")
    #expect(long["title"] as? String == "'reason' takes at most 1000 characters")
  }

  // MARK: Cancel

  @Test func `all runs of a job are cancelled, and none where there is none`() async throws {
    let world = try await ControlWorld([.named("a", every: nil), .named("b", every: nil)])
    let (run, other) = (try world.trigger("a"), try world.trigger("b"))
    #expect(try world.post("/api/v1/jobs/a/cancel")["runs"] as? [Int] == [Int(run.number)])
    #expect(try world.get("/api/v1/runs/\(run)")["outcome"] as? String == "cancelled")
    #expect(try world.get("/api/v1/runs/\(other)")["state"] as? String == "running")
    #expect(try world.post("/api/v1/jobs/a/cancel")["runs"] as? [Int] == [])
  }
}
