import Foundation
import TaktTime
import Testing

@testable import TaktControl
@testable import TaktCore

/// The problems of the status: the page and `takt status` show the same.
@Suite struct ProblemListTests {
  private func problems(_ world: ControlWorld, _ query: String = "") throws -> [[String: Any]] {
    let status = try world.get("/api/v1/status\(query)")
    let description = try APIDescription()
    #expect(description.problems(of: status, to: "GET", "/api/v1/status").isEmpty)
    return try #require(status["problems"] as? [[String: Any]])
  }

  private func lines(_ world: ControlWorld) throws -> [String] {
    try problems(world).map {
      "\($0["kind"] ?? ""): \($0["message"] ?? "") | \($0["command"] ?? "")"
    }
  }

  @Test func `there are none while all is well`() async throws {
    let world = try await ControlWorld([
      .named("a"), .named("off", isEnabled: false), .named("once", every: nil),
    ])
    world.scheduler.end(try world.trigger("once"))
    #expect(try lines(world) == [])
  }

  @Test func `jobs that fail are one problem, and those that rest are none`() async throws {
    let names = ["a", "b", "c", "d", "resting"]
    let world = try await ControlWorld(names.map { try .named($0, every: nil) })
    world.scheduler.end(try world.trigger("a"), .exited(1))
    world.scheduler.end(try world.trigger("a"), .exited(1))
    #expect(try lines(world) == ["failing: a has failed 2 times in a row | takt logs a"])
    #expect(try problems(world).first?["since"] is String)
    for job in names.dropFirst() { world.scheduler.end(try world.trigger(job), .exited(1)) }
    _ = try world.post("/api/v1/jobs/resting/suspend")
    #expect(
      try lines(world) == ["failing: 4 jobs fail: a, b, c and 1 more | takt status --only failing"])
    let found = try #require(try problems(world).first)
    #expect(found["jobs"] as? [String] == ["a", "b", "c", "d"] && found["count"] as? Int == 4)
  }

  @Test func `work in the background that takt ended is a problem until the next run`()
    async throws
  {
    var leaving = try JobSpec.named("leaving", every: nil)
    leaving.execution.stop.leftovers = .leave
    let world = try await ControlWorld([.named("a", every: nil), leaving])
    for job in ["a", "leaving"] {
      let run = try world.trigger(job)
      let left = [Descendant(pid: 7, name: "sleep"), Descendant(pid: 8, name: "sleep")]
      world.scheduler.send(.actionEnded(run, AttemptReport(.exited(0), descendants: left)))
      world.scheduler.send(.groupEnded(run))
    }
    #expect(
      try lines(world) == [
        "work_ended: the last run of a left work in the background, which takt ended "
          + "(descendants_left(2)); 'kill: {leftovers: leave}' lets it continue | takt logs a"
      ])
    world.scheduler.end(try world.trigger("a"))
    #expect(try lines(world) == [])
  }

  @Test func `a drain is said, with how to undo it, and refuses triggers`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    #expect(try world.post("/api/v1/drain/undo").problem == "409 conflict")
    let drained = try world.post("/api/v1/drain", #"{"hold":true}"#)
    #expect(drained["hold"] as? Bool == true && drained["done"] as? Bool == false)
    let words = "no new runs, waiting for 1 active run: takt is draining"
    #expect(try lines(world) == ["phase: \(words) | takt drain --undo"])
    #expect(try world.post("/api/v1/jobs/a/trigger").problem == "503 stopping")
    world.scheduler.end(run)
    #expect(try lines(world) == ["phase: no run starts: takt is drained | takt drain --undo"])
    let undone = try world.post("/api/v1/drain/undo")
    #expect(undone.status == 200 && undone["since"] == nil)
    #expect(try lines(world) == [])
    #expect(try world.post("/api/v1/drain", #"{"hld":true}"#).problem == "400 badRequest")
  }

  @Test func `a state folder that could not be written is a problem, and nothing is kept`()
    async throws
  {
    let words = "the state folder /srv cannot be written (Permission denied)"
    let world = try await ControlWorld([.named("a")], archive: nil)
    world.setFigures { $0.ledger = .unkept(words) }
    #expect(try lines(world) == ["ledger: the ledger has a problem: \(words) | "])
    let slots = try world.get("/api/v1/slots")
    #expect(slots.status == 404 && slots["detail"] as? String == words)
    let suspended = try world.post("/api/v1/jobs/a/suspend")
    #expect(suspended.status == 200 && suspended.headers["takt-not-kept"] == "true")
    world.setFigures { $0.ledger = nil }
    let none = try world.get("/api/v1/slots")
    #expect(none["title"] as? String == "there is no ledger: 'state' is none")
    #expect(try world.post("/api/v1/jobs/a/resume").headers["takt-not-kept"] == nil)
  }

  @Test func `a file that has changed is named as seen from the jobs file`() async throws {
    let world = try await ControlWorld([.named("a")])
    world.reload.change("/etc/list.txt", "/srv/conf.d/a.yaml", "/srv/jobs.yaml")
    #expect(
      try lines(world)
        == ["/etc/list.txt", "conf.d/a.yaml", "jobs.yaml"].map {
          "file_changed: \($0) differs from what runs | takt plan"
        })
  }

  @Test func `each label that is refused is named, and those that are too many are counted`()
    async throws
  {
    func refused(_ count: Int) -> [Diagnostic] {
      (0..<count).map { number in
        Diagnostic(
          severity: .warning, .badSchedule, at: SourceLocation(file: "container 'c\(number)'"),
          "no such hour", hint: "write 0 to 23")
      }
    }
    let world = try await ControlWorld([.named("a")])
    world.reload.refuse(refused(2))
    #expect(
      try lines(world) == [
        "labels: container 'c0': no such hour; write 0 to 23 | ",
        "labels: container 'c1': no such hour; write 0 to 23 | ",
      ])
    world.reload.refuse(refused(ProblemList.labelsMax + 3))
    let shown = try lines(world)
    #expect(shown.count == ProblemList.labelsMax + 1)
    #expect(shown.last == "labels: 3 more problems with labels; the log has all of them | ")
  }

  @Test func `a ledger, a refused reload and taken places are problems`() async throws {
    let world = try await ControlWorld(
      [.named("a", every: nil, overlap: .queue)], settings: SchedulerSettings(maxRunning: 1))
    world.setFigures {
      $0.ledger = .init(queued: 3, lostEntries: 0, isFailing: true, words: "ledger: disk full")
    }
    world.reload.set(MemoryReload.refused(Diagnostic(.syntax, at: SourceLocation(file: "f"), "x")))
    _ = try world.post("/api/v1/reload")
    for _ in 0..<2 { _ = try world.trigger("a") }
    #expect(
      try lines(world).prefix(2) == [
        "ledger: the ledger has a problem: disk full | takt verify",
        "reload_refused: reload refused, 1 error: the previous jobs keep running | takt plan",
      ])
  }

  @Test func `a hook that failed is a problem beside the failure of its job`() async throws {
    var spec = try JobSpec.named("a", every: nil)
    spec.hooks[.onFailure] = [Step(.use("log", [:]))]
    let world = try await ControlWorld([spec])
    let run = try world.trigger("a")
    world.scheduler.end(run, .exited(1))
    let hook = RunID(run.number + 1)
    world.scheduler.end(hook, .exited(1))
    let shown = try lines(world)
    #expect(
      shown == [
        "failing: a has failed | takt logs a",
        "alarm_failed: on_failure of a failed (failed, exit(1)); nobody may have been told | "
          + "takt logs run:\(hook.number)",
      ])
  }

  @Test func `a failed hook that on_alarm_failed told of is said to be told of`() async throws {
    var spec = try JobSpec.named("a", every: nil)
    spec.hooks[.onFailure] = [Step(.use("log", [:]))]
    spec.hooks[.onAlarmFailed] = [Step(.use("log", [:]))]
    let world = try await ControlWorld([spec])
    let run = try world.trigger("a")
    world.scheduler.end(run, .exited(1))
    world.scheduler.end(RunID(run.number + 1), .exited(1))
    world.scheduler.end(RunID(run.number + 2))
    #expect(
      try lines(world).last
        == "alarm_failed: on_failure of a failed (failed, exit(1)); on_alarm_failed told of it | "
        + "takt logs run:\(run.number + 1)")
    let job = try world.get("/api/v1/jobs/a")
    #expect(
      (job["problems"] as? [[String: Any]])?.first?["message"] as? String
        == "The hook on_failure failed (failed, exit(1)): on_alarm_failed told of it.")
  }

  @Test func `a job whose slots pass without a run is stale in the status and the metrics`()
    async throws
  {
    var settings = SchedulerSettings()
    settings.metrics.jobs = 1
    let world = try await ControlWorld(
      ["a", "b", "resting"].map { try .named($0, every: nil) }, settings: settings)
    #expect(try world.get("/api/v1/status")["stale"] as? Int == 0)
    for name in ["b", "resting"] {
      for seconds in [2, 1] {
        let record = VerdictRecord(
          job: try #require(JobName(name)),
          slots: SlotSeries(ControlWorld.wall - .seconds(seconds)),
          verdict: .skipped(.condition), at: ControlWorld.wall)
        world.readModel.record([.verdict(record)])
      }
    }
    _ = try world.post("/api/v1/jobs/resting/suspend")
    #expect(try lines(world) == ["stale: b is stale: its slots pass without a run | takt why b"])
    #expect(try world.get("/api/v1/status")["stale"] as? Int == 1)
    #expect(try world.get("/api/v1/jobs/b")["stale"] as? Bool == true)
    #expect(try world.get("/api/v1/jobs/resting")["stale"] as? Bool == false)
    let metrics = try world.get("/metrics").text
    #expect(metrics.contains("takt_jobs_stale 1\n"))
    // There is only one series, that of the stale job.
    #expect(metrics.contains(#"takt_job_stale{job="b"} 1"#), "\(metrics)")
  }

  @Test func `slots that were missed are a problem until somebody has seen them`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let job = try #require(JobName("a"))
    let slot = ControlWorld.wall - .seconds(100)
    world.readModel.record([
      .verdict(
        VerdictRecord(
          job: job, slots: SlotSeries(slot), verdict: .missed(.down), at: ControlWorld.wall))
    ])
    let shown = try lines(world)
    #expect(
      shown == [
        "stale: a is stale: its slots pass without a run | takt why a",
        "missed: 1 slot was missed in the last 24 hours: a | takt why a",
      ])
    let last = try #require(try problems(world).last?["last"] as? String)
    #expect(try problems(world, "?missed_since=\(last)").count == 1)
    let before = try problems(world, "?missed_since=2026-09-20T00:00:00Z")
    #expect(before.last?["message"] as? String == "1 slot was missed since you last looked: a")
    #expect(try world.get("/api/v1/status?missed_since=noon").status == 400)
  }

  @Test func `of many missed slots the last ones are counted, and that there were more`() throws {
    let job = try #require(JobName("a"))
    var missed = MissedSlots()
    func record(_ second: Int) -> VerdictRecord {
      let at = WallInstant(milliseconds: 0) + .seconds(second)
      return VerdictRecord(job: job, slots: SlotSeries(at), verdict: .missed(.down), at: at)
    }
    #expect(missed.count(since: WallInstant(milliseconds: 0)) == nil)
    for second in 1...2_001 { missed.add(record(second)) }
    let all = try #require(missed.count(since: WallInstant(milliseconds: 0)))
    #expect(all.slots == 2_000 && all.isPartial)
    let rest = try #require(missed.count(since: WallInstant(milliseconds: 1_999_000)))
    #expect(rest.slots == 2 && !rest.isPartial && rest.last.milliseconds == 2_001_000)
    missed.addOlder(record(0))
    #expect(missed.count(since: WallInstant(milliseconds: -1))?.slots == 2_000)
  }
}
