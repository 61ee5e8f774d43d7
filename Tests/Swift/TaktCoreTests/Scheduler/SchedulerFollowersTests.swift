import Testing

@testable import TaktCore
import TaktTime

/// Events other than the clock that make a job due.
@Suite struct SchedulerFollowersTests: MakesJobs {
  @Test(arguments: [
    (AttemptResult.exited(0), ["any 10000 ran", "ok 10000 ran"]),
    (.exited(1), ["any 10000 ran", "bad 10000 ran"]),
    (.signalled(9), ["any 10000 ran", "bad 10000 ran"]),
  ])
  func `a job follows the last end of another's run`(
    result: AttemptResult, expected: [String]
  ) throws {
    var world = SchedulerWorld(starting: [
      try job("parent", every(10)), try follower("ok", of: "parent"),
      try follower("bad", of: "parent", on: .failure),
      try follower("any", of: "parent", on: .any),
    ])
    world.pass(.seconds(10))
    world.verdicts = []
    world.endRuns(result)
    #expect(world.verdicts.sorted() == expected)
  }

  @Test func `an attempt that is tried again is no end, and a chain continues`() throws {
    var world = SchedulerWorld()
    var parent = try job("a", every(100))
    parent.execution.retry = RetryPolicy(attempts: 2, delay: .seconds(1))
    world.start([parent, try follower("b", of: "a", on: .any), try follower("c", of: "b")])
    world.pass(.seconds(100), ending: .exited(1))
    #expect(world.starts == ["a 100000 #1"])
    world.pass(.seconds(1), ending: .exited(1))
    world.endRuns()
    #expect(world.starts == ["a 100000 #1", "a 100000 #2", "b 101000 #1", "c 101000 #1"])
  }

  @Test func `the slot of a follower is kept with the end that makes it`() throws {
    let jobs = [try job("a", every(10)), try follower("b", of: "a")]
    var world = SchedulerWorld(starting: jobs, maxRunning: 1)
    world.send(.commanded(.trigger(jobs[0].name)))
    world.send(.commanded(.trigger(jobs[0].name, isForced: true)))
    // Its slot waits for the place that the second run has taken.
    let run = try #require(world.running.first)
    world.send(.actionEnded(run, AttemptReport(.exited(0))))
    #expect(world.starts.count == 2 && world.ledger.pending[jobs[1].name]?.count == 1)
    world.restart(jobs, after: .seconds(5))
    world.pass(.seconds(1))
    #expect(world.starts.contains { $0.hasPrefix("b 0 ") })
  }

  @Test func `a follower that is suspended, or that takt's stop comes before, is skipped`() throws {
    let jobs = [try job("a", every(10)), try follower("b", of: "a")]
    var world = SchedulerWorld(starting: jobs)
    world.send(.commanded(.suspend(jobs[1].name, until: nil, reason: "")))
    world.pass(.seconds(10), ending: .exited(0))
    world.send(.commanded(.resume(jobs[1].name)))
    world.pass(.seconds(10))
    world.send(.stop)
    world.endRuns()
    #expect(
      world.verdicts == [
        "a 10000 ran", "b 10000 skipped(suspended)", "a 20000 ran", "b 20000 skipped(stopping)",
      ])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `who waits for any end hears of a run that a previous daemon did not end`() throws {
    let jobs = [
      try job("a", every(10)), try follower("b", of: "a"), try follower("c", of: "a", on: .any),
    ]
    var world = SchedulerWorld(starting: jobs)
    world.pass(.seconds(10))
    world.restart(jobs, after: .seconds(1))
    #expect(world.starts == ["c 11000 #1"])
  }

  @Test func `who had attempts before a restart is followed when it gives up after it`() throws {
    var parent = try job("p", every(40))
    parent.execution.retry = RetryPolicy(attempts: 5, delay: .seconds(30), end: .nextSlot)
    let jobs = [parent, try follower("c", of: "p", on: .failure)]
    var world = SchedulerWorld(starting: jobs)
    world.pass(.seconds(40), ending: .exited(1))
    world.restart(jobs, after: .seconds(1))
    world.pass(.seconds(39), ending: .exited(1))
    world.pass(.seconds(1))
    #expect(world.ends.contains("p failed"))
    #expect(world.starts.contains { $0.hasPrefix("c ") }, "\(world.starts) \(world.ends)")
  }

  @Test func `a boot is one start of the machine, however often takt starts`() throws {
    let jobs = [try job("a", Schedule(on: [.boot]))]
    var world = SchedulerWorld(starting: jobs)
    #expect(world.starts == ["a 0 #1"])
    world.endRuns()
    world.restart(jobs, after: .seconds(1))
    #expect(world.starts.isEmpty)
    world.ledger.reboot()
    world.restart(jobs, after: .seconds(1))
    #expect(world.starts == ["a 2000 #1"])
  }

  @Test func `a change of a file that the job does not watch any more is nothing`() throws {
    var schedule = Schedule()
    schedule.watch = [PathWatch(path: "/in")]
    let spec = try job("a", schedule)
    var world = SchedulerWorld(starting: [spec])
    world.send(.changed(spec.name, PathWatch(path: "/in")))
    world.send(.changed(spec.name, PathWatch(path: "/out")))
    #expect(world.verdicts == ["a 0 ran"])
  }

  @Test func `what happens twice in a moment, or after a step back, makes two slots`() throws {
    var schedule = Schedule()
    schedule.watch = [PathWatch(path: "/in")]
    var spec = try job("a", schedule)
    spec.overlap = .allow
    var world = SchedulerWorld(starting: [spec])
    for _ in 0..<3 { world.send(.changed(spec.name, PathWatch(path: "/in"))) }
    world.now.wall = world.now.wall - .seconds(1)
    world.send(.changed(spec.name, PathWatch(path: "/in")))
    #expect(world.verdicts == ["a 0 ran", "a 1 ran", "a 2 ran", "a 3 ran"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a job added after a restart in the same boot gets no boot event`() throws {
    let old = try job("a", every(10))
    var world = SchedulerWorld(starting: [old])
    world.restart([old, try job("b", Schedule(on: [.boot]))], after: .seconds(1))
    #expect(world.starts.isEmpty)
  }
}
