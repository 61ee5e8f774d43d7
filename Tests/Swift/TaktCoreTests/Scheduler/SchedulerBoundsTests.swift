import Testing

@testable import TaktCore
import TaktTime

/// Bounds on the slots of a job.
@Suite struct SchedulerBoundsTests: MakesJobs {
  @Test func `nothing is due before not_before, nor after until`() throws {
    var schedule = every(10)
    schedule.notBefore = SchedulerWorld.wall + .seconds(25)
    schedule.until = SchedulerWorld.wall + .seconds(40)
    var world = SchedulerWorld(starting: [try job("a", schedule)])
    for _ in 0..<10 {
      world.pass(.seconds(10), ending: .exited(0))
    }
    #expect(world.verdicts == ["a 30000 ran", "a 40000 ran"])
    #expect(world.armed("a") == nil)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test
  func `a slot exactly at until is due with each trigger, and one a millisecond later is not`()
    throws
  {
    // 100 seconds after the beginning, 14:15:00 UTC.
    let instant = SchedulerWorld.wall + .seconds(100)
    func rule(_ rule: ClockRule.Expression) -> Schedule {
      Schedule(rules: [ClockRule(rule, zone: .utc, dst: .cron)])
    }
    let schedules = [
      every(100), Schedule(every: Every(.seconds(100), from: .end)),
      Schedule(every: Every(.seconds(100), from: .epoch)), Schedule(at: [instant]),
      rule(.cron(try CronExpression("15 14 * * *"), days: .any)),
      rule(.calendar(try CalendarExpression("14:15:00"))),
    ]
    for (until, verdicts) in [(instant, ["a 100000 ran"]), (instant - .milliseconds(1), [])] {
      for var schedule in schedules {
        schedule.until = until
        var world = SchedulerWorld(starting: [try job("a", schedule)])
        world.pass(.seconds(300), ending: .exited(0))
        #expect(world.verdicts == verdicts, "\(schedule)")
        #expect(world.armed("a") == nil)
      }
    }
  }

  @Test func `runs that wait for a place count to the limit`() throws {
    var schedule = every(10)
    schedule.limit = 2
    var spec = try job("a", schedule)
    spec.overlap = .allow
    let other = try job("other", every(1000))
    var world = SchedulerWorld(starting: [spec, other], maxRunning: 1)
    world.send(.commanded(.trigger(other.name)))
    world.pass(.seconds(30))
    #expect(world.verdicts == ["a 30000 skipped(limit)"])
    for _ in 0..<3 { world.endRuns() }
    #expect(world.verdicts.dropFirst() == ["a 10000 ran", "a 20000 ran"])
    #expect(world.running.isEmpty)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `after so many runs the rest is one record, and a higher limit continues`() throws {
    var schedule = every(10)
    schedule.limit = 2
    let before = [try job("a", schedule)]
    var world = SchedulerWorld(starting: before)
    for _ in 0..<5 {
      world.pass(.seconds(10), ending: .exited(0))
    }
    #expect(world.verdicts == ["a 10000 ran", "a 20000 ran"])
    world.restart(before, after: .seconds(10))
    #expect(world.verdicts == ["a 30000…60000 skipped(limit)"])
    schedule.limit = 3
    world.reload(before, to: [try job("a", schedule)])
    world.pass(.seconds(10))
    #expect(world.verdicts.last == "a 70000 ran")
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `excluded times are skipped, and do not stand for slots that are not`() throws {
    var schedule = every(10)
    // 1,790,000,000 is 14:13:20 UTC.
    let minute = try CalendarExpression("14:14:*")
    schedule.exclusions = [Exclusion(minute, isWholeDays: false, zone: .utc)]
    var world = SchedulerWorld(starting: [try job("a", schedule)])
    world.pass(.seconds(30), ending: .exited(0))
    world.verdicts = []
    // A stall over the border into the excluded minute: slots before it run.
    world.scheduler.pass(.milliseconds(10_200))
    world.pass(.milliseconds(1))
    #expect(world.verdicts == ["a 40000 skipped(excluded)"])
    world.pass(.seconds(70), ending: .exited(0))
    #expect(
      world.verdicts == (4...9).map { "a \($0)0000 skipped(excluded)" } + [
        "a 100000 ran", "a 110000 skipped(overlap)",
      ])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a whole day is left out by the zone's own clock`() throws {
    let text = "Sat,Sun"
    let expression = try CalendarExpression(text)
    let exclusion = Exclusion(
      expression, isWholeDays: Exclusion.namesWholeDays(text, expression),
      zone: Zone(name: "X", initialOffsetSeconds: 3600))
    // 2026-09-25 is a Friday.
    let friday = ScheduleInstant(try #require(try InstantText("2026-09-25T22:59:59Z").instant))
    #expect(!exclusion.contains(friday) && exclusion.contains(friday + 1000))
    #expect(exclusion.nextEdge(after: friday) == friday + 1000)
    let monday = friday + 1000 + 2 * 86_400_000
    #expect(exclusion.contains(monday - 1) && !exclusion.contains(monday))
    #expect(exclusion.nextEdge(after: friday + 1000) == friday + 1000 + 86_400_000)
  }

  @Test func `a new interval begins at the reload when its phase says so`() throws {
    for (phase, expected) in [(Every.Phase.keep, Int64(28_000)), (.restart, 32_000)] {
      let before = [try job("a", every(10))]
      var world = SchedulerWorld(starting: before)
      world.pass(.seconds(25))
      var schedule = every(7)
      schedule.every?.phase = phase
      world.reload(before, to: [try job("a", schedule)])
      #expect(world.armed("a") == expected)
      world.pass(.seconds(20))
      #expect(world.ledger.audit().isEmpty)
    }
  }

  @Test func `a reload that leaves the interval leaves the grid, whatever the phase says`() throws {
    var schedule = every(10)
    schedule.every?.phase = .restart
    let before = [try job("a", schedule)]
    var world = SchedulerWorld(starting: before)
    world.pass(.seconds(25), ending: .exited(0))
    schedule.until = SchedulerWorld.wall + .seconds(1000)
    world.reload(before, to: [try job("a", schedule)])
    #expect(world.armed("a") == 30_000)
  }

  @Test func `a fixed delay starts again when its job is resumed`() throws {
    let spec = try job("a", Schedule(every: Every(.seconds(10), from: .end)))
    var world = SchedulerWorld(starting: [spec])
    world.send(.commanded(.suspend(spec.name, until: nil, reason: "")))
    world.pass(.seconds(25))
    world.send(.commanded(.resume(spec.name)))
    #expect(world.armed("a") == 35_000)
    world.pass(.seconds(10))
    #expect(world.verdicts == ["a 10000 skipped(suspended)", "a 35000 ran"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a fixed delay continues after slots that get no run`() throws {
    let days = try CalendarExpression("14:15:*")
    for (policy, exclusions) in [
      (MissedPolicy.Choice.skip, []), (.last, [Exclusion(days, isWholeDays: false, zone: .utc)]),
    ] as [(_, [Exclusion])] {
      var schedule = Schedule(every: Every(.seconds(60), from: .end))
      schedule.exclusions = exclusions
      var spec = try job("a", schedule)
      spec.missed.choice = policy
      var world = SchedulerWorld(starting: [spec])
      // A stall of a minute and a half over the first slot, or an excluded minute.
      if exclusions.isEmpty {
        world.scheduler.pass(.seconds(150))
      }
      for _ in 0..<10 {
        world.pass(.seconds(60), ending: .exited(0))
      }
      #expect(world.verdicts.count { $0.hasSuffix("ran") } > 6, "\(world.verdicts)")
      #expect(world.ledger.audit().isEmpty)
    }
  }

  @Test func `a fixed delay continues after a run by hand before its first instant`() throws {
    let spec = try job("a", Schedule(every: Every(.seconds(60), from: .end, first: .seconds(3600))))
    var world = SchedulerWorld(starting: [spec])
    world.send(.commanded(.trigger(spec.name)))
    world.endRuns()
    #expect(world.armed("a") == 3_600_000)
    world.pass(.seconds(3600))
    #expect(world.verdicts == ["a 3600000 ran"])
    world.endRuns()
    #expect(world.armed("a") == 3_660_000)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a fixed delay whose first instant lies behind its bound never begins`() throws {
    var schedule = Schedule(every: Every(.seconds(60), from: .end, first: .seconds(3600)))
    schedule.until = SchedulerWorld.wall + .seconds(1800)
    let spec = try job("a", schedule)
    var world = SchedulerWorld(starting: [spec])
    #expect(world.armed("a") == nil)
    world.send(.commanded(.trigger(spec.name)))
    world.endRuns()
    world.pass(.seconds(7200))
    #expect(world.armed("a") == nil && world.verdicts.isEmpty)
  }

  @Test func `a bound that a reload sets holds for a delay that has begun`() throws {
    let before = [try job("a", Schedule(every: Every(.seconds(60), from: .end)))]
    var world = SchedulerWorld(starting: before)
    var schedule = before[0].timing.schedule
    schedule.notBefore = SchedulerWorld.wall + .seconds(200)
    world.reload(before, to: [try job("a", schedule)])
    #expect(world.armed("a") == 200_000)
    var ended = schedule
    ended.notBefore = nil
    ended.until = SchedulerWorld.wall + .seconds(30)
    world.reload([try job("a", schedule)], to: [try job("a", ended)])
    #expect(world.armed("a") == nil)
  }

  @Test func `late slots go with the limit`() throws {
    var schedule = every(10)
    schedule.limit = 3
    var spec = try job("a", schedule)
    spec.missed.choice = .all
    spec.missed.within = .seconds(1000)
    spec.overlap = .allow
    var world = SchedulerWorld(starting: [spec])
    world.pass(.seconds(10))
    world.restart([spec], after: .seconds(60))
    world.pass(.seconds(5))
    #expect(world.verdicts.count { $0.hasSuffix("ran") } == 2)
    #expect(!world.ledger.pending.values.contains { !$0.isEmpty })
    #expect(world.verdicts.contains { $0.hasSuffix("skipped(limit)") })
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a long absence is divided at excluded hours in a moment`() throws {
    let noon = Exclusion(try CalendarExpression("12..13:*:*"), isWholeDays: false, zone: .utc)
    let rule = ClockRule(
      .calendar(try CalendarExpression("*:*:00")), zone: .utc, dst: DSTPolicy(gap: .skip))
    var schedule = Schedule(rules: [rule])
    schedule.exclusions = [noon]
    let instantSet = schedule.wallInstantSet
    let begin = ScheduleInstant(SchedulerWorld.wall)
    let series = try #require(instantSet.series(after: begin, through: begin + 30 * 86_400_000))
    let (excluded, others) = schedule.exclusions.divide(series, of: instantSet)
    #expect(excluded.count == 30 && excluded.allSatisfy { $0.count == 120 })
    #expect(others.count == 31)
    #expect((excluded + others).reduce(0) { $0 + $1.count } == series.count)
  }

  @Test func `a reload serves no slot of an excluded time`() throws {
    var schedule = every(10)
    schedule.exclusions = [
      Exclusion(try CalendarExpression("*-*-*"), isWholeDays: true, zone: .utc)
    ]
    var before = try job("a", schedule)
    before.timing.leeway = .duration(.seconds(5))
    var world = SchedulerWorld(starting: [before])
    world.scheduler.pass(.seconds(11))
    var after = before
    after.timing.leeway = .duration(.seconds(6))
    world.reload([before], to: [after])
    #expect(world.verdicts == ["a 10000 skipped(excluded)"])
  }

  @Test func `a repeated excluded time is left out both times`() throws {
    // Clocks go back by an hour at 15:50, so that the time from 14:50 to then is repeated.
    let begin = SchedulerWorld.wall.milliseconds / 1000
    let change = begin - begin % 86_400 + 14 * 3600 + 50 * 60
    let zone = Zone(
      name: "X", initialOffsetSeconds: 3600,
      transitions: [.init(start: change, offsetSeconds: 0)])
    let exclusion = Exclusion(try CalendarExpression("15:00..29:*"), isWholeDays: false, zone: zone)
    let instantSet = InstantSet(grid: InstantSet.Grid(origin: 0, interval: 60_000))
    let series = try #require(
      instantSet.series(
        after: ScheduleInstant(milliseconds: (change - 7200) * 1000),
        through: ScheduleInstant(milliseconds: (change + 7200) * 1000)))
    let (excluded, others) = [exclusion].divide(series, of: instantSet)
    let slots = stride(
      from: series.first.milliseconds, through: series.last.milliseconds, by: 60_000)
    #expect(
      excluded.reduce(0) { $0 + $1.count }
        == slots.count { exclusion.contains(ScheduleInstant(milliseconds: $0)) })
    #expect(
      others.reduce(0) { $0 + $1.count }
        == slots.count { !exclusion.contains(ScheduleInstant(milliseconds: $0)) })
    #expect(excluded.count == 2)
  }
}
