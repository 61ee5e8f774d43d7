import Testing

@testable import TaktCore
import TaktTime

/// Slots whose time passed while takt ran.
@Suite struct SchedulerPassedTests: MakesJobs {
  @Test(arguments: [
    (MissedPolicy.Choice.skip, ["a 10000…30000 missed(stalled)"]),
    (.last, ["a 10000…20000 coalesced", "a 30000 ran"]),
    (.all, ["a 10000 ran", "a 20000 ran", "a 30000 ran"]),
  ])
  func `slots missed during a standstill follow the job's policy`(
    choice: MissedPolicy.Choice, expected: [String]
  ) throws {
    var spec = try job("a", every(10))
    spec.missed.choice = choice
    spec.missed.within = .seconds(60)
    var world = SchedulerWorld(starting: [spec])
    world.scheduler.pass(.seconds(35))
    for _ in 0..<4 {
      world.pass(.seconds(1), ending: .exited(0))
    }
    #expect(world.verdicts.sorted() == expected)
    world.pass(.seconds(5))
    #expect(world.verdicts.last == "a 40000 ran")
    #expect(world.ledger.audit().isEmpty)
  }

  /// A run by hand is active from before the stall until after the next slot.
  @Test(arguments: [
    (MissedPolicy.Choice.skip, ["a 10000…30000 missed(stalled)", "a 40000 skipped(overlap)"], []),
    (
      .last, ["a 10000…20000 coalesced", "a 30000 coalesced", "a 40000 skipped(overlap)"], []
    ),
    (.all, ["a 40000 skipped(overlap)"], ["a 10000 ran", "a 20000 ran", "a 30000 ran"]),
  ])
  func `the next slot covers those that wait to run late, unless all are to run`(
    choice: MissedPolicy.Choice, meanwhile: [String], later: [String]
  ) throws {
    var spec = try job("a", every(10))
    spec.missed.choice = choice
    spec.missed.within = .seconds(60)
    var world = SchedulerWorld(starting: [spec])
    world.send(.commanded(.trigger(spec.name)))
    world.scheduler.pass(.seconds(35))
    world.pass(.seconds(5))
    #expect(world.verdicts == meanwhile)
    world.verdicts = []
    world.endRuns()
    for _ in 0..<3 { world.pass(.seconds(1), ending: .exited(0)) }
    #expect(world.verdicts == later)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test(arguments: [(Duration.zero, "clock"), (.seconds(3600), "asleep")])
  func `slots over which the wall clock has gone say so`(slept: Duration, cause: String) throws {
    var spec = try job("a", Schedule(every: Every(.seconds(600), from: .epoch)))
    spec.missed.choice = .skip
    var world = SchedulerWorld(starting: [spec])
    world.now.wall = world.now.wall + .seconds(3600)
    world.send(.clockStepped(slept: slept))
    world.pass(.seconds(1))
    // The beginning is 20 s after a slot.
    let first = 600_000 - SchedulerWorld.wall.milliseconds % 600_000
    #expect(world.verdicts == ["a \(first)…\(first + 5 * 600_000) missed(\(cause))"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a sleep of the machine is a fact, though nothing was due in it`() throws {
    func facts(slept: Duration) throws -> [LogFact] {
      var world = SchedulerWorld(starting: [try job("a", every(100_000))])
      world.now.wall = world.now.wall + .seconds(3600)
      return world.scheduler.send(.clockStepped(slept: slept)).compactMap { effect in
        if case .log(let record) = effect { record.fact } else { nil }
      }
    }
    #expect(try facts(slept: .seconds(3600)) == [.slept(.seconds(3600))])
    #expect(try facts(slept: .zero) == [])
  }

  @Test func `many jobs that were kept waiting do not all start at once`() throws {
    var world = SchedulerWorld()
    world.start(try (0..<50).map { try job("j\($0)", every(100)) }, maxRunning: 100)
    world.scheduler.pass(.seconds(130))
    world.pass(.milliseconds(500))
    #expect((5...15).contains(world.starts.count))
    world.pass(.milliseconds(2500))
    #expect(world.starts.count == 50)
  }

  @Test func `times of the clock follow a step of the wall`() throws {
    let rule = ClockRule(
      .cron(try CronExpression("0 15 * * *"), days: .any), zone: .utc, dst: .cron)
    var world = SchedulerWorld(starting: [try job("a", Schedule(rules: [rule]))])
    // From 14:13:20.
    #expect(world.armed("a") == 2_800_000)
    world.now.wall = world.now.wall + .seconds(1000)
    world.send(.clockStepped(slept: .zero))
    #expect(world.armed("a") == 1_800_000)
  }

  @Test func `a wake between a step of the clock and the news of it takes nothing away`() throws {
    let hourly = Schedule(every: Every(.seconds(3600), from: .epoch))
    var early = try job("early", every(10))
    early.missed.choice = .skip
    var clock = try job("clock", hourly)
    clock.missed.choice = .skip
    var both = try job("both", Schedule(every: Every(.seconds(10), from: .epoch)))
    both.missed.choice = .skip
    var world = SchedulerWorld(starting: [early, clock, both])
    world.now.wall = world.now.wall + .seconds(7200)
    // Timers fire before anybody tells of the step.
    world.pass(.seconds(10))
    world.send(.clockStepped(slept: .zero))
    world.pass(.milliseconds(1))
    #expect(world.verdicts.contains { $0.hasPrefix("clock") && $0.hasSuffix("missed(clock)") })
    #expect(world.verdicts.contains { $0.hasPrefix("both") && $0.contains("missed") })
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `of two long series the slot that is the newest is served`() throws {
    let rule = ClockRule(
      .cron(try CronExpression("*/7 * * * *"), days: .any), zone: .utc, dst: .cron)
    var spec = try job("a", Schedule(every: Every(.seconds(600)), rules: [rule]))
    spec.timing.leeway = .duration(.seconds(60))
    spec.missed.choice = .skip
    var world = SchedulerWorld(starting: [spec])
    // Down from after one slot of the grid until a moment after another.
    world.pass(.seconds(601), ending: .exited(0))
    world.restart([spec], after: .seconds(6000))
    world.pass(.seconds(1))
    #expect(world.starts == ["a 6600000 #1"], "\(world.verdicts.suffix(3))")
    #expect(world.ledger.audit().isEmpty)
  }
}
