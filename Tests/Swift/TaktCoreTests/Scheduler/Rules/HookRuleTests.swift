import Testing

@testable import TaktCore
import TaktTime

/// `when` and `repeat` of hooks, over a day and across restarts of takt.
@Suite struct HookRuleTests: MakesJobs {
  /// A world whose runs take a second and end as a test says; it counts the calls of hooks.
  private struct Day {
    var world = SchedulerWorld()
    /// `on_failure 30 streak 1`: the hook, the second at which it was called, the failed runs.
    var calls: [String] = []
    private var seen = 0

    mutating func start(_ jobs: [JobSpec]) {
      world.start(jobs)
      collect()
    }

    mutating func pass(_ duration: Duration, _ result: AttemptResult, output: [UInt8] = []) {
      let end = world.now.monotonic + duration
      while world.now.monotonic < end {
        world.pass(min(.seconds(10), end - world.now.monotonic))
        collect()
        let ended = world.running
        world.running = []
        for run in ended {
          let isHook = world.requests.last { $0.run == run }?.isHook == true
          var report = AttemptReport(isHook ? .exited(0) : result)
          if !isHook { report.output = OutputFacts(kept: KeptOutput(head: output)) }
          world.send(.actionEnded(run, report))
        }
        collect()
      }
    }

    mutating func restart(_ jobs: [JobSpec], after down: Duration) {
      world.restart(jobs, after: down)
      collect()
    }

    private mutating func collect() {
      for request in world.requests[seen...] {
        guard let facts = request.facts else { continue }
        let second = (world.now.wall - SchedulerWorld.wall).milliseconds / 1000
        calls.append("\(facts.hook.rawValue) \(second) streak \(facts.failureStreak)")
      }
      seen = world.requests.count
    }

    /// The calls since the last one.
    mutating func news() -> [String] {
      defer { calls = [] }
      return calls
    }
  }

  private func job(
    every seconds: Int64 = 30, _ hooks: [HookKind: [HookRule]],
    _ change: (inout JobSpec) -> Void = { _ in }
  ) throws -> JobSpec {
    var spec = try job("a", every(Int(seconds)))
    for (hook, rules) in hooks {
      spec.hooks[hook] = rules.map { Step(.use("log", [:]), rule: $0) }
    }
    change(&spec)
    return spec
  }

  @Test func `without when, each failure calls the hook`() throws {
    var day = Day()
    day.start([try job([.onFailure: [HookRule()]])])
    day.pass(.seconds(3601), .exited(1))
    #expect(day.news().count == 120)
  }

  @Test func `an hour of failures alarms once, and once more an hour later`() throws {
    let spec = try job([
      .onFailure: [HookRule(.streak(least: 1), interval: .seconds(3600))], .onRecover: [HookRule()],
    ])
    var day = Day()
    // The log is not read, and a day of slots is long.
    day.world.ledgerWorks = false
    day.start([spec])
    day.pass(.seconds(3600 * 6), .exited(0))
    #expect(day.news().isEmpty)
    day.pass(.seconds(3700), .exited(1))
    #expect(day.news() == ["on_failure 21630 streak 1", "on_failure 25230 streak 121"])
    day.pass(.seconds(3600 * 16), .exited(0))
    #expect(day.news() == ["on_recover 25320 streak 123"])
    // The next series of failures is news at once.
    day.pass(.seconds(60), .exited(1))
    #expect(day.news().count == 1)
  }

  @Test func `the series and its last alarm outlive takt`() throws {
    let spec = try job([.onFailure: [HookRule(.streak(least: 1), interval: .seconds(3600))]])
    var day = Day()
    day.start([spec])
    day.pass(.seconds(1800), .exited(1))
    #expect(day.news() == ["on_failure 30 streak 1"])
    day.restart([spec], after: .seconds(60))
    day.pass(.seconds(1700), .exited(1))
    #expect(day.news().isEmpty)
    day.pass(.seconds(120), .exited(1))
    #expect(day.news().count == 1)
  }

  @Test func `a streak alarms when it is reached, and its recovery only if it was`() throws {
    let rule = HookRule(.streak(least: 3))
    var day = Day()
    day.start([try job([.onFailure: [rule], .onRecover: [rule]])])
    day.pass(.seconds(60), .exited(1))
    day.pass(.seconds(30), .exited(0))
    #expect(day.news().isEmpty)
    day.pass(.seconds(300), .exited(1))
    #expect(day.news() == ["on_failure 180 streak 3"])
    day.pass(.seconds(30), .exited(0))
    #expect(day.news().map { $0.prefix(10) } == ["on_recover"])
  }

  @Test func `repeat alone rests between calls, whatever the series`() throws {
    var day = Day()
    day.start([try job([.onFailure: [HookRule(.every, interval: .seconds(600))]])])
    for _ in 0..<20 {
      day.pass(.seconds(30), .exited(1))
      day.pass(.seconds(30), .exited(0))
    }
    #expect(day.news().map { $0.prefix(14) } == ["on_failure 30 ", "on_failure 630"])
  }

  @Test func `recovered and output choose among successes`() throws {
    var day = Day()
    day.start([
      try job([.onSuccess: [HookRule(.recovered)], .onFailure: [HookRule(.output)]])
    ])
    day.pass(.seconds(60), .exited(0))
    day.pass(.seconds(30), .exited(1))
    #expect(day.news().isEmpty)
    day.pass(.seconds(30), .exited(1), output: Array("disk full\n".utf8))
    #expect(day.news() == ["on_failure 120 streak 2"])
    day.pass(.seconds(60), .exited(0))
    #expect(day.news() == ["on_success 150 streak 0"])
  }

  @Test func `each action of a hook has its own when`() throws {
    var day = Day()
    day.start([try job([.onFailure: [HookRule(.streak(least: 1)), HookRule()]])])
    day.pass(.seconds(91), .exited(1))
    let hooks = day.world.requests.filter(\.isHook)
    // Of the first failure both are done, one after the other; of the others the second alone.
    #expect(hooks.map { $0.spec.action.stepCount } == [2, 2, 1, 1])
  }

  @Test func `an alarm that the end of takt cut off is sent again`() throws {
    let spec = try job([.onFailure: [HookRule(.streak(least: 1))]])
    var day = Day()
    day.start([spec])
    day.world.pass(.seconds(30))
    day.world.send(.actionEnded(RunID(1), AttemptReport(.exited(1))))
    // The hook has started, and takt is killed before it ends.
    day.restart([spec], after: .seconds(5))
    #expect(day.news() == ["on_failure 35 streak 1"])
    day.pass(.seconds(90), .exited(1))
    #expect(day.news().map { $0.suffix(8) } == ["streak 2"])
    day.restart([spec], after: .seconds(5))
    day.pass(.seconds(90), .exited(1))
    #expect(day.news() == [])
  }

  @Test(
    arguments: [
      (.onRecover, HookRule()), (.onRecover, HookRule(.streak(least: 2))),
      (.onSuccess, HookRule(.recovered)),
    ] as [(HookKind, HookRule)])
  func `a recovery that the end of takt cut off is reported by the next success, once`(
    hook: HookKind, rule: HookRule
  ) throws {
    let spec = try job([hook: [rule]])
    var day = Day()
    day.start([spec])
    day.pass(.seconds(70), .exited(1))
    day.world.pass(.seconds(20))
    let run = try #require(day.world.running.first)
    day.world.send(.actionEnded(run, AttemptReport(.exited(0))))
    #expect(day.world.requests.last?.isHook == true)
    // The hook has started, and takt is killed before it ends.
    day.restart([spec], after: .seconds(5))
    _ = day.news()
    // A failure in between does not end the wait for a success.
    day.pass(.seconds(30), .exited(1))
    #expect(day.news().isEmpty)
    day.pass(.seconds(30), .exited(0))
    #expect(day.news().map { $0.prefix(10) } == [hook.rawValue.prefix(10)])
    day.pass(.seconds(300), .exited(0))
    day.restart([spec], after: .seconds(5))
    day.pass(.seconds(300), .exited(0))
    #expect(day.news().isEmpty)
  }

  @Test func `a reload keeps what was called, in any place, and a new when starts from zero`()
    throws
  {
    let (first, third) = (HookRule(.streak(least: 1)), HookRule(.streak(least: 3)))
    let before = try job([.onFailure: [first]])
    let after = try job([.onFailure: [third, first]])
    let later = try job([.onFailure: [HookRule(.streak(least: 6)), third]])
    var day = Day()
    day.start([before])
    day.pass(.seconds(30), .exited(1))
    #expect(day.news() == ["on_failure 30 streak 1"])
    day.world.reload([before], to: [after])
    day.pass(.seconds(120), .exited(1))
    #expect(day.news() == ["on_failure 90 streak 3"])
    day.world.reload([after], to: [later])
    day.pass(.seconds(120), .exited(1))
    #expect(day.news() == ["on_failure 180 streak 6"])
  }

  @Test func `on_start is called beside the run, and the hooks of its end wait for it`() throws {
    let spec = try job([.onStart: [HookRule()], .onSuccess: [HookRule()]])
    var world = SchedulerWorld(starting: [spec])
    world.pass(.seconds(30))
    #expect(world.requests.map { $0.facts?.hook } == [nil, .onStart])
    world.send(.actionEnded(RunID(1), AttemptReport(.exited(0))))
    #expect(world.requests.count == 2)
    world.send(.actionEnded(RunID(2), AttemptReport(.exited(1))))
    #expect(world.requests.map { $0.facts?.hook } == [nil, .onStart, .onSuccess])
    #expect(world.requests.map { $0.facts?.run } == [nil, RunID(1), RunID(1)])
  }

  @Test func `a monitor that does not answer delays neither runs nor other hooks`() throws {
    let spec = try job([.onStart: [HookRule()], .onFailure: [HookRule()]]) {
      $0.policies.pings = [Step(.use("ping", [:]))]
      $0.overlap = .allow
    }
    var world = SchedulerWorld(starting: [spec], maxRunning: 2)
    for _ in 0..<5 {
      world.pass(.seconds(30))
      // All but the pings end.
      while let run = world.running.first(where: { run in
        world.requests.last { $0.run == run }?.facts?.isPing != true
      }) {
        world.running.removeAll { $0 == run }
        let isHook = world.requests.last { $0.run == run }?.isHook == true
        world.send(.actionEnded(run, AttemptReport(.exited(isHook ? 0 : 1))))
      }
    }
    let called = world.requests.compactMap(\.facts)
    #expect(world.verdicts.count == 5 && world.verdicts.allSatisfy { $0.hasSuffix(" ran") })
    #expect(called.count { !$0.isPing && $0.hook == .onFailure } == 5)
    // The pings of the ends wait for those of the starts.
    #expect(called.filter(\.isPing).map(\.hook) == Array(repeating: .onStart, count: 5))
    let ping = try #require(world.running.first)
    world.send(.actionEnded(ping, AttemptReport(.exited(0))))
    #expect(world.requests.last?.facts?.hook == .onFailure)
    #expect(world.requests.last?.facts?.isPing == true)
  }

  @Test(
    arguments: [
      ("every", HookRule.When.every), ("first", .streak(least: 1)), ("recovered", .recovered),
      ("output", .output), ("streak >= 3", .streak(least: 3)), ("streak>=12", .streak(least: 12)),
      ("streak >= 0", nil), ("streak > 3", nil), ("streak >= +3", nil), ("First", nil), ("", nil),
      ("streak >= 3 >= 4", nil),
    ] as [(String, HookRule.When?)])
  func `the form of when`(text: String, expected: HookRule.When?) {
    #expect(HookRule.When(text) == expected)
    if let expected { #expect(HookRule.When(expected.text) == expected) }
  }

  @Test func `what is remembered of alarms reads back as it was`() {
    var alarms = JobAlarms()
    alarms.calls[JobAlarms.Place(hook: .onFailure, action: 0xc0ffee)] = JobAlarms.Call(
      at: SchedulerWorld.wall, isOfStreak: true)
    alarms.calls[JobAlarms.Place(hook: .onStale, action: .max)] = JobAlarms.Call(
      at: SchedulerWorld.wall, isOfStreak: false)
    alarms.freshness = Freshness(since: SchedulerWorld.wall, staleSince: SchedulerWorld.wall)
    #expect(JobAlarms(text: alarms.text) == alarms)
    #expect(
      JobAlarms(text: "on_later.0=7 fresh=x on_failure=3 on_failure.x=3 nonsense") == JobAlarms())
  }
}
