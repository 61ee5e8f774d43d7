import Testing

@testable import TaktCore
import TaktTime

extension SchedulerWorld {
  /// Fires the job's timer, whatever it waits for.
  fileprivate mutating func fire(_ name: String) throws {
    let job = JobName(name).flatMap { core.jobs.id(of: $0) }
    let key = TimerID.job(try #require(job))
    send(.timerFired(key, token: try #require(tokens[key])))
  }

  fileprivate var tokens: [TimerID: UInt64] {
    var tokens: [TimerID: UInt64] = [:]
    for id in core.jobs.present {
      guard let job = core.jobs.state(of: id), job.awaited != nil else { continue }
      tokens[.job(id)] = job.token
    }
    return tokens
  }

  /// The job's timer's deadline, in milliseconds from now, and its leeway.
  fileprivate func window(_ name: String) -> String? {
    JobName(name).flatMap { core.jobs.state(of: $0)?.awaited?.slot }.map {
      "\(($0.deadline - now.monotonic).milliseconds)+\($0.window.milliseconds)"
    }
  }
}

/// One fixture, one event, all effects.
@Suite struct SchedulerCoreTests {
  private func job(
    _ name: String, _ schedule: Schedule, leeway: Leeway = .none, enabled: Bool = true,
    overlap: Overlap = .skip
  ) throws -> JobSpec {
    JobSpec(
      name: try #require(JobName(name)),
      timing: Timing(schedule: schedule, leeway: leeway, isEnabled: enabled),
      action: .argv(["true"]), overlap: overlap)
  }

  @Test func `a slot due while a run is active is skipped and recorded`() throws {
    var world = SchedulerWorld(starting: [try job("a", Schedule(every: Every(.seconds(1))))])
    #expect(world.window("a") == "1000+0")
    world.scheduler.pass(.seconds(1))
    try world.fire("a")
    world.scheduler.pass(.seconds(1))
    try world.fire("a")
    #expect(world.verdicts == ["a 1000 ran", "a 2000 skipped(overlap)"])
    world.send(.actionEnded(RunID(1), AttemptReport(.exited(0))))
    world.scheduler.pass(.seconds(1))
    try world.fire("a")
    #expect(world.verdicts.last == "a 3000 ran")
  }

  @Test func `slots that passed in a stall are decided by their age, however many`() throws {
    var world = SchedulerWorld(starting: [try job("a", Schedule(every: Every(.milliseconds(1))))])
    world.scheduler.pass(.seconds(3600 * 24 * 365))
    try world.fire("a")
    #expect(
      world.verdicts == [
        "a 1…31535999998 missed(stalled)", "a 31535999999 coalesced", "a 31536000000 ran",
      ])
    #expect(world.window("a") == "1+0")
  }

  @Test func `a delivery that a later arming has overtaken is dropped`() throws {
    let second = try job("a", Schedule(every: Every(.seconds(1))))
    var world = SchedulerWorld(starting: [second])
    let stale = try #require(world.tokens.first)
    world.reload([second], to: [try job("a", Schedule(every: Every(.milliseconds(1500))))])
    world.scheduler.pass(.seconds(2))
    world.send(.timerFired(stale.key, token: stale.value))
    #expect(world.effects.isEmpty)
  }

  @Test func `a step of the wall leaves a grid alone and arms wall times again`() throws {
    var world = SchedulerWorld(starting: [
      try job("grid", Schedule(every: Every(.seconds(60)))),
      try job("once", Schedule(at: [SchedulerWorld.wall + .seconds(50)])),
      try job("clock", Schedule(every: Every(.seconds(60), from: .epoch))),
    ])
    world.now.wall = world.now.wall - .seconds(3600)
    world.send(.clockStepped(slept: .zero))
    #expect(world.window("grid") == "60000+0")
    #expect(world.window("once") == "3650000+0")
    // Instants that the clock names again after a step back have their verdicts already, or are
    // still to come.
    let before = try #require(world.window("clock"))
    #expect(before.hasPrefix("36"))
  }

  @Test func `a fixed delay counts from the end of the run`() throws {
    var world = SchedulerWorld()
    world.start([try job("a", Schedule(every: Every(.seconds(10), from: .end, first: .zero)))])
    try world.fire("a")
    #expect(world.window("a") == nil)
    world.scheduler.pass(.seconds(7))
    world.send(.actionEnded(RunID(1), AttemptReport(.exited(1))))
    #expect(world.window("a") == "10000+0")
  }

  @Test func `an instant that was past at the first load is missed, and decided once`() throws {
    let party = try job(
      "party", Schedule(at: [SchedulerWorld.wall - .seconds(5), SchedulerWorld.wall + .seconds(5)]))
    var world = SchedulerWorld(starting: [party])
    #expect(world.verdicts == ["party -5000 missed(down)"])
    world.reload([party], to: [])
    world.reload([], to: [party])
    #expect(world.verdicts == ["party -5000 missed(down)"])
    world.scheduler.pass(.seconds(5))
    try world.fire("party")
    #expect(world.verdicts.last == "party 5000 ran")
    #expect(world.window("party") == nil)
  }

  @Test func `a reload decides slots that are due by what happens to their job`() throws {
    let names = ["kept", "updated", "rearmed", "displaced", "removed"]
    let jobs = try names.map {
      try job($0, Schedule(every: Every(.seconds(10))), leeway: .duration(.seconds(4)))
    }
    var world = SchedulerWorld(starting: jobs)
    // All windows are open and none was served yet.
    world.scheduler.pass(.seconds(12))
    world.reload(
      jobs,
      to: [
        jobs[0],
        try job("updated", jobs[1].timing.schedule, leeway: jobs[1].timing.leeway, overlap: .allow),
        try job("rearmed", Schedule(every: Every(.seconds(20))), leeway: .duration(.seconds(3))),
        try job("displaced", Schedule(every: Every(.seconds(20))), leeway: .duration(.seconds(1))),
      ])
    #expect(
      world.verdicts == [
        "removed 10000 cancelled(removed)", "rearmed 10000 ran",
        "displaced 10000 cancelled(displaced)",
      ])
    #expect(world.window("kept") == "-2000+4000")
    #expect(world.window("updated") == "-2000+4000")
    #expect(world.window("rearmed") == "8000+3000")
    try world.fire("kept")
    try world.fire("updated")
    #expect(world.verdicts.suffix(2) == ["kept 10000 ran", "updated 10000 ran"])
  }

  @Test func `a job that comes back keeps its grid`() throws {
    let tick = try job("tick", Schedule(every: Every(.seconds(10))))
    var world = SchedulerWorld(starting: [tick])
    world.scheduler.pass(.seconds(3))
    world.reload([tick], to: [])
    world.scheduler.pass(.seconds(20))
    world.reload([], to: [tick])
    #expect(world.window("tick") == "7000+0")
  }

  @Test func `slots of a disabled job are one record when it is enabled again`() throws {
    let disabled = try job("a", Schedule(every: Every(.seconds(1))), enabled: false)
    var world = SchedulerWorld(starting: [disabled])
    #expect(world.window("a") == nil)
    world.scheduler.pass(.milliseconds(4500))
    world.reload([disabled], to: [try job("a", Schedule(every: Every(.seconds(1))))])
    #expect(world.verdicts == ["a 1000…4000 skipped(suspended)"])
    #expect(world.window("a") == "500+0")
  }

  @Test func `runs beyond max_running wait, oldest first, and are late`() throws {
    var world = SchedulerWorld()
    let once = Schedule(every: Every(.seconds(10), first: .zero))
    world.start(try ["a", "b", "c"].map { try job($0, once) }, maxRunning: 1)
    for name in ["a", "b", "c"] { try world.fire(name) }
    #expect(world.verdicts == ["a 0 ran"])
    world.scheduler.pass(.seconds(1))
    world.send(.actionEnded(RunID(1), AttemptReport(.exited(0))))
    #expect(world.verdicts == ["a 0 ran", "b 0 ran"])
    world.send(.stop)
    #expect(world.verdicts == ["a 0 ran", "b 0 ran", "c 0 skipped(stopping)"])
    world.send(.actionEnded(RunID(2), AttemptReport(.exited(0))))
    #expect(world.effects.last == .finish)
  }

  @Test func `leeway is cut before the next slot`() throws {
    let world = SchedulerWorld(starting: [
      try job("all", Schedule(every: Every(.seconds(10))), leeway: .percent(100)),
      try job("half", Schedule(every: Every(.seconds(10))), leeway: .percent(50)),
      try job(
        "mixed", Schedule(every: Every(.seconds(10)), at: [SchedulerWorld.wall + .seconds(12)]),
        leeway: .duration(.seconds(9))),
    ])
    #expect(world.window("all") == "10000+9999")
    #expect(world.window("half") == "10000+5000")
    #expect(world.window("mixed") == "10000+1999")
  }

  @Test func `triggers that name one instant make one slot`() throws {
    var world = SchedulerWorld(starting: [
      try job(
        "a",
        Schedule(
          every: Every(.seconds(10), first: .zero), at: [SchedulerWorld.wall + .seconds(10)],
          on: [.start]))
    ])
    try world.fire("a")
    world.scheduler.pass(.seconds(10))
    world.send(.actionEnded(RunID(1), AttemptReport(.exited(0))))
    try world.fire("a")
    #expect(world.verdicts == ["a 0 ran", "a 10000 ran"])
    #expect(world.window("a") == "10000+0")
  }
}
