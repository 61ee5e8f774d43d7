import Foundation
import TaktTime
import Testing

@testable import TaktControl
@testable import TaktCore

/// The agenda and the heat map.
@Suite struct AgendaRouteTests {
  private static func before(_ seconds: Int) -> WallInstant {
    ControlWorld.wall - .seconds(seconds)
  }

  private func archive() throws -> MemoryArchive {
    let archive = MemoryArchive([
      .kept(7, "beat", .failed, ago: .seconds(3600), took: .seconds(90)),
      .kept(8, "beat", ago: .seconds(1800), took: .seconds(30)),
    ])
    let beat = try #require(JobName("beat"))
    archive.decide([
      VerdictRecord(
        job: beat, slots: SlotSeries(Self.before(3600)), verdict: .ran, at: Self.before(3600),
        run: RunID(7)),
      VerdictRecord(
        job: beat, slots: SlotSeries(Self.before(600)), verdict: .skipped(.overlap),
        at: Self.before(600)),
    ])
    return archive
  }

  @Test func `the past, what comes and what will run at once are in one answer`() async throws {
    let world = try await ControlWorld(
      [
        .named("beat", every: .seconds(7200)), .named("other", every: .seconds(7200)),
        .named("rest", every: .seconds(3600), isEnabled: false),
      ], archive: archive())
    let reply = try world.get("/api/v1/agenda?until=2026-09-21T20:00:00Z")
    #expect(reply["now"] as? String == "2026-09-21T14:13:20.000Z")
    #expect(reply["from"] as? String == "2026-09-20T18:00:00.000Z")
    let entries = reply.list("entries")
    #expect(
      entries.compactMap { $0["job"] as? String } == [
        "beat", "beat", "beat", "other", "beat", "other",
      ])
    #expect(entries.compactMap { $0["verdict"] as? String } == ["ran", "skipped"])
    let next = try #require(entries.first { $0["verdict"] == nil })
    #expect(next["due"] as? String == "2026-09-21T16:13:20.000Z")
    // The mean duration in the ledger.
    #expect(next["expected_ms"] as? Double == 60_000 && next["at_once"] as? Int == 2)
    #expect(reply.list("crowds").compactMap { $0["peak"] as? Int } == [2, 2])
    #expect(reply["earlier"] as? Int == 0 && reply["max_running"] as? Int == 16)
    let less = try world.get("/api/v1/agenda?until=2026-09-21T20:00:00Z&limit=1")
    #expect(less.list("entries").count == 2)
    #expect(less["earlier"] as? Int == 1 && less["later"] as? Int == 3)
  }

  @Test func `a name that no job has is no empty heat map`() async throws {
    let world = try await ControlWorld([.named("beat")], archive: archive())
    #expect(try world.get("/api/v1/heatmap?job=nosuch").status == 404)
    #expect(try world.get("/api/v1/heatmap?job=beat").status == 200)
  }

  @Test func `a walk through the ledger that is one too many is refused`() async throws {
    let queue = WalkQueue(walksMax: 1)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let first = Task {
      try await queue.perform {
        begin.yield()
        gate.wait()
      }
    }
    for await _ in begun { break }
    await #expect(throws: Problem.self) { try await queue.perform {} }
    gate.signal()
    try await first.value
    try await queue.perform {}
  }

  @Test func `a ledger that cannot be read does not hide what comes`() async throws {
    let archive = MemoryArchive()
    archive.fail("disk")
    let world = try await ControlWorld([.named("a", every: .seconds(7200))], archive: archive)
    let count = try world.get("/api/v1/agenda").list("entries").count
    // The one that is due at the end is not in the range.
    #expect(count == 11)
  }

  @Test func `a heat map has the runs and slots of each hour`() async throws {
    let world = try await ControlWorld([.named("beat"), .named("other")], archive: archive())
    let reply = try world.get("/api/v1/heatmap?step=hour&job=beat")
    #expect(reply["timezone"] as? String == "UTC" && reply["job"] as? String == "beat")
    let cells = reply.list("cells")
    #expect(cells.compactMap { $0["hour"] as? Int } == [13, 14])
    #expect(cells.compactMap { $0["runs"] as? Int } == [2, 0])
    #expect(cells.compactMap { $0["failures"] as? Int } == [1, 0])
    #expect(cells.compactMap { $0["not_run"] as? Int } == [0, 1])
    #expect(cells.first?["mean_duration_ms"] as? Double == 60_000)
    let days = try world.get("/api/v1/heatmap").list("cells")
    #expect(days.count == 1 && days.first?["day"] as? String == "2026-09-21")
    #expect(days.first?["hour"] == nil)
    #expect(try world.get("/api/v1/heatmap?job=other").list("cells").isEmpty)
  }

  @Test(arguments: [
    "agenda?limit=0", "agenda?since=2026-09-22T00:00:00Z&until=2026-09-21T00:00:00Z",
    "agenda?until=2027-09-21T00:00:00Z", "heatmap?step=week",
    "heatmap?since=2020-01-01T00:00:00Z",
    "heatmap?until=2026-01-01T00:00:00Z&since=2026-02-01T00:00:00Z",
  ])
  func `what a parameter does not take is refused`(query: String) async throws {
    let world = try await ControlWorld([.named("a")])
    #expect(try world.get("/api/v1/\(query)").problem == "400 badRequest")
  }

  @Test func `without a ledger there is no heat map`() async throws {
    let world = try await ControlWorld([.named("a")], archive: nil)
    #expect(try world.get("/api/v1/heatmap").status == 404)
  }
}
