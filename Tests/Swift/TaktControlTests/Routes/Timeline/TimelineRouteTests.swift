import TaktTime
import Testing

@testable import TaktCore

@Suite struct TimelineRouteTests {
  private func job(_ reply: Reply, _ name: String) -> [String: [[String: Any]]] {
    let job = reply.list("jobs").first { $0["job"] as? String == name }
    return ["slots", "runs"].reduce(into: [:]) { $0[$1] = job?[$1] as? [[String: Any]] ?? [] }
  }

  @Test func `past and future slots are shown with the runs of a job`() async throws {
    let world = try await ControlWorld([.named("beat", every: .seconds(60)), .named("other")])
    world.scheduler.pass(.seconds(60))
    let run = try #require(world.scheduler.requests.first { $0.spec.name.text == "beat" }?.run)
    world.scheduler.pass(.seconds(2))
    world.scheduler.end(run)
    let reply = try world.get("/api/v1/timeline?past=3600&ahead=120&match=beat")
    #expect(reply["now"] as? String == "2026-09-21T14:14:22.000Z")
    #expect(reply["from"] as? String == "2026-09-21T13:14:22.000Z")
    #expect(reply["to"] as? String == "2026-09-21T14:16:22.000Z")
    #expect(reply.list("jobs").count == 1 && reply["truncated"] as? Bool == false)
    let beat = job(reply, "beat")
    #expect(
      beat["slots"]?.compactMap { $0["slot"] as? String } == [
        "2026-09-21T14:14:20.000Z", "2026-09-21T14:15:20.000Z", "2026-09-21T14:16:20.000Z",
      ])
    #expect(beat["slots"]?.compactMap { $0["verdict"] as? String } == ["ran"])
    let bar = try #require(beat["runs"]?.first)
    #expect(bar["run"] as? Int == Int(run.number) && bar["outcome"] as? String == "succeeded")
    #expect(bar["began"] as? String == "2026-09-21T14:14:20.000Z")
    #expect(bar["ended"] as? String == "2026-09-21T14:14:22.000Z")
    #expect(reply["wakes"] as? [String] == ["2026-09-21T14:14:20.000Z"])
  }

  @Test func `a run that continues has no end, and one that waits for its place no bar`()
    async throws
  {
    let world = try await ControlWorld(
      [.named("a", every: nil), .named("b", every: nil)], settings: SchedulerSettings(maxRunning: 1)
    )
    _ = try world.trigger("a")
    _ = try world.trigger("b")
    let reply = try world.get("/api/v1/timeline")
    let bar = try #require(job(reply, "a")["runs"]?.first)
    #expect(bar["ended"] == nil && bar["outcome"] == nil)
    #expect(job(reply, "b")["runs"]?.isEmpty == true)
  }

  @Test func `a month back comes from the ledger, beside what this daemon remembers`() async throws
  {
    let day = Duration.seconds(86_400)
    let archive = MemoryArchive([
      .kept(7, "beat", .failed, ago: day * 20), .kept(8, "other", ago: day * 2),
      .kept(9, "beat", ago: day * 40),
    ])
    let beat = try #require(JobName("beat"))
    let before = { (days: Int) in ControlWorld.wall + (.zero - day * days) }
    archive.decide([
      VerdictRecord(
        job: beat, slots: SlotSeries(before(20)), verdict: .ran, at: before(20), run: RunID(7)),
      VerdictRecord(
        job: beat, slots: SlotSeries(first: before(11), last: before(10), count: 24),
        verdict: .missed(.down), at: before(10)),
    ])
    let world = try await ControlWorld([.named("beat", every: .seconds(60))], archive: archive)
    world.scheduler.pass(.seconds(60))
    let reply = try world.get("/api/v1/timeline?past=2592000&ahead=0")
    let slots = job(reply, "beat")["slots"] ?? []
    #expect(slots.compactMap { $0["verdict"] as? String } == ["ran", "missed", "ran"])
    #expect(slots.map { $0["run"] as? Int } == [7, nil, 1])
    #expect(slots.map { $0["count"] as? Int } == [nil, 24, nil])
    #expect(slots[1]["reason"] as? String == "down")
    #expect(job(reply, "beat")["runs"]?.map { $0["run"] as? Int } == [7, 1])
    // An unreadable ledger hides nothing that is known without it.
    archive.fail("the disk is gone")
    let without = try world.get("/api/v1/timeline?past=2592000&ahead=0")
    #expect(without.status == 200 && job(without, "beat")["runs"]?.map { $0["run"] as? Int } == [1])
  }

  @Test func `a day back is shown without what came later`() async throws {
    let hour = Duration.seconds(3600)
    let archive = MemoryArchive([
      .kept(6, "beat", ago: hour * 30), .kept(7, "beat", .failed, ago: hour * 24),
      .kept(8, "beat", ago: hour * 2),
    ])
    let beat = try #require(JobName("beat"))
    let before = { (hours: Int) in ControlWorld.wall + (.zero - hour * hours) }
    archive.decide([
      VerdictRecord(
        job: beat, slots: SlotSeries(before(24)), verdict: .ran, at: before(24), run: RunID(7)),
      VerdictRecord(
        job: beat, slots: SlotSeries(before(2)), verdict: .ran, at: before(2), run: RunID(8)),
    ])
    let world = try await ControlWorld([.named("beat", every: .seconds(60))], archive: archive)
    world.scheduler.pass(.seconds(60))
    let reply = try world.get(
      "/api/v1/timeline?at=2026-09-20T14:13:20Z&past=3600&ahead=3600")
    #expect(reply["from"] as? String == "2026-09-20T13:13:20.000Z")
    #expect(reply["to"] as? String == "2026-09-20T15:13:20.000Z")
    #expect(job(reply, "beat")["runs"]?.map { $0["run"] as? Int } == [7])
    #expect(job(reply, "beat")["slots"]?.map { $0["run"] as? Int } == [7])
    #expect((reply["wakes"] as? [Any])?.isEmpty == true && reply["truncated"] as? Bool == false)
  }

  @Test func `a day ahead is shown without what comes before`() async throws {
    let world = try await ControlWorld([
      .named("beat", every: .seconds(600)), .named("fast", every: .seconds(1)),
    ])
    let reply = try world.get("/api/v1/timeline?at=2026-09-22T14:13:20Z&past=600&ahead=600")
    let slots = job(reply, "beat")["slots"] ?? []
    #expect(slots.count == 3 && slots.allSatisfy { $0["verdict"] == nil })
    #expect(slots.first?["due"] as? String == "2026-09-22T14:03:20.000Z")
    #expect(slots.last?["due"] as? String == "2026-09-22T14:23:20.000Z")
    let fast = job(reply, "fast")["slots"] ?? []
    #expect(fast.count == 300 && fast.first?["due"] as? String == "2026-09-22T14:03:20.000Z")
  }

  @Test func `of very many runs the worst of each short time stands for the others`() async throws {
    let runs = (1...2000).map { number in
      StoredRun.kept(
        UInt64(number), "beat", number == 777 ? .failed : .succeeded,
        ago: .seconds(Int64(2100 - number)))
    }
    let world = try await ControlWorld(
      [.named("beat", every: .seconds(3600))], archive: MemoryArchive(runs))
    let bars = job(try world.get("/api/v1/timeline?past=2400&ahead=0"), "beat")["runs"] ?? []
    #expect(bars.count <= 400 && bars.count > 300)
    #expect(bars.filter { $0["outcome"] as? String == "failed" }.map { $0["run"] as? Int } == [777])
    #expect(bars.reduce(0) { $0 + ($1["count"] as? Int ?? 1) } == 2000)
  }

  @Test func `nothing is shown of a time that was not asked for`() async throws {
    let world = try await ControlWorld([.named("beat", every: .seconds(10))])
    world.scheduler.pass(.seconds(10))
    world.scheduler.end(try #require(world.scheduler.requests.first).run)
    world.scheduler.pass(.seconds(5))
    let reply = try world.get("/api/v1/timeline?past=0&ahead=0")
    #expect(job(reply, "beat")["slots"]?.isEmpty == true)
    #expect(job(reply, "beat")["runs"]?.isEmpty == true)
    #expect((reply["wakes"] as? [Any])?.isEmpty == true)
  }

  @Test func `what is left out is said`() async throws {
    let world = try await ControlWorld([
      .named("fast", every: .milliseconds(10)), .named("slow", every: .seconds(600)),
    ])
    #expect(try world.get("/api/v1/timeline?match=slow&ahead=86400")["truncated"] as? Bool == false)
    let fast = try world.get("/api/v1/timeline?match=fast&ahead=3600")
    #expect(fast["truncated"] as? Bool == true && job(fast, "fast")["slots"]?.count == 300)
    let listed = try #require(job(fast, "fast")["slots"]?.last?["due"] as? String)
    #expect(fast.list("jobs").first?["slots_until"] as? String == listed)
    #expect(try world.get("/api/v1/timeline?ahead=0&limit=1")["truncated"] as? Bool == true)
  }

  @Test func `what became of slots before a restart is known after it, the newest last`()
    async throws
  {
    let archive = MemoryArchive()
    let beat = try #require(JobName("beat"))
    let before = { (seconds: Int64) in ControlWorld.wall + (.zero - .seconds(seconds)) }
    archive.decide([
      VerdictRecord(
        job: beat, slots: SlotSeries(before(180)), verdict: .skipped(.overlap), at: before(180)),
      VerdictRecord(
        job: beat, slots: SlotSeries(first: before(120), last: before(60), count: 2),
        verdict: .missed(.down), at: before(30)),
    ])
    let world = try await ControlWorld([.named("beat", every: .seconds(60))], archive: archive)
    world.scheduler.pass(.seconds(60))
    var job = try world.get("/api/v1/jobs/beat")
    // They come from the disk, and only after the first answer.
    for _ in 0..<10_000 where (job["verdicts"] as? String)?.count != 4 {
      job = try world.get("/api/v1/jobs/beat")
    }
    #expect(job["verdicts"] as? String == "smmr")
    let passed = job["passed"] as? [String: Any]
    #expect(passed?["verdict"] as? String == "missed" && passed?["reason"] as? String == "down")
    // A job whose last slots did not run needs attention.
    let world2 = try await ControlWorld(
      [.named("a", every: .seconds(60)), .named("beat", every: .seconds(60))], archive: archive)
    var first: String?
    for _ in 0..<10_000 where first != "beat" {
      let reply = try world2.get("/api/v1/timeline?order=attention&limit=1")
      first = reply.list("jobs").first?["job"] as? String
    }
    #expect(first == "beat")
  }

  private func interruptions(_ reply: Reply) -> [String] {
    reply.list("interruptions").map {
      "\($0["kind"] ?? "") \($0["from"] ?? "") \($0["to"] ?? "")"
    }
  }

  @Test func `a time in which takt stood still is shown, and no wait for a place`() async throws {
    let world = try await ControlWorld(
      [.named("beat", every: .seconds(60)), .named("other", every: .seconds(90))],
      settings: SchedulerSettings(maxRunning: 1))
    // A run that waits for its place starts late, too.
    world.scheduler.pass(.seconds(60))
    world.scheduler.pass(.seconds(40))
    world.scheduler.end(try #require(world.scheduler.requests.last).run)
    world.scheduler.end(try #require(world.scheduler.requests.last).run)
    #expect(interruptions(try world.get("/api/v1/timeline")) == [])
    world.scheduler.stall(.seconds(45))
    let reply = try world.get("/api/v1/timeline")
    #expect(interruptions(reply) == ["stalled 2026-09-21T14:15:20.000Z 2026-09-21T14:15:45.000Z"])
    #expect(try APIDescription().problems(of: reply, to: "GET", "/api/v1/timeline") == [])
  }

  @Test func `a stall is shown that ends just when a slot is due`() async throws {
    let world = try await ControlWorld([.named("beat", every: .seconds(10))])
    world.scheduler.pass(.seconds(10))
    world.scheduler.end(try #require(world.scheduler.requests.last).run)
    world.scheduler.stall(.seconds(40))
    #expect(
      interruptions(try world.get("/api/v1/timeline")) == [
        "stalled 2026-09-21T14:13:40.000Z 2026-09-21T14:14:10.000Z"
      ])
  }

  @Test func `a time without a daemon is shown, as far as it was asked for`() async throws {
    let archive = MemoryArchive()
    let before = { (seconds: Int64) in ControlWorld.wall + (.zero - .seconds(seconds)) }
    archive.leave(DaemonAbsence(from: before(9000), to: before(3000), wasKilled: true))
    archive.leave(DaemonAbsence(from: before(60), to: before(59), wasKilled: false))
    let world = try await ControlWorld([.named("beat")], archive: archive)
    let reply = try world.get("/api/v1/timeline?past=3600")
    #expect(
      interruptions(reply) == [
        "down 2026-09-21T13:13:20.000Z 2026-09-21T13:23:20.000Z",
        "down 2026-09-21T14:12:20.000Z 2026-09-21T14:12:21.000Z",
      ])
  }

  @Test func `jobs that somebody should look at come first, if that is wanted`() async throws {
    let jobs = try ["a", "b", "c", "d"].map { try JobSpec.named($0, every: .seconds(60)) }
    let world = try await ControlWorld(jobs)
    world.scheduler.pass(.seconds(60))
    for request in world.scheduler.requests where request.spec.name.text == "c" {
      world.scheduler.end(request.run, .exited(1))
    }
    // The runs of the others are still active, so that their next slots are skipped.
    for request in world.scheduler.requests where request.spec.name.text == "b" {
      world.scheduler.end(request.run)
    }
    world.scheduler.pass(.seconds(120))
    let names = { (query: String) in
      try world.get("/api/v1/timeline?\(query)").list("jobs").map { $0["job"] as? String }
    }
    #expect(try names("order=name") == ["a", "b", "c", "d"])
    #expect(try names("order=attention&limit=2") == ["c", "a"])
    #expect(try names("order=attention") == ["c", "a", "d", "b"])
    #expect(try world.get("/api/v1/timeline?order=attention&limit=2")["total"] as? Int == 4)
  }

  @Test(arguments: [
    "order=worst", "past=-1", "past=2678401", "ahead=2678401", "ahead=x", "limit=0", "limit=501",
    "state=running",
    "past=1&past=1",
  ])
  func `what the timeline does not take is refused`(query: String) async throws {
    #expect(try await ControlWorld().get("/api/v1/timeline?\(query)").problem == "400 badRequest")
  }
}
