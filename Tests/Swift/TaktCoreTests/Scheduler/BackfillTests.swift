import TaktTime
import Testing

@testable import TaktCore

/// Runs for slots of the past.
@Suite struct BackfillTests: MakesJobs {
  private func backfill(
    _ spec: JobSpec, _ seconds: Int, isForced: Bool = false, in world: inout SchedulerWorld
  ) -> SchedulerReply {
    world.perform(
      .backfill(spec.name, slot: SchedulerWorld.wall + .seconds(seconds), isForced: isForced))
  }

  @Test func `a backfill runs with its slot, and decides none`() throws {
    let spec = try job("a", every(1000))
    var world = SchedulerWorld(starting: [spec])
    #expect(backfill(spec, -500, in: &world) == .done(runs: [RunID(1)]))
    #expect(world.starts == ["a -500000 #1"])
    world.endRuns()
    #expect(world.verdicts == [])
    #expect(world.ends == ["a succeeded"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `two backfills of one slot are one run`() throws {
    let spec = try job("a", every(1000))
    var world = SchedulerWorld(starting: [spec])
    let first = backfill(spec, -500, in: &world)
    #expect(backfill(spec, -500, isForced: true, in: &world) == first)
    world.endRuns()
    #expect(backfill(spec, -500, in: &world) == first)
    #expect(world.starts == ["a -500000 #1"])
    #expect(
      world.perform(
        .backfill(spec.name, slot: SchedulerWorld.wall + .seconds(-500), isAgain: true))
        == .done(runs: [RunID(2)]))
    world.endRuns(.exited(1))
    // One that has failed is tried again.
    #expect(backfill(spec, -400, in: &world) == .done(runs: [RunID(3)]))
    world.endRuns(.exited(1))
    #expect(backfill(spec, -400, in: &world) == .done(runs: [RunID(4)]))
  }

  @Test func `a slot to come is none of a backfill`() throws {
    let spec = try job("a", every(1000))
    var world = SchedulerWorld(starting: [spec])
    #expect(backfill(spec, 1, in: &world) == .future)
  }

  @Test(arguments: [Overlap.skip, .queue, .replace])
  func `a slot waits for a backfill, and a backfill for a slot`(overlap: Overlap) throws {
    var spec = try job("a", every(10))
    spec.overlap = overlap
    var world = SchedulerWorld(starting: [spec])
    for seconds in [-20, -10] { _ = backfill(spec, seconds, in: &world) }
    #expect(world.starts == ["a -20000 #1"])
    world.pass(.seconds(10))
    #expect(world.verdicts == [])
    world.endRuns()
    // The backfill that came first is next; then the slot.
    world.endRuns()
    #expect(world.starts == ["a -20000 #1", "a -10000 #1", "a 10000 #1"])
    #expect(world.verdicts == ["a 10000 ran"])
  }

  @Test func `a forced backfill runs beside others`() throws {
    let spec = try job("a", every(10))
    var world = SchedulerWorld(starting: [spec])
    for seconds in [-30, -20] { _ = backfill(spec, seconds, isForced: true, in: &world) }
    world.pass(.seconds(10))
    #expect(world.running.count == 3)
    #expect(world.verdicts == ["a 10000 ran"])
  }

  @Test func `nothing follows a backfill`() throws {
    var spec = try job("a", every(1000))
    for hook in [HookKind.onStart, .onSuccess, .onFailure, .onRecover] {
      spec.hooks[hook] = [Step(.argv(["hook"]))]
    }
    var world = SchedulerWorld(starting: [spec, try follower("b", of: "a", on: .any)])
    _ = backfill(spec, -1, in: &world)
    world.endRuns(.exited(1))
    #expect(world.starts == ["a -1000 #1"])
    #expect(world.core.view(of: spec.name, at: world.now)?.failureStreak == 0)
  }

  @Test func `a backfill that a crash cut off is interrupted, and not taken up`() throws {
    var spec = try job("a", every(1000))
    spec.delivery = .atLeastOnce
    spec.execution.retry = RetryPolicy(attempts: 3, delay: .seconds(30))
    var world = SchedulerWorld(starting: [spec, try follower("b", of: "a", on: .any)])
    _ = backfill(spec, -1, in: &world)
    world.endRuns(.exited(1))
    world.restart([spec, try follower("b", of: "a", on: .any)], after: .seconds(1))
    world.pass(.seconds(60))
    #expect(world.starts == [])
    #expect(world.ends == ["a interrupted"])
  }

  // MARK: Which slots

  private func range(
    _ schedule: Schedule, _ from: Int64, _ through: Int64, anchor: Int64 = 0
  ) throws -> BackfillSlots {
    BackfillSlots(
      of: try #require(JobName("a")), schedule,
      anchor: ScheduleInstant(WallInstant(milliseconds: anchor)),
      from: WallInstant(milliseconds: from), through: WallInstant(milliseconds: through))
  }

  @Test func `a range has the slots of the schedule, both ends included`() throws {
    let day: Int64 = 86_400_000
    let daily = Schedule(rules: [
      ClockRule(.cron(try CronExpression("0 2 * * *"), days: .any), zone: .utc, dst: .cron)
    ])
    let two: Int64 = 7_200_000
    let slots = try range(daily, 10 * day + two, 12 * day + two).scheduled
    #expect(slots?.map(\.milliseconds) == [10, 11, 12].map { $0 * day + two })
    #expect(try range(daily, 10 * day, 10 * day + 1).scheduled == [])
    let grid = Schedule(every: Every(.seconds(10)))
    #expect(
      try range(grid, 90_000, 121_000, anchor: 1_000_003).scheduled?.map(\.milliseconds)
        == [90_003, 100_003, 110_003, 120_003])
    #expect(try range(grid, 0, 2_000_000_000_000).scheduled == nil)
    #expect(try range(Schedule(on: [.start]), 0, 10).isTimed == false)
  }

  @Test func `what is missing comes from the ledger, but for what nobody meant to run`() throws {
    let grid = Schedule(every: Every(.seconds(10)))
    let name = try #require(JobName("a"))
    func record(_ first: Int64, _ last: Int64, _ count: Int, _ verdict: Verdict) -> VerdictRecord {
      VerdictRecord(
        job: name,
        slots: SlotSeries(
          first: WallInstant(milliseconds: first), last: WallInstant(milliseconds: last),
          count: count),
        verdict: verdict, at: WallInstant(milliseconds: last))
    }
    let records = [
      record(10_000, 40_000, 4, .missed(.down)), record(50_000, 50_000, 1, .ran),
      record(60_000, 60_000, 1, .skipped(.overlap)), record(70_000, 80_000, 2, .skipped(.excluded)),
      // Of an earlier schedule, on another grid.
      record(90_001, 90_007, 3, .missed(.clock)),
    ]
    let missing = try range(grid, 20_000, 90_004).missing(in: records)
    #expect(missing?.map(\.milliseconds) == [20_000, 30_000, 40_000, 60_000, 90_001, 90_004])
  }
}
