import Testing

@testable import TaktCore

/// No new runs, and the slots of that time.
@Suite struct DrainTests: MakesJobs {
  private func job(_ name: String, missed: MissedPolicy.Choice = .last) throws -> JobSpec {
    var spec = try job(name, every(10))
    spec.missed.choice = missed
    if missed == .all { spec.missed.within = .seconds(3600) }
    return spec
  }

  @Test func `a drain starts nothing, waits for what is under way, and ends takt`() throws {
    var world = SchedulerWorld(starting: [try job("a"), try job("b", every(15))])
    world.pass(.seconds(10))
    #expect(world.perform(.drain(stays: false)) == .done())
    world.pass(.seconds(1000))
    #expect(world.starts.count == 1 && world.verdicts == ["a 10000 ran"])
    #expect(world.core.phase == .running && world.core.view.drain?.isDone == false)
    _ = world.news()
    world.endRuns()
    #expect(world.news() == ["run 1 succeeded exit(0)", "finish"])
    // Nothing that passed is decided: the next daemon does that.
    #expect(world.verdicts == ["a 10000 ran"])
    world.restart([try job("a"), try job("b", every(15))], after: .seconds(1))
    world.pass(.seconds(8), ending: .exited(0))
    #expect(world.starts.count == 2)
    #expect(world.verdicts.contains { $0.contains("missed(down)") || $0.contains("coalesced") })
  }

  @Test func `takt that does nothing ends a moment after the drain was asked for`() throws {
    var world = SchedulerWorld(starting: [try job("a", every(100))])
    #expect(world.perform(.drain(stays: false)) == .done())
    #expect(world.core.view.stopWords == "no new runs: takt is draining")
    #expect(world.news() == [])
    world.pass(.seconds(1))
    #expect(world.news() == ["finish"])
  }

  @Test func `a hold lets slots pass, and its end leaves them to missed`() throws {
    var world = SchedulerWorld(starting: [
      try job("all", missed: .all), try job("last"), try job("skip", missed: .skip),
    ])
    #expect(world.perform(.drain(stays: true)) == .done())
    world.pass(.seconds(35))
    #expect(world.starts.isEmpty && world.verdicts.isEmpty)
    #expect(world.core.view.drain?.isDone == true && world.core.phase == .running)
    #expect(world.armed("last") == nil)
    #expect(world.perform(.endDrain) == .done())
    #expect(world.perform(.endDrain) == .notDraining)
    for _ in 0..<10 { world.pass(.milliseconds(400), ending: .exited(0)) }
    let first = Set(world.verdicts)
    #expect(first.contains("last 30000 ran") && first.contains("skip 10000…30000 missed(drained)"))
    #expect(first.isSuperset(of: ["all 10000 ran", "all 20000 ran", "all 30000 ran"]))
    world.pass(.seconds(2), ending: .exited(0))
    #expect(Set(world.verdicts).isSuperset(of: ["last 40000 ran", "skip 40000 ran"]))
  }

  @Test func `a drain refuses triggers, and keeps what an event makes due`() throws {
    let jobs = [try job("a", every(10)), try follower("b", of: "a")]
    var world = SchedulerWorld(starting: jobs)
    world.pass(.seconds(10))
    #expect(world.perform(.drain(stays: true)) == .done())
    let name = try #require(JobName("a"))
    #expect(world.perform(.trigger(name)) == .draining)
    #expect(world.perform(.backfill(name, slot: SchedulerWorld.wall)) == .draining)
    world.endRuns()
    world.pass(.seconds(5))
    #expect(world.starts.count == 1)
    #expect(world.perform(.endDrain) == .done())
    world.pass(.seconds(1))
    #expect(world.starts.count == 2 && world.starts[1].hasPrefix("b "))
  }

  @Test func `runs that wait and retries wait on, and hooks run`() throws {
    var retried = try job("a", every(10))
    retried.execution.retry = RetryPolicy(attempts: 2, delay: .seconds(1))
    retried.hooks[.onFailure] = [Step(.use("log", [:]))]
    var world = SchedulerWorld(starting: [retried, try job("b", every(10))], maxRunning: 1)
    world.pass(.seconds(10))
    #expect(world.starts.count == 1)
    #expect(world.perform(.drain(stays: true)) == .done())
    world.endRuns(.exited(1))
    world.pass(.seconds(5))
    #expect(world.starts.count == 1 && world.core.view.drain?.isDone == true)
    #expect(world.perform(.endDrain) == .done())
    for _ in 0..<10 { world.pass(.milliseconds(100), ending: .exited(1)) }
    #expect(world.starts.count >= 4)
    var hooked = SchedulerWorld(starting: [retried])
    hooked.pass(.seconds(10), ending: .exited(1))
    hooked.pass(.seconds(1))
    #expect(hooked.perform(.drain(stays: false)) == .done())
    hooked.endRuns(.exited(1))
    #expect(hooked.news().last == "start a on_failure of 1")
    hooked.endRuns()
    #expect(hooked.news().last == "finish")
  }

  @Test func `a reload and a stop work during a hold`() throws {
    let old = [try job("a", every(10))]
    let new = old + [try job("b", every(10))]
    var world = SchedulerWorld(starting: old)
    #expect(world.perform(.drain(stays: true)) == .done())
    world.reload(old, to: new)
    world.pass(.seconds(25))
    #expect(world.starts.isEmpty)
    _ = world.news()
    world.send(.stop)
    #expect(world.news() == ["finish"] && world.verdicts.isEmpty)
  }

  @Test func `in a cluster a drained machine claims nothing until that is undone`() {
    var world = ClusterWorld(jobs: [.shared()])
    world.pass(.seconds(6))
    let (starts, verdicts) = (world.starts, world.verdicts)
    #expect(starts.last?.hasPrefix("job 5000 ") == true)
    world.send(.commanded(.drain(stays: true)))
    world.pass(.seconds(12))
    #expect(world.starts == starts && world.verdicts == verdicts && !world.isFinished)
    world.send(.commanded(.endDrain))
    world.pass(.seconds(6))
    #expect(world.starts.last?.hasPrefix("job 20000 ") == true)
    for slot in [10_000, 15_000, 20_000] {
      #expect(world.verdicts.count { $0.hasPrefix("job \(slot) ") } == 1, "\(world.verdicts)")
    }
    world.send(.commanded(.drain(stays: false)))
    world.pass(.seconds(1))
    #expect(world.isFinished)
  }
}
