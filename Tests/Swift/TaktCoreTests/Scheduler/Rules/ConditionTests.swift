import TaktTime
import Testing

@testable import TaktCore

/// `only_if`: an action of its own says whether a slot may run.
@Suite struct ConditionTests: MakesJobs {
  private func conditional(
    _ name: String, _ schedule: Schedule, wait: Duration? = nil, every: Duration = .seconds(60)
  ) throws -> JobSpec {
    var spec = try job(name, schedule)
    spec.policies.onlyIf = Shared(
      Condition(.argv(["check"]), timeout: .seconds(5), wait: wait, interval: every))
    return spec
  }

  @Test func `a slot runs after a yes, and is skipped after a no`() throws {
    var world = SchedulerWorld(starting: [try conditional("a", every(10))])
    world.pass(.seconds(10))
    #expect(world.requests.map(\.action) == [.argv(["check"])])
    #expect(world.requests.first?.facts?.hook == .onlyIf)
    #expect(world.requests.first?.slot == SchedulerWorld.wall + .seconds(10))
    #expect(world.requests.first?.deadline == world.now.monotonic + .seconds(5))
    #expect(world.verdicts == [])
    world.endRuns(.exited(0))
    #expect(world.requests.map(\.action) == [.argv(["check"]), .argv(["true"])])
    #expect(world.verdicts == ["a 10000 ran"])
    world.endRuns(.exited(0))
    world.pass(.seconds(10), ending: .exited(1))
    #expect(world.verdicts == ["a 10000 ran", "a 20000 skipped(condition)"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test(arguments: [AttemptResult.signalled(9), .notStarted(.exec, errno: 2)])
  func `what cannot be asked is no`(result: AttemptResult) throws {
    var world = SchedulerWorld(starting: [try conditional("a", every(10))])
    world.pass(.seconds(10), ending: result)
    #expect(world.verdicts == ["a 10000 skipped(condition)"])
  }

  @Test func `a condition that hangs is stopped at its bound, and delays no other job`() throws {
    var world = SchedulerWorld()
    world.start([try conditional("a", every(10)), try job("b", every(10))], maxRunning: 1)
    world.pass(.seconds(10))
    #expect(world.verdicts == ["b 10000 ran"])
    let check = try #require(world.requests.first { $0.facts?.hook == .onlyIf })
    world.pass(.seconds(5))
    world.send(.actionEnded(check.run, AttemptReport(.signalled(15))))
    #expect(world.verdicts == ["b 10000 ran", "a 10000 skipped(condition)"])
  }

  @Test func `a slot waits for a yes, asking again and again`() throws {
    var world = SchedulerWorld()
    world.start([try conditional("a", every(10_000), wait: .seconds(7200))])
    world.pass(.seconds(10_000))
    for _ in 0..<5 {
      world.endRuns(.exited(1))
      #expect(world.running == [])
      world.pass(.seconds(60))
    }
    #expect(
      world.core.view(of: try #require(JobName("a")), at: world.now)?.checkedSlot
        == SchedulerWorld.wall + .seconds(10_000))
    world.endRuns(.exited(0))
    #expect(world.starts.last == "a 10000000 #1")
    #expect(world.verdicts == ["a 10000000 ran"])
  }

  @Test func `a wait ends after its time, whether or not a try is in progress`() throws {
    for isAsking in [false, true] {
      var world = SchedulerWorld()
      world.start([try conditional("a", every(10_000), wait: .seconds(90))])
      world.pass(.seconds(10_000), ending: .exited(1))
      world.pass(.seconds(60))
      if isAsking {
        world.pass(.seconds(4))
        #expect(world.verdicts == [])
      }
      world.endRuns(.exited(1))
      world.pass(.seconds(30))
      #expect(world.verdicts == ["a 10000000 skipped(condition)"])
      world.pass(.seconds(500))
      #expect(world.running == [])
    }
  }

  @Test func `the next slot stands for the one that waits`() throws {
    var world = SchedulerWorld()
    world.start([try conditional("a", every(100), wait: .seconds(1000), every: .seconds(150))])
    world.pass(.seconds(100), ending: .exited(1))
    world.pass(.seconds(100))
    #expect(world.verdicts == ["a 100000 coalesced"])
    world.pass(.seconds(50), ending: .exited(0))
    #expect(world.verdicts == ["a 100000 coalesced", "a 200000 ran"])
  }

  @Test func `a run by hand does not ask`() throws {
    let spec = try conditional("a", every(10))
    var world = SchedulerWorld(starting: [spec])
    world.send(.commanded(.trigger(spec.name)))
    #expect(world.requests.map(\.action) == [.argv(["true"])])
  }

  @Test func `a slot that waits is decided when its job goes, rests or is cancelled`() throws {
    let spec = try conditional("a", every(10), wait: .seconds(100))
    let ways: [(String, (inout SchedulerWorld) -> Void)] = [
      ("cancelled(removed)", { $0.reload([spec], to: []) }),
      ("skipped(suspended)", { $0.send(.commanded(.suspend(spec.name, until: nil, reason: ""))) }),
      ("cancelled(operator)", { $0.send(.commanded(.cancelJob(spec.name))) }),
      ("skipped(stopping)", { $0.send(.stop) }),
    ]
    for (verdict, end) in ways {
      var world = SchedulerWorld(starting: [spec])
      world.pass(.seconds(10))
      end(&world)
      #expect(world.verdicts == ["a 10000 \(verdict)"])
      // The command that asks is stopped; its end changes nothing.
      world.endRuns(.exited(0))
      #expect(world.verdicts == ["a 10000 \(verdict)"])
      #expect(world.requests.count == 1)
    }
  }

  @Test func `a reload asks for the new condition, or runs the slot if there is none`() throws {
    let before = try conditional("a", every(10), wait: .seconds(100))
    var after = before
    after.policies.onlyIf = Shared(Condition(.argv(["another"])))
    var world = SchedulerWorld(starting: [before])
    world.pass(.seconds(10))
    world.reload([before], to: [after])
    #expect(world.requests.map(\.action) == [.argv(["check"]), .argv(["another"])])
    var none = after
    none.policies.onlyIf = nil
    world.reload([after], to: [none])
    #expect(world.verdicts == ["a 10000 ran"])
  }

  @Test func `a slot that waited when takt was killed is asked for again`() throws {
    let jobs = [try conditional("a", every(100), wait: .seconds(1000))]
    var world = SchedulerWorld(starting: jobs)
    world.pass(.seconds(100), ending: .exited(1))
    world.restart(jobs, after: .seconds(5))
    world.pass(.seconds(1))
    #expect(world.requests.last?.facts?.hook == .onlyIf)
    world.endRuns(.exited(0))
    #expect(world.verdicts == ["a 100000 ran"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a fixed delay counts from the end of what runs, and again from a no`() throws {
    var world = SchedulerWorld(starting: [
      try conditional("a", Schedule(every: Every(.seconds(10), from: .end)))
    ])
    world.pass(.seconds(10))
    world.pass(.seconds(3), ending: .exited(1))
    #expect(world.armed("a") == 23_000)
    world.pass(.seconds(10), ending: .exited(0))
    world.pass(.seconds(7), ending: .exited(0))
    #expect(world.armed("a") == 40_000)
    #expect(world.verdicts == ["a 10000 skipped(condition)", "a 23000 ran"])
  }

  @Test func `many conditions are asked for in turn`() throws {
    var world = SchedulerWorld()
    world.start(try (0..<100).map { try conditional("j\($0)", every(10)) }, maxRunning: 200)
    world.pass(.seconds(10))
    #expect(world.running.count == 64)
    world.endRuns(.exited(1))
    #expect(world.running.count == 36)
    world.endRuns(.exited(1))
    #expect(world.verdicts.count == 100)
  }
}
