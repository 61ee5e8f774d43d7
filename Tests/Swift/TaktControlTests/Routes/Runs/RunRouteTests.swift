import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

/// The routes of a client that lists runs, shows one, waits for it, reads it and cancels it.
@Suite struct RunRouteTests {
  private func numbers(_ reply: Reply) -> [Int] {
    reply.list("runs").compactMap { $0["run"] as? Int }
  }

  // MARK: The list

  @Test func `runs of the ledger and of this daemon come in one list, the newest first`()
    async throws
  {
    let archive = MemoryArchive([.kept(1, "a"), .kept(2, "b", .failed)])
    let previous = try await ControlWorld([.named("a")], archive: archive)
    #expect(numbers(try previous.get("/api/v1/runs")) == [2, 1])
    let settings = SchedulerSettings(maxRunning: 1)
    let world = try await ControlWorld(
      [.named("a", every: nil), .named("b", every: nil)], settings: settings, archive: nil)
    let (first, second) = (try world.trigger("a"), try world.trigger("b"))
    let runs = try world.get("/api/v1/runs").list("runs")
    // A run that waits for a place has not begun.
    #expect(runs.map { $0["run"] as? Int } == [Int(first.number)])
    #expect(runs.first?["state"] as? String == "running")
    world.scheduler.end(first)
    let later = try world.get("/api/v1/runs").list("runs")
    #expect(later.map { $0["run"] as? Int } == [Int(second.number), Int(first.number)])
    #expect(later.last?["outcome"] as? String == "succeeded" && later.last?["ended"] != nil)
  }

  @Test func `a list of runs continues before the last one, and says when it ends`() async throws {
    let world = try await ControlWorld(archive: MemoryArchive((1...120).map { .kept($0, "a") }))
    let first = try world.get("/api/v1/runs")
    #expect(numbers(first) == Array((71...120).reversed()) && first["before"] as? Int == 71)
    let second = try world.get("/api/v1/runs?before=71&limit=70")
    #expect(numbers(second) == Array((1...70).reversed()) && second["before"] == nil)
    #expect(numbers(try world.get("/api/v1/runs?before=1")).isEmpty)
    #expect(
      numbers(try world.get("/api/v1/runs?limit=1000&before=9223372036854775807")).count == 120)
  }

  @Test func `runs are filtered by job, failure, time and hooks`() async throws {
    let world = try await ControlWorld(
      archive: MemoryArchive([
        .kept(1, "a", .failed, ago: .seconds(7200)), .kept(2, "a", ago: .seconds(3000)),
        .kept(3, "b", .timedOut), .kept(4, "b", kind: .hook, parent: 3),
        .kept(5, "a", .interrupted),
        .kept(6, "a", .cancelled),
      ]))
    for (query, expected) in [
      ("", [6, 5, 3, 2, 1]), ("hooks=true", [6, 5, 4, 3, 2, 1]), ("hooks=false", [6, 5, 3, 2, 1]),
      ("job=b", [3]), ("job=none", []), ("failed=true", [5, 3, 1]), ("failed=true&job=a", [5, 1]),
      ("since=2026-09-21T13:00:00Z", [6, 5, 3, 2]),
      ("since=2026-09-21T15:00:00%2B01:00", [6, 5, 3]),
      ("failed=true&limit=1", [5]), ("since=2199-12-31T00:00:00Z", []),
    ] {
      #expect(numbers(try world.get("/api/v1/runs?\(query)")) == expected, "\(query)")
    }
  }

  @Test(arguments: [
    "limit=0", "limit=1001", "before=0", "before=x", "before=-1", "since=now", "since=2026-09-21",
    "failed=1", "failed=", "hooks=TRUE", "job=a/b", "job=", "jobs=a",
  ])
  func `what the list of runs does not take is refused`(query: String) async throws {
    #expect(try await ControlWorld().get("/api/v1/runs?\(query)").problem == "400 badRequest")
  }

  @Test func `a ledger that cannot be read is said, and jobs are still shown`() async throws {
    let archive = MemoryArchive([.kept(1, "a")])
    let world = try await ControlWorld([.named("a")], archive: archive)
    archive.fail("disk I/O error")
    for target in ["/api/v1/runs", "/api/v1/runs/1", "/api/v1/runs/1/output"] {
      let reply = try world.get(target)
      #expect(reply.problem == "503 unavailable", "\(target)")
      #expect(reply["title"] as? String == "the ledger cannot be read")
      #expect(reply["detail"] as? String == "disk I/O error")
    }
    #expect(try world.get("/api/v1/jobs/a").status == 200)
  }

  // MARK: One run

  @Test func `a run that has ended shows how, and one that continues where it stands`() async throws
  {
    let world = try await ControlWorld(
      [.named("a", every: nil)],
      archive: MemoryArchive([.kept(7, "old", .failed, took: .milliseconds(1500), attempts: 3)]))
    let kept = try world.get("/api/v1/runs/7")
    #expect(kept["job"] as? String == "old" && kept["state"] as? String == "ended")
    #expect(kept["outcome"] as? String == "failed" && kept["reason"] as? String == "exit(1)")
    #expect(kept["duration_ms"] as? Double == 1500 && kept["attempts"] as? Int == 3)
    #expect(kept["began"] as? String == "2026-09-21T14:12:20.000Z")
    #expect(kept["ended"] as? String == "2026-09-21T14:12:21.500Z")
    let run = try world.trigger("a")
    world.scheduler.pass(.seconds(3))
    let running = try world.get("/api/v1/runs/\(run)")
    #expect(running["state"] as? String == "running" && running["outcome"] == nil)
    #expect(running["duration_ms"] as? Double == 3000)
    world.scheduler.end(run, .signalled(9))
    let ended = try world.get("/api/v1/runs/\(run)")
    #expect(ended["outcome"] as? String == "failed" && ended["reason"] as? String == "signal(9)")
  }

  @Test(arguments: ["0", "x", "-1", "+1", "1.0", "99999999999999999999", "%00", "1%20"])
  func `what is no number of a run is not found`(text: String) async throws {
    let world = try await ControlWorld()
    for suffix in ["", "/output"] {
      #expect(try world.get("/api/v1/runs/\(text)\(suffix)").problem == "404 notFound")
    }
    #expect(try world.post("/api/v1/runs/\(text)/cancel").problem == "404 notFound")
  }

  @Test(arguments: ["1", "18446744073709551615", "007"])
  func `a run that there is not is not found`(number: String) async throws {
    let world = try await ControlWorld()
    let reply = try world.get("/api/v1/runs/\(number)")
    #expect(reply.problem == "404 notFound")
    #expect(reply["title"] as? String == "there is no run \(UInt64(number) ?? 0)")
  }

  @Test func `progress of a run is shown while it continues`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    world.readModel.observe(
      LogRecord(
        at: ControlWorld.wall, .info, .progress,
        [
          LogField(.run, .number(Int64(run.number))), LogField(.percent, .number(40)),
          LogField(.message, .text("half \"done\"")),
        ], fact: .progress(run, percent: 40, message: "half \"done\"")))
    let progress = try world.get("/api/v1/runs/\(run)")["progress"] as? [String: Any]
    #expect(progress?["percent"] as? Int == 40)
    #expect(progress?["message"] as? String == "half \"done\"")
    #expect(
      try world.get("/api/v1/jobs?width=200", headers: ["Accept: text/plain"]).text.contains(
        "running 40%"))
    world.scheduler.end(run)
    #expect(try world.get("/api/v1/runs/\(run)")["progress"] == nil)
  }

  // MARK: Waiting

  @Test func `who waits is answered at the end of the run, when the ledger has it`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    world.ledger.hang()
    let waiting = try world.connect()
    waiting.send("GET", "/api/v1/runs/\(run)?wait=60", nil)
    // On another connection: the first waits.
    #expect(try world.get("/api/v1/runs/\(run)")["state"] as? String == "running")
    world.scheduler.end(run)
    world.ledger.recover()
    let reply = try waiting.reply()
    #expect(reply["outcome"] as? String == "succeeded")
    // A run that has ended is not waited for.
    #expect(try world.get("/api/v1/runs/\(run)?wait=60")["state"] as? String == "ended")
  }

  @Test func `who waits for too long is reported where the run stands`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    #expect(try world.get("/api/v1/runs/\(run)?wait=1")["state"] as? String == "running")
    #expect(try world.get("/api/v1/runs/\(run)?wait=0")["state"] as? String == "running")
    for wait in ["61", "-1", "x"] {
      #expect(try world.get("/api/v1/runs/\(run)?wait=\(wait)").problem == "400 badRequest")
    }
    #expect(try world.get("/api/v1/runs/99?wait=60").problem == "404 notFound")
  }

  // MARK: Cancelling

  @Test func `a run is cancelled once`() async throws {
    let world = try await ControlWorld([.named("a", every: nil)])
    let run = try world.trigger("a")
    #expect(try world.post("/api/v1/runs/\(run)/cancel")["runs"] as? [Int] == [Int(run.number)])
    let again = try world.post("/api/v1/runs/\(run)/cancel")
    #expect(again.problem == "409 conflict")
    #expect(again["title"] as? String == "run \(run) has ended")
    let none = try world.post("/api/v1/runs/99/cancel")
    #expect(none.problem == "404 notFound" && none["title"] as? String == "there is no run 99")
  }
}
