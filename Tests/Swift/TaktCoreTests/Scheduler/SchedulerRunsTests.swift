import Testing

@testable import TaktCore

extension SchedulerWorld {
  fileprivate mutating func end(_ run: UInt64, _ result: AttemptResult = .exited(0)) {
    send(.actionEnded(RunID(run), AttemptReport(result)))
  }
}

/// Overlap, retry, concurrency and hooks: many runs in the core.
@Suite struct SchedulerRunsTests {
  private func job(
    _ name: String, every seconds: Int64 = 10, overlap: Overlap = .skip, qos: QoS = .default,
    retry: RetryPolicy = RetryPolicy(), hooks: [HookKind] = [], group: String? = nil
  ) throws -> JobSpec {
    var spec = JobSpec(
      name: try #require(JobName(name)),
      timing: Timing(schedule: Schedule(every: Every(.seconds(seconds)))), action: .argv(["true"]),
      execution: Execution(qos: qos, retry: retry), overlap: overlap)
    for hook in hooks { spec.hooks[hook] = [Step(.use("log", [:]))] }
    spec.concurrencyGroup = group
    return spec
  }

  private func world(
    maxRunning: Int = 16, groups: [String: Int] = [:], _ jobs: JobSpec...
  ) -> SchedulerWorld {
    SchedulerWorld(starting: jobs, maxRunning: maxRunning, groups: groups)
  }

  @Test func `queued runs of a job follow one another, and a full queue skips`() throws {
    var world = world(try job("a", overlap: .queue))
    world.pass(.seconds(30))
    #expect(world.news() == ["a 10000 ran", "start a attempt 1"])
    world.end(1)
    #expect(world.news() == ["run 1 succeeded exit(0)", "a 20000 ran", "start a attempt 1"])
    world.pass(.seconds(660))
    // One runs, 64 wait; later ones find no room.
    #expect(world.news() == (67...69).map { "a \($0)0000 skipped(queue_full)" })
  }

  @Test func `a newer run replaces the one in progress and the ones that wait`() throws {
    var world = world(try job("a", overlap: .replace))
    world.pass(.seconds(30))
    #expect(
      world.news() == [
        "a 10000 ran", "start a attempt 1", "TERM to 1", "KILL to 1", "a 20000 coalesced",
        "run 2 cancelled replaced",
      ])
    world.end(1, .signalled(15))
    #expect(world.news() == ["run 1 cancelled replaced", "a 30000 ran", "start a attempt 1"])
  }

  @Test func `an attempt that failed is tried again, and its place is free meanwhile`() throws {
    let retry = RetryPolicy(attempts: 2, delay: .seconds(3))
    var world = world(maxRunning: 1, try job("a", retry: retry), try job("b"))
    world.pass(.seconds(10))
    #expect(world.news() == ["a 10000 ran", "start a attempt 1"])
    world.end(1, .exited(1))
    #expect(world.news() == ["b 10000 ran", "start b attempt 1"])
    world.pass(.seconds(3))
    #expect(world.news().isEmpty)
    world.end(2)
    #expect(world.news() == ["run 2 succeeded exit(0)", "start a attempt 2"])
    world.end(1)
    #expect(world.news() == ["run 1 succeeded exit(0)"])
  }

  @Test func `a run in back-off is active: its job's next slot is skipped`() throws {
    var world = world(try job("a", retry: RetryPolicy(attempts: 2, delay: .seconds(15))))
    world.pass(.seconds(10))
    world.end(1, .exited(1))
    _ = world.news()
    world.pass(.seconds(10))
    #expect(world.news() == ["a 20000 skipped(overlap)"])
  }

  @Test func `until next_slot, a run in back-off makes room for the next slot`() throws {
    let retry = RetryPolicy(attempts: 9, delay: .seconds(15), end: .nextSlot)
    var world = world(try job("a", retry: retry))
    world.pass(.seconds(10))
    world.end(1, .exited(1))
    _ = world.news()
    world.pass(.seconds(10))
    #expect(world.news() == ["run 1 failed exit(1)", "a 20000 ran", "start a attempt 1"])
  }

  @Test func `a run whose attempts have a deadline ends at it, wherever it is`() throws {
    let retry = RetryPolicy(attempts: 9, delay: .seconds(2), factor: 1, within: .seconds(7))
    var world = world(maxRunning: 1, try job("a", every: 60, retry: retry), try job("b", every: 61))
    world.pass(.seconds(60))
    world.end(1, .exited(1))
    _ = world.news()
    // The other job has the place when the pause is over, and keeps it.
    world.pass(.seconds(6))
    #expect(world.news() == ["b 61000 ran", "start b attempt 1"])
    world.pass(.seconds(1))
    #expect(world.news() == ["run 1 failed exit(1)"])
    world.end(2)
    world.pass(.seconds(53))
    #expect(world.news() == ["run 2 succeeded exit(0)", "a 120000 ran", "start a attempt 1"])
    world.pass(.seconds(7))
    // It runs still: it is stopped as by a timeout.
    #expect(world.news().contains("TERM to 3"))
  }

  @Test func `a group has its own bound, and others pass those who wait for it`() throws {
    var world = world(
      groups: ["db": 1], try job("a", group: "db"), try job("b", group: "db"), try job("c"))
    world.pass(.seconds(10))
    #expect(
      world.news() == [
        "a 10000 ran", "start a attempt 1", "c 10000 ran", "start c attempt 1",
      ])
    world.end(1)
    #expect(world.news() == ["run 1 succeeded exit(0)", "b 10000 ran", "start b attempt 1"])
  }

  @Test func `the more urgent class starts first, then the older run`() throws {
    var world = world(
      maxRunning: 1, try job("a"), try job("b", qos: .background), try job("c", qos: .utility),
      try job("d", qos: .userInteractive), try job("e", qos: .utility))
    world.pass(.seconds(10))
    var order: [String] = []
    while let running = world.requests.last, order.count < 5 {
      order.append(running.spec.name.text)
      world.end(running.run.number)
    }
    #expect(order == ["a", "d", "c", "e", "b"])
  }

  @Test func `hooks follow a failure, a success and a recovery, and never fail the run`() throws {
    var world = world(try job("a", hooks: [.onFailure, .onSuccess, .onRecover]))
    world.pass(.seconds(10))
    world.end(1, .exited(9))
    #expect(
      world.news() == [
        "a 10000 ran", "start a attempt 1", "run 1 failed exit(9)", "start a on_failure of 1",
      ])
    let facts = try #require(world.requests.last?.facts)
    #expect(facts.end == RunEnd(.failed, .exit(9)))
    #expect(facts.failureStreak == 1)
    // The hook continues and fails: the next slot is not skipped, and no hook follows a hook.
    world.pass(.seconds(10))
    world.end(2, .failed("refused"))
    #expect(world.news() == ["a 20000 ran", "start a attempt 1", "run 2 failed refused"])
    world.end(3)
    #expect(
      world.news() == [
        "run 3 succeeded exit(0)", "start a on_recover of 3", "start a on_success of 3",
      ])
  }

  @Test func `a run that starts too late, or takes too long, calls on_late`() throws {
    var slow = try job("a", hooks: [.onLate])
    slow.expectedDuration = .seconds(4)
    var world = world(maxRunning: 1, try job("z", qos: .userInteractive), slow)
    world.pass(.seconds(10))
    world.pass(.seconds(2))
    _ = world.news()
    world.end(1)
    // Two seconds late, where one is tolerated; the hook waits for a place.
    #expect(world.news() == ["run 1 succeeded exit(0)", "a 10000 ran", "start a attempt 1"])
    world.pass(.seconds(4))
    #expect(world.news().isEmpty)
    world.end(2)
    #expect(world.news() == ["run 2 succeeded exit(0)", "start a on_late of 2"])
    #expect(world.requests.last?.facts?.lateness == .seconds(2))
    world.end(3)
    #expect(world.news() == ["run 3 succeeded exit(0)", "start a on_late of 2"])
  }

  @Test func `a removed job drains, or is killed, and starts no further attempt`() throws {
    for (removal, expected) in [
      (Removal.drain, ["run 1 failed exit(1)"]), (.kill, ["TERM to 1", "run 1 cancelled removed"]),
    ] {
      var spec = try job("a", retry: RetryPolicy(attempts: 5))
      spec.removal = removal
      var world = world(spec)
      world.pass(.seconds(10))
      _ = world.news()
      let before = Snapshot(jobs: [spec])
      world.send(.reloaded(ReloadPlan(from: before, to: Snapshot())))
      world.end(1, .exited(1))
      #expect(world.news() == expected)
    }
  }

  @Test func `a stop ends what waits for its next attempt, and lets hooks be done`() throws {
    var world = world(
      try job("a", retry: RetryPolicy(attempts: 2), hooks: [.onFailure]),
      try job("b", hooks: [.onFailure]))
    world.pass(.seconds(10))
    world.end(1, .exited(1))
    _ = world.news()
    world.send(.stop)
    #expect(world.news() == ["run 1 cancelled shutdown"])
    world.end(2, .exited(1))
    #expect(world.news() == ["run 2 failed exit(1)", "start b on_failure of 2"])
    world.end(3, .done)
    #expect(world.news() == ["run 3 succeeded done", "finish"])
  }

  @Test func `a stop holds for a run that is being stopped already`() throws {
    var spec = try job("a", retry: RetryPolicy(attempts: 9, delay: .seconds(1)))
    spec.execution.timeout = .seconds(2)
    for event in [
      SchedulerEvent.stop, .reloaded(ReloadPlan(from: Snapshot(jobs: [spec]), to: Snapshot())),
    ] {
      var job = spec
      job.removal = .kill
      var world = world(job)
      world.pass(.seconds(12))
      #expect(world.news() == ["a 10000 ran", "start a attempt 1", "TERM to 1"])
      world.send(event)
      world.send(event)
      world.end(1, .signalled(15))
      world.pass(.seconds(5))
      #expect(world.news().prefix(1) == ["run 1 timed_out timeout"])
      #expect(world.requests.count == 1)
    }
  }

  @Test func `no step follows a stop, even one that comes while descendants are ended`() throws {
    var spec = try job("a")
    spec.action = .steps([Step(.argv(["one"])), Step(.argv(["two"]))])
    var world = world(spec)
    world.pass(.seconds(10))
    let report = AttemptReport(.exited(0), descendants: [Descendant(pid: 7, name: "sleep")])
    world.send(.actionEnded(RunID(1), report))
    world.send(.stop)
    world.send(.stop)
    _ = world.news()
    world.send(.groupEnded(RunID(1)))
    #expect(world.news() == ["run 1 cancelled shutdown", "finish"])
  }

  @Test func `a success whose work in the background was ended is a warning`() throws {
    var world = world(try job("a"))
    func level() -> LogLevel? {
      world.effects.compactMap { effect -> LogLevel? in
        guard case .log(let record) = effect, record[.to] == .text("ended") else { return nil }
        return record.level
      }.first
    }
    world.pass(.seconds(10))
    world.end(1)
    #expect(level() == .info)
    world.pass(.seconds(10))
    let left = [Descendant(pid: 7, name: "sleep")]
    world.send(.actionEnded(RunID(2), AttemptReport(.exited(0), descendants: left)))
    world.send(.groupEnded(RunID(2)))
    #expect(level() == .warning)
    #expect(world.news().last == "run 2 succeeded descendants_left(1)")
  }

  @Test func `a run in progress at a stop tries no further`() throws {
    var world = world(try job("a", retry: RetryPolicy(attempts: 5, delay: .seconds(1))))
    world.pass(.seconds(10))
    world.send(.stop)
    _ = world.news()
    world.end(1, .exited(1))
    #expect(world.news() == ["run 1 failed exit(1)", "finish"])
  }

  @Test func `what a reload says during an attempt holds for the next one`() throws {
    let old = try job("a", retry: RetryPolicy(attempts: 2, delay: .seconds(1)))
    var new = old
    new.action = .argv(["other"])
    var world = world(old)
    world.pass(.seconds(10))
    world.send(.reloaded(ReloadPlan(from: Snapshot(jobs: [old]), to: Snapshot(jobs: [new]))))
    world.end(1, .exited(1))
    world.pass(.seconds(1))
    #expect(world.requests.map(\.action) == [old.action, new.action])
  }

  @Test func `a job's hooks hold none of its runs back`() throws {
    var world = world(try job("a", overlap: .queue, hooks: [.onSuccess]))
    world.pass(.seconds(10))
    world.end(1)
    _ = world.news()
    world.pass(.seconds(10))
    #expect(world.news() == ["a 20000 ran", "start a attempt 1"])
  }

  @Test func `who waits for its own job does not keep a group's place from others`() throws {
    var world = world(
      groups: ["db": 1], try job("a", overlap: .queue, group: "db"),
      try job("b", group: "db"))
    world.pass(.seconds(20))
    // `a` runs; the next of `a` and the first of `b` wait.
    #expect(world.requests.map(\.spec.name.text) == ["a"])
    world.end(1, .exited(0))
    #expect(world.requests.map(\.spec.name.text) == ["a", "b"])
  }

  @Test func `a run by hand calls on_late as well, and leaves no timer`() throws {
    var spec = try job("a", every: 1000, hooks: [.onLate])
    spec.expectedDuration = .seconds(4)
    var world = world(spec)
    world.send(.commanded(.trigger(spec.name)))
    world.pass(.seconds(5))
    #expect(world.requests.last?.facts?.hook == .onLate)
    world.end(1)
    world.end(2)
    let job = try #require(world.scheduler.core.jobs.id(of: spec.name))
    #expect(Set(world.scheduler.timers) == [.job(job)])
  }

  @Test func `a hook does not fail at what it tells of`() throws {
    var spec = try job("a")
    spec.execution.directory = "/no/such/folder"
    spec.execution.timeout = .milliseconds(1)
    spec.hooks[.onFailure] = [Step(.argv(["tell"]))]
    var world = world(spec)
    world.pass(.seconds(10))
    world.end(1, .notStarted(.directory, errno: 2))
    let hook = try #require(world.requests.last)
    #expect(hook.spec.execution.directory == "/")
    #expect(hook.spec.execution.timeout == SchedulerCore.hookTimeout)
  }

  @Test func `runs that wait stay one after another when a reload says skip`() throws {
    let old = try job("a", overlap: .queue)
    var new = old
    new.overlap = .skip
    var world = world(old)
    world.pass(.seconds(30))
    world.send(.reloaded(ReloadPlan(from: Snapshot(jobs: [old]), to: Snapshot(jobs: [new]))))
    #expect(world.requests.count == 1)
    world.end(1)
    #expect(world.requests.count == 2)
  }

  @Test func `a job that is disabled starts nothing that waited`() throws {
    let old = try job("a", overlap: .queue)
    var new = old
    new.timing.isEnabled = false
    var world = world(old)
    world.pass(.seconds(20))
    _ = world.news()
    world.send(.reloaded(ReloadPlan(from: Snapshot(jobs: [old]), to: Snapshot(jobs: [new]))))
    #expect(world.news() == ["a 20000 skipped(suspended)", "run 2 cancelled operator"])
    world.end(1)
    #expect(world.news() == ["run 1 succeeded exit(0)"])
  }

  @Test func `a hook sees what all steps of the attempt have printed`() throws {
    var spec = try job("a", hooks: [.onFailure])
    spec.action = .steps([Step(.argv(["one"]), continues: true), Step(.argv(["two"]))])
    var world = world(spec)
    world.pass(.seconds(10))
    for (status, text) in [(Int32(3), "dump failed\n"), (0, "clean\n")] {
      let facts = OutputFacts(kept: KeptOutput(head: Array(text.utf8)))
      world.send(.actionEnded(RunID(1), AttemptReport(.exited(status), output: facts)))
    }
    let output = try #require(world.requests.last?.facts?.output)
    #expect(String(decoding: output.head + output.tail, as: UTF8.self) == "dump failed\nclean\n")
  }
}
