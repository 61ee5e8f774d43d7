import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

/// takt's answers about itself: its status, its probes, its address, its figures and its
/// description.
@Suite struct SystemRouteTests {
  // MARK: Status

  @Test func `the status says what runs here and how it stands`() async throws {
    let settings = SchedulerSettings(maxRunning: 2)
    let world = try await ControlWorld(
      [
        .named("a", every: nil), .named("b", every: nil), .named("c", every: nil),
        .named("off", isEnabled: false), .named("resting"),
      ], settings: settings)
    world.scheduler.end(try world.trigger("a"), .exited(1))
    for job in ["a", "b", "c"] { _ = try world.trigger(job) }
    _ = try world.post("/api/v1/jobs/resting/suspend")
    let status = try world.get("/api/v1/status")
    #expect(status["version"] as? String == "9.9.9" && status["pid"] as? Int == 4711)
    #expect(status["started"] as? String == "2026-09-21T14:13:20.000Z")
    #expect(status["file"] as? String == "/srv/jobs.yaml")
    #expect(status["state_folder"] as? String == world.folder)
    #expect(status["tracking"] as? String == "cgroup v2 (delegated)")
    #expect(status["timezone"] as? String == "UTC" && status["phase"] as? String == "running")
    for (key, count) in [
      ("jobs", 5), ("suspended", 1), ("disabled", 1), ("failing", 1), ("running", 2), ("queued", 1),
      ("max_running", 2), ("wakes", 3), ("served", 7), ("clients", 0),
    ] {
      #expect(status[key] as? Int == count, "\(key)")
    }
    #expect(status["ledger"] as? String == "the ledger is fine")
    let slots = try #require(status["slots"] as? [String: Int])
    #expect(Set(slots.keys) == Set(VerdictCounts.names) && slots.values.allSatisfy { $0 == 0 })
    let events = try #require(status["events"] as? [String: Int])
    #expect(events["first"] == 1 && (events["last"] ?? 0) > 1)
  }

  @Test func `without a ledger the status says nothing of it`() async throws {
    let world = try await ControlWorld(archive: nil)
    world.setFigures { $0.ledger = nil }
    #expect(try world.get("/api/v1/status")["ledger"] == nil)
  }

  @Test func `the phase is that of the scheduler`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)], isStarted: false)
    #expect(try world.get("/api/v1/status")["phase"] as? String == "starting")
    world.scheduler.send(.started(Snapshot(jobs: world.jobs)))
    #expect(try world.get("/api/v1/status")["phase"] as? String == "running")
    _ = try world.trigger("a")
    world.scheduler.send(.stop)
    #expect(try world.get("/api/v1/status")["phase"] as? String == "draining")
  }

  // MARK: Probes

  @Test func `takt is ready when its jobs run and processes can be started`() async throws {
    let early = try await ControlWorld(isStarted: false)
    #expect(try early.get("/healthz").text == "ok\n")
    let unready = try early.get("/readyz")
    #expect(unready.status == 503 && unready.text == "the jobs are not running\n")
    let world = try await ControlWorld()
    let ready = try world.get("/readyz")
    #expect(ready.status == 200 && ready.text == "ok\n")
    #expect(ready.headers["cache-control"] == "no-store")
    world.setFigures { $0.processes.isResponsive = false }
    let stuck = try world.get("/readyz")
    #expect(stuck.status == 503 && stuck.text == "processes cannot be started\n")
    #expect(try world.get("/healthz").status == 200)
    #expect(try world.ask("HEAD", "/nothing").status == 404)
  }

  @Test func `probes that come at once ask the scheduler once, and are answered together`()
    async throws
  {
    let world = try await ControlWorld()
    world.scheduler.fallSilent()
    let wires = try (0..<20).map { _ in
      let wire = try world.connect()
      wire.send("GET", "/healthz", nil)
      return wire
    }
    // The last one on each connection is answered after those before: all have been accepted.
    #expect(try world.get("/").status == 200)
    world.scheduler.speak()
    for wire in wires { #expect(try wire.reply().status == 200) }
  }

  @Test func `a scheduler that does not answer is not well`() async throws {
    let world = try await ControlWorld()
    world.scheduler.fallSilent()
    let reply = try world.get("/healthz")
    #expect(reply.status == 503 && reply.text == "the scheduler does not answer\n")
    world.scheduler.speak()
    #expect(try world.get("/healthz").status == 200)
  }

  // MARK: Address

  @Test func `the page's address is reported with the token as it is now`() async throws {
    let world = try await ControlWorld()
    let none = try world.get("/api/v1/address")
    #expect(none.problem == "404 notFound")
    #expect(none["title"] as? String == "the web page is off")
    let port = try await world.listenOnNetwork()
    let token = try world.token()
    #expect(
      try world.get("/api/v1/address")["address"] as? String
        == "http://127.0.0.1:\(port)/#token=\(token)")
    let wire = try Wire(port: port, of: world)
    wire.send(
      "GET", "/api/v1/address", nil,
      ["Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)"])
    let remote = try wire.reply()
    #expect(remote.problem == "403 forbidden" && !remote.text.contains(token))
    try FileManager.default.removeItem(atPath: world.tokenFile)
    #expect(try world.get("/api/v1/address").problem == "404 notFound")
  }

  // MARK: Figures

  @Test func `the figures are what has been counted, in the form that Prometheus reads`()
    async throws
  {
    let world = try await ControlWorld(
      [.named("a", every: nil), .named("beat", every: .seconds(10))])
    world.scheduler.end(try world.trigger("a"))
    world.scheduler.end(try world.trigger("a"), .exited(1))
    world.scheduler.pass(.seconds(10))
    world.reload.set(MemoryReload.refused(Diagnostic(.syntax, at: SourceLocation(file: "f"), "x")))
    _ = try world.post("/api/v1/reload")
    let reply = try world.get("/metrics")
    #expect(reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    #expect(PrometheusLint.problems(in: reply.text).isEmpty)
    for line in [
      #"takt_runs_total{outcome="succeeded"} 1"#, #"takt_runs_total{outcome="failed"} 1"#,
      #"takt_jobs{state="served"} 2"#, #"takt_job_failures_in_a_row{job="a"} 1"#,
      #"takt_job_failures_in_a_row{job="beat"} 0"#, "takt_wakes_total 3", "takt_ledger_failing 0",
    ] {
      #expect(reply.text.contains("\n\(line)\n"), "\(line)")
    }
    #expect(try world.get("/metrics?x=1").problem == "400 badRequest")
  }

  @Test func `of 300 jobs those that fail have series, and the sums cover all`() async throws {
    var settings = SchedulerSettings()
    settings.metrics.jobs = 20
    let world = try await ControlWorld(
      (0..<300).map { try .named(String(format: "j%05d", $0)) }, settings: settings)
    for job in 290..<300 {
      let name = String(format: "j%05d", job)
      for _ in 0..<10 { world.scheduler.end(try world.trigger(name), .exited(1)) }
    }
    let text = try world.get("/metrics").text
    #expect(PrometheusLint.problems(in: text).isEmpty)
    let lines = text.split(separator: "\n").filter {
      $0.hasPrefix("takt_job_failures_in_a_row{")
    }
    #expect(lines.count == 20)
    #expect(lines.prefix(10).allSatisfy { $0.hasSuffix(" 10") })
    #expect(lines.first == #"takt_job_failures_in_a_row{job="j00290"} 10"#)
    #expect(lines.last == #"takt_job_failures_in_a_row{job="j00009"} 0"#)
    for line in ["takt_jobs_failing 10", "takt_jobs_with_series 20"] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    let all = try await ControlWorld((0..<300).map { try .named(String(format: "j%05d", $0)) })
    let series = try all.get("/metrics").text.split(separator: "\n")
    #expect(series.count { $0.hasPrefix("takt_job_failures_in_a_row{") } == 300)
  }

  @Test func `jobs have counters where the file asks for them`() async throws {
    var settings = SchedulerSettings()
    settings.metrics.hasCounters = true
    let world = try await ControlWorld(
      [.named("a", every: nil), .named("beat", every: .seconds(10))], settings: settings)
    world.scheduler.end(try world.trigger("a"), .exited(1))
    world.scheduler.pass(.seconds(10))
    let text = try world.get("/metrics").text
    #expect(PrometheusLint.problems(in: text).isEmpty)
    for line in [
      #"takt_job_runs_total{job="a",outcome="failed"} 1"#,
      #"takt_job_runs_total{job="beat",outcome="failed"} 0"#,
      #"takt_job_slots_total{job="beat",verdict="ran"} 1"#,
      #"takt_job_run_duration_seconds_count{job="a"} 1"#,
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    let without = try await ControlWorld([.named("a", every: nil)]).get("/metrics").text
    #expect(!without.contains("takt_job_runs_total"))
  }

  @Test func `a job whose alarm fails has a problem, in the API and in the metrics`() async throws {
    var spec = try JobSpec.named("a", every: nil)
    spec.hooks[.onFailure] = [Step(.use("log", [:]))]
    let world = try await ControlWorld([spec, .named("b", every: nil)])
    let run = try world.trigger("a")
    world.scheduler.end(run, .exited(1))
    let hook = RunID(run.number + 1)
    world.scheduler.end(hook, .exited(1))
    let job = try world.get("/api/v1/jobs/a")
    let problem = try #require((job["problems"] as? [[String: Any]])?.first)
    #expect(problem["kind"] as? String == "alarm_failed")
    #expect(problem["hook"] as? String == "on_failure")
    #expect(problem["run"] as? Int == Int(hook.number))
    #expect(
      problem["message"] as? String
        == "The hook on_failure failed (failed, exit(1)): nobody may have been told.")
    #expect(try world.get("/api/v1/jobs/b")["problems"] == nil)
    let table = try world.get("/api/v1/jobs?width=200", headers: ["Accept: text/plain"]).text
    #expect(table.contains("on_failure failed"), "\(table)")
    let text = try world.get("/metrics").text
    #expect(PrometheusLint.problems(in: text).isEmpty)
    #expect(text.contains("\ntakt_jobs_alarm_failed 1\n"))
    #expect(text.contains("\ntakt_job_alarm_failed{job=\"a\",hook=\"on_failure\"} 1\n"))
    #expect(try world.get("/api/v1/status")["alarm_failed"] as? Int == 1)
  }
}
