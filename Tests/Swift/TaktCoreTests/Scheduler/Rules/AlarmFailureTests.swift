import Testing

@testable import TaktCore
import TaktTime

/// Hooks and pings that fail.
@Suite struct AlarmFailureTests: MakesJobs {
  private func job(_ hooks: [HookKind], hasPing: Bool = false) throws -> JobSpec {
    var spec = try job("a", every(60))
    for hook in hooks { spec.hooks[hook] = [Step(.use("log", [:]))] }
    if hasPing { spec.pings = [Step(.use("ping", [:]))] }
    return spec
  }

  /// Lets a slot come, and ends all that runs then. Returns the hooks that were called.
  private func pass(
    _ world: inout SchedulerWorld, run: AttemptResult = .exited(1),
    hook: (RunFacts) -> AttemptResult = { _ in .exited(1) }
  ) -> [String] {
    let seen = world.requests.count
    world.pass(.seconds(60))
    while !world.running.isEmpty {
      let ended = world.running
      world.running = []
      for number in ended {
        let facts = world.requests.last { $0.run == number }?.facts
        world.send(.actionEnded(number, AttemptReport(facts.map(hook) ?? run)))
      }
    }
    return world.requests[seen...].compactMap { request in
      request.facts.map { facts in
        let name = facts.isPing ? "ping" : facts.hook.rawValue
        return facts.failedHook.map { "\(name) of \($0)" } ?? name
      }
    }
  }

  private func failures(_ world: SchedulerWorld) throws -> [String] {
    let name = try #require(JobName("a"))
    let view = try #require(world.core.view(of: name, at: world.now))
    #expect(world.core.view.alarmFailed == (view.alarmFailures.isEmpty ? 0 : 1))
    return view.alarmFailures.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.words)" }
  }

  @Test func `a hook that fails calls on_alarm_failed, which calls nothing when it fails`() throws {
    var world = SchedulerWorld()
    world.start([try job([.onFailure, .onAlarmFailed])])
    #expect(pass(&world) == ["on_failure", "on_alarm_failed of on_failure"])
    #expect(
      try failures(world) == ["on_alarm_failed: failed, exit(1)", "on_failure: failed, exit(1)"])
    #expect(pass(&world) { _ in .exited(0) } == ["on_failure"])
    #expect(try failures(world) == ["on_alarm_failed: failed, exit(1)"])
  }

  @Test func `a failure that on_alarm_failed has told of is known, after a restart, too`() throws {
    var world = SchedulerWorld()
    let spec = try job([.onFailure, .onAlarmFailed])
    world.start([spec])
    func isReported() throws -> Bool? {
      let view = world.core.view(of: try #require(JobName("a")), at: world.now)
      return view?.alarmFailures["on_failure"]?.isReported
    }
    _ = pass(&world) { $0.failedHook == nil ? .exited(1) : .exited(0) }
    #expect(try isReported() == true)
    world.restart([spec], after: .seconds(5))
    #expect(try isReported() == true)
    _ = pass(&world)
    #expect(try isReported() == false, "it has failed again, and so has on_alarm_failed")
  }

  @Test func `a ping fails and succeeds by itself, beside the hooks`() throws {
    var world = SchedulerWorld()
    world.start([try job([.onFailure, .onAlarmFailed], hasPing: true)])
    let called = pass(&world) { $0.isPing ? .exited(1) : .exited(0) }
    #expect(called.count { $0 == "on_alarm_failed of ping" } == 2, "\(called)")
    #expect(try failures(world) == ["ping: failed, exit(1)"])
    _ = pass(&world) { $0.isPing ? .exited(0) : .exited(1) }
    let names = try failures(world).map { $0.prefix { $0 != ":" } }
    #expect(names == ["on_alarm_failed", "on_failure"])
  }

  @Test func `a hook that is not run has no run to look at`() throws {
    var world = SchedulerWorld()
    world.start([try job([.onFailure])], maxRunning: 128)
    for _ in 0...SchedulerCore.hooksPerJobMax {
      world.pass(.seconds(60))
      // Hooks continue.
      for number in world.running
      where world.requests.last(where: { $0.run == number })?.facts == nil {
        world.running.removeAll { $0 == number }
        world.send(.actionEnded(number, AttemptReport(.exited(1))))
      }
    }
    let name = try #require(JobName("a"))
    let failure = try #require(
      world.core.view(of: name, at: world.now)?.alarmFailures["on_failure"])
    #expect(failure.words == "not run: too many hooks of the job are waiting")
    #expect(failure.run == RunID(0))
  }

  @Test func `a failed hook outlives takt, until the jobs file has another one`() throws {
    let spec = try job([.onFailure])
    var world = SchedulerWorld()
    world.start([spec])
    #expect(pass(&world) == ["on_failure"])
    world.restart([spec], after: .seconds(5))
    #expect(try failures(world) == ["on_failure: failed, exit(1)"])
    var other = spec
    other.hooks[.onFailure] = [Step(.argv(["mail"]))]
    world.reload([spec], to: [other])
    #expect(try failures(world) == [])
    world.restart([other], after: .seconds(5))
    #expect(try failures(world) == [])
  }

  @Test func `what the ledger keeps of a failure is read again`() throws {
    var alarms = JobAlarms()
    alarms.failures["on_failure"] = AlarmFailure(
      at: WallInstant(milliseconds: 5), run: RunID(7),
      words: "failed, not_started(process, EIO)/x=\n")
    #expect(!alarms.isEmpty)
    #expect(!alarms.text.contains(" ") && !alarms.text.contains("\n"))
    #expect(JobAlarms(text: alarms.text) == alarms)
    alarms.failures["on_failure"]?.isReported = true
    #expect(JobAlarms(text: alarms.text) == alarms)
    #expect(JobAlarms(text: "failed.on_failure=x failed.ping=1/2").isEmpty)
  }
}
