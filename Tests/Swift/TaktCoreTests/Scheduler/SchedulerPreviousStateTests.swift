import Testing

@testable import TaktCore
import TaktTime

/// Daemons that continue from a previous one.
@Suite struct SchedulerPreviousStateTests: MakesJobs {
  private static let wall = SchedulerWorld.wall

  private func job(
    _ name: String, _ change: (inout JobSpec) -> Void = { _ in }
  ) throws -> JobSpec {
    try job(name, every(1), change)
  }

  @Test func `a job continues on its grid, and its newest slot runs late for those that passed`()
    throws
  {
    let spec = try job("a")
    var world = SchedulerWorld(starting: [spec])
    world.pass(.milliseconds(2500), ending: .exited(0))
    world.restart([spec], after: .milliseconds(7600))
    // Slots 3 to 10 s passed; the newest is younger than the interval.
    #expect(world.verdicts == ["a 3000…9000 missed(down)"])
    world.pass(.zero)
    #expect(world.verdicts.last == "a 10000 ran")
    world.endRuns()
    world.pass(.seconds(1))
    #expect(world.verdicts.last == "a 11000 ran")
    #expect(world.ledger.audit().isEmpty)
  }

  @Test(
    arguments: [
      ("skip", nil, ["a 3000…10000 missed(down)"], []),
      ("last", 4500, ["a 3000…5000 missed(down)", "a 6000…9000 coalesced"], ["a 10000 #1"]),
      ("last", 40, ["a 3000…10000 missed(down)"], []),
      (
        "all", 3500, ["a 3000…6000 missed(down)"],
        ["a 7000 #1", "a 8000 #1", "a 9000 #1", "a 10000 #1"]
      ),
    ] as [(String, Int?, [String], [String])])
  func `slots that passed get their verdicts by the job's policy`(
    policy: String, within: Int?, verdicts: [String], late: [String]
  ) throws {
    let spec = try job("a") { spec in
      spec.missed.choice = MissedPolicy.Choice(rawValue: policy) ?? .last
      spec.missed.within = within.map { .milliseconds($0) }
      spec.overlap = .skip
    }
    var world = SchedulerWorld(starting: [spec])
    world.pass(.milliseconds(2500), ending: .exited(0))
    world.restart([spec], after: .milliseconds(7550))
    #expect(world.verdicts == verdicts)
    // One after the other, though the job allows no two.
    for _ in 0..<late.count {
      world.pass(.milliseconds(50), ending: .exited(0))
    }
    #expect(world.starts == late)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `beside a slot that is still in time none runs late with 'missed: last'`() throws {
    let spec = try job("a", Schedule(every: Every(.seconds(10)))) { spec in
      spec.timing.leeway = .duration(.seconds(5))
      spec.missed.choice = .last
      spec.missed.within = .seconds(60)
    }
    var world = SchedulerWorld(starting: [spec])
    world.pass(.seconds(12), ending: .exited(0))
    // Slots 20 and 30 s passed, and the window of the second is open.
    world.restart([spec], after: .seconds(20))
    #expect(world.verdicts == ["a 20000 coalesced"])
    for _ in 0..<2 { world.pass(.seconds(1), ending: .exited(0)) }
    #expect(world.verdicts == ["a 20000 coalesced", "a 30000 ran"])
    #expect(world.starts == ["a 30000 #1"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `of all that passed so many run as the job says, the newest`() throws {
    let spec = try job("a") { spec in
      spec.missed.choice = .all
      spec.missed.within = .seconds(3600)
      spec.missed.countMax = 3
    }
    var world = SchedulerWorld(starting: [spec])
    world.restart([spec], after: .milliseconds(600_500))
    for _ in 0..<3 {
      world.pass(.milliseconds(60), ending: .exited(0))
    }
    #expect(world.starts == ["a 598000 #1", "a 599000 #1", "a 600000 #1"])
    #expect(world.verdicts.first == "a 1000…597000 missed(down)")
  }

  @Test func `what runs late is spread, and the next slot stands for what has not come to it`()
    throws
  {
    let specs = try (0..<100).map { try job("j\($0 + 100)", Schedule(every: Every(.seconds(2)))) }
    var world = SchedulerWorld(starting: specs)
    world.restart(specs, after: .milliseconds(9000), maxRunning: 1000)
    world.pass(.zero)
    // 50 ms apart: the 21st would start when the next slot is due.
    #expect(world.starts.count == 1)
    world.pass(.milliseconds(999))
    #expect(world.starts.count == 20)
    world.endRuns()
    world.pass(.milliseconds(1))
    #expect(world.verdicts.count { $0.hasSuffix(" 8000 coalesced") } == 79)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `what has not had its turn to run late when takt stops is left to the next one`()
    throws
  {
    let specs = try ["a", "b"].map { try job($0, Schedule(every: Every(.seconds(60)))) }
    var world = SchedulerWorld(starting: specs)
    world.restart(specs, after: .seconds(61))
    world.pass(.zero)
    #expect(world.starts == ["a 60000 #1"])
    world.endRuns()
    world.send(.stop)
    #expect(!world.verdicts.contains { $0.hasPrefix("b") })
    world.restart(specs, after: .seconds(1))
    world.pass(.zero)
    #expect(world.starts == ["b 60000 #1"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a run without an end is interrupted, and only at least once runs again`() throws {
    let specs = try Delivery.allCases.map { delivery in
      try job(delivery.rawValue) { spec in
        spec.delivery = delivery
        spec.missed.choice = .skip
        spec.missed.within = .seconds(60)
      }
    }
    var world = SchedulerWorld(starting: specs)
    world.pass(.milliseconds(1100))
    world.keep()
    #expect(world.starts.count == 3)
    world.restart(specs, after: .milliseconds(5000))
    #expect(world.ends.count { $0.hasSuffix(" interrupted") } == 3)
    #expect(world.starts == ["at_least_once 1000 #1"])
    world.endRuns()
    world.restart(specs, after: .milliseconds(100))
    #expect(world.starts.isEmpty)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a run that is too old does not run again`() throws {
    let spec = try job("a") { $0.delivery = .atLeastOnce }
    var world = SchedulerWorld(starting: [spec])
    world.pass(.milliseconds(1100))
    world.restart([spec], after: .seconds(30))
    #expect(world.ends == ["a interrupted"])
    #expect(world.starts.isEmpty)
  }

  @Test func `nothing starts before the ledger has it where a slot is to run at most once`()
    throws
  {
    let spec = try job("a") { $0.delivery = .atMostOnce }
    var world = SchedulerWorld(starting: [spec])
    world.pass(.milliseconds(1500))
    #expect(world.starts.isEmpty && world.verdicts.isEmpty)
    world.keep()
    #expect(world.starts == ["a 1000 #1"])
    #expect(world.verdicts == ["a 1000 ran"])
    world.endRuns()
    // The ledger is silent for two seconds.
    world.pass(.milliseconds(2700))
    #expect(world.verdicts.contains("a 2000 skipped(ledger)"))
    #expect(world.ends.last == "a cancelled")
    #expect(world.starts.count == 1)
  }

  @Test func `a slot that was claimed counts as one that ran`() throws {
    let spec = try job("a") { spec in
      spec.delivery = .atMostOnce
      spec.missed.within = .seconds(60)
    }
    var world = SchedulerWorld(starting: [spec])
    world.pass(.milliseconds(1100))
    // takt is killed when the ledger has the run and its start is unknown.
    world.restart([spec], after: .milliseconds(100))
    #expect(world.verdicts == ["a 1000 ran"])
    #expect(world.starts.isEmpty)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a back-off continues where it was, over a crash and over a stop`() throws {
    let spec = try job("a", Schedule(every: Every(.seconds(3600)), on: [.start])) { spec in
      spec.execution.retry = RetryPolicy(attempts: 3, delay: .seconds(100), factor: 1)
    }
    var world = SchedulerWorld(starting: [spec])
    world.pass(.zero, ending: .exited(1))
    world.restart(
      [
        try job("a", Schedule(every: Every(.seconds(3600)))) {
          $0.execution.retry = spec.execution.retry
        }
      ], after: .seconds(40))
    #expect(world.ends == ["a interrupted"])
    world.pass(.seconds(59))
    #expect(world.starts.isEmpty)
    world.pass(.seconds(2))
    #expect(world.starts == ["a 1 #2"])
    world.endRuns(.exited(1))
    world.send(.stop)
    #expect(world.ends.last == "a cancelled")
    world.restart([spec], after: .seconds(200))
    world.pass(.zero)
    #expect(world.starts.contains("a 1 #3"))
  }

  @Test func `the deadline of all attempts holds over crashes`() throws {
    func spec(_ on: Set<LifecycleEvent>, within: Duration) throws -> JobSpec {
      try job("a", Schedule(every: Every(.seconds(3600)), on: on)) { spec in
        spec.execution.retry = RetryPolicy(
          attempts: 9, delay: .seconds(100), factor: 1, within: within)
      }
    }
    let jobs = [try spec([], within: .seconds(250))]
    var world = SchedulerWorld(starting: [try spec([.start], within: .seconds(250))])
    world.pass(.zero, ending: .exited(1))
    world.restart(jobs, after: .seconds(40))
    world.pass(.seconds(60), ending: .exited(1))
    #expect(world.starts == ["a 1 #2"])
    // The third attempt starts 200 s after the first, in a third daemon, and is stopped after 50 s.
    world.restart(jobs, after: .seconds(40))
    world.pass(.seconds(60))
    #expect(world.starts == ["a 1 #3"])
    world.pass(.seconds(49))
    _ = world.news()
    world.pass(.seconds(1))
    #expect(world.news().contains { $0.hasPrefix("TERM to") })
    world.endRuns(.signalled(15))
    #expect(world.ends.last == "a timed_out")
  }

  @Test func `a run whose deadline passes while takt is down is not resumed`() throws {
    let retry = RetryPolicy(attempts: 9, delay: .seconds(100), within: .seconds(150))
    let first = try job("a", Schedule(every: Every(.seconds(3600)), on: [.start])) {
      $0.execution.retry = retry
    }
    let then = try job("a", Schedule(every: Every(.seconds(3600)))) { $0.execution.retry = retry }
    var world = SchedulerWorld(starting: [first])
    world.pass(.zero, ending: .exited(1))
    world.restart([then], after: .seconds(151))
    world.pass(.seconds(200))
    #expect(world.starts.isEmpty)
    #expect(world.ledger.previous.runs.isEmpty)
  }

  @Test func `streaks and suspensions survive, and a suspension ends when it was to end`() throws {
    let spec = try job("a")
    var world = SchedulerWorld(starting: [spec])
    world.pass(.seconds(1), ending: .exited(1))
    world.send(
      .commanded(.suspend(spec.name, until: Self.wall + .milliseconds(5500), reason: "moving")))
    world.restart([spec], after: .milliseconds(2500))
    #expect(world.verdicts == ["a 2000…3000 skipped(suspended)"])
    #expect(world.core.jobs.state(of: spec.name)?.failureStreak == 1)
    #expect(world.core.jobs.state(of: spec.name)?.suspension?.reason == "moving")
    world.pass(.seconds(3))
    #expect(world.verdicts.last == "a 6000 ran")
    #expect(world.verdicts.contains("a 4000…5000 skipped(suspended)"))
    // Another that ends while takt is away.
    world.endRuns()
    world.send(
      .commanded(.suspend(spec.name, until: world.now.wall + .milliseconds(2600), reason: "")))
    world.restart([spec], after: .milliseconds(4000))
    #expect(world.verdicts == ["a 7000…9000 skipped(suspended)"])
    world.pass(.zero)
    #expect(world.verdicts.last == "a 10000 ran")
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a suspended job runs nothing until somebody resumes it`() throws {
    let spec = try job("a")
    var world = SchedulerWorld(starting: [spec])
    world.send(.commanded(.suspend(spec.name, until: nil, reason: "why not")))
    world.pass(.milliseconds(3500))
    #expect(world.starts.isEmpty && world.scheduler.timers.isEmpty)
    world.send(.commanded(.resume(spec.name)))
    #expect(world.verdicts == ["a 1000…3000 skipped(suspended)"])
    world.pass(.seconds(1))
    #expect(world.starts == ["a 4000 #1"])
  }

  @Test
  func `a job that has gone meanwhile is closed, and one that is changed continues as it is now`()
    throws
  {
    var world = SchedulerWorld(starting: [try job("gone"), try job("other")])
    let changed = try job("other", Schedule(every: Every(.seconds(5))))
    world.restart([changed], after: .milliseconds(3500))
    #expect(world.verdicts.contains("gone 1000…3000 missed(down)"))
    world.pass(.zero)
    #expect(world.starts == ["other 3000 #1"])
    world.endRuns()
    world.pass(.seconds(2))
    #expect(world.starts.contains("other 5000 #1"))
    world.endRuns()
    #expect(world.ledger.previous.jobs[try #require(JobName("gone"))]?.isOpen == false)
    world.restart([changed, try job("gone")], after: .seconds(10))
    // While it was away it had no slots.
    #expect(!world.verdicts.contains { $0.hasPrefix("gone") })
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `after the machine has been started again the clock is set by the wall`() throws {
    let spec = try job("a")
    var world = SchedulerWorld(starting: [spec])
    world.pass(.milliseconds(2500), ending: .exited(0))
    world.ledger.reboot()
    world.now.monotonic = MonotonicInstant(nanoseconds: 5)
    world.restart([spec], after: .milliseconds(2000))
    #expect(world.verdicts == ["a 3000 missed(down)"])
    world.pass(.zero)
    #expect(world.starts == ["a 4000 #1"])
    world.endRuns()
    world.pass(.milliseconds(500))
    #expect(world.starts.last == "a 5000 #1")
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a grid that has not begun when the machine is started again begins when it was to`()
    throws
  {
    let spec = try job("a", Schedule(every: Every(.seconds(3600), first: .seconds(100))))
    var world = SchedulerWorld(starting: [spec])
    world.ledger.reboot()
    world.now.monotonic = MonotonicInstant(nanoseconds: 5)
    world.restart([spec], after: .seconds(10))
    world.pass(.seconds(89))
    #expect(world.starts.isEmpty)
    world.pass(.seconds(2))
    #expect(world.starts == ["a 100000 #1"])
  }

  @Test func `runs that wait for the ledger keep no place from others`() throws {
    let careful = try (0..<3).map { index in
      try job("careful\(index)") { $0.delivery = .atMostOnce }
    }
    let plain = try job("plain")
    var world = SchedulerWorld(starting: careful + [plain], maxRunning: 1)
    world.pass(.milliseconds(1100))
    #expect(world.starts == ["plain 1000 #1"])
    world.endRuns()
    world.keep()
    #expect(world.starts.count == 2)
    world.endRuns()
    world.endRuns()
    #expect(world.starts.count == 4)
  }

  @Test func `a slot whose clock lags behind the wall is still done at least once`() throws {
    let spec = try job("a") { $0.delivery = .atLeastOnce }
    var world = SchedulerWorld(starting: [spec])
    // The wall clock is set forward by hours; the grid continues as before.
    world.now.wall = world.now.wall + .seconds(20_000)
    world.send(.clockStepped(slept: .zero))
    world.pass(.milliseconds(1100))
    #expect(world.starts.count == 1)
    world.restart([spec], after: .milliseconds(500))
    #expect(world.starts == ["a 1000 #1"])
  }

  @Test func `run numbers continue`() throws {
    let spec = try job("a")
    var world = SchedulerWorld(starting: [spec])
    world.pass(.milliseconds(1100), ending: .exited(0))
    #expect(world.ledger.previous.lastRun == 1)
    world.restart([spec], after: .milliseconds(1000))
    world.pass(.seconds(1))
    #expect(world.running.allSatisfy { $0.number > 1 })
  }
}
