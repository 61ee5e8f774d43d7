import Testing

@testable import TaktCore
import TaktTime

/// A whole day of alarms in virtual time, with two restarts of takt: each alarm at its second.
@Suite struct AlarmDayTests {
  private static let dayEnd = 86_400

  /// `import` fails every 30 s from 8 to 9 o'clock, `report` each hour from 11 to 15.
  private static func fails(_ job: String, at second: Int) -> Bool {
    switch job {
    case "import": (28_801...32_400).contains(second)
    default: (39_600...54_000).contains(second)
    }
  }

  private static func job(
    _ name: String, every seconds: Int, _ hooks: [HookKind: [(String, HookRule)]]
  ) throws -> JobSpec {
    var spec = JobSpec(
      name: try #require(JobName(name)),
      timing: Timing(schedule: Schedule(every: Every(.seconds(seconds)))), action: .argv(["x"]))
    for (hook, steps) in hooks {
      spec.hooks[hook] = steps.map { Step(.use("log", ["message": .string($0.0)]), rule: $0.1) }
    }
    return spec
  }

  private struct Day {
    var world = SchedulerWorld()
    var alarms: [String] = []
    private var seen = 0

    private var second: Int { Int((world.now.wall - SchedulerWorld.wall).milliseconds / 1000) }

    mutating func pass(until end: Int) {
      while second < end {
        world.pass(.seconds(min(10, end - second)))
        endRuns()
      }
    }

    /// Ends the active runs, and then their hooks.
    mutating func endRuns() {
      while !world.running.isEmpty {
        note()
        let ended = world.running
        world.running = []
        for run in ended {
          guard let request = world.requests.last(where: { $0.run == run }) else { continue }
          let hasFailed = !request.isHook && AlarmDayTests.fails(request.spec.name.text, at: second)
          world.send(.actionEnded(run, AttemptReport(.exited(hasFailed ? 1 : 0))))
        }
      }
      note()
    }

    /// `30630 import on_failure chat`
    private mutating func note() {
      for request in world.requests[seen...] {
        guard let facts = request.facts, request.step == 0 else { continue }
        for step in request.spec.action.steps {
          guard case .use(_, let parameters) = step.action else { continue }
          alarms.append(
            "\(second) \(request.spec.name) \(facts.hook.rawValue) \(parameters["message"]?.string ?? "")"
          )
        }
      }
      seen = world.requests.count
    }
  }

  @Test func `each alarm of a day is sent at its second, and no other`() throws {
    let half = Duration.seconds(1800)
    let often = try Self.job(
      "import", every: 30,
      [
        .onFailure: [
          ("chat", HookRule(.streak(least: 1), interval: half)),
          ("page", HookRule(.streak(least: 10))), ("never", HookRule(.streak(least: 122))),
          ("hourly", HookRule(.every, interval: .seconds(3600))),
        ],
        .onRecover: [("chat", HookRule()), ("never", HookRule(.streak(least: 122)))],
        .onSuccess: [("back", HookRule(.recovered))],
      ])
    var hourly = try Self.job(
      "report", every: 3600,
      [
        .onFailure: [("chat", HookRule(.streak(least: 1)))],
        .onStale: [("once", HookRule()), ("reminder", HookRule(.every, interval: .seconds(3600)))],
        .onRecover: [("chat", HookRule())],
      ])
    hourly.policies.freshFor = .seconds(9000)
    var day = Day()
    day.world.start([often, hourly])
    day.pass(until: 31_205)
    // In the middle of the series: the slot of 31,230 is missed, that of 31,260 runs.
    day.world.restart([often, hourly], after: .seconds(55))
    day.pass(until: 45_905)
    // In the middle of the staleness.
    day.world.restart([often, hourly], after: .seconds(55))
    day.pass(until: Self.dayEnd)
    #expect(
      day.alarms == [
        "28830 import on_failure chat", "28830 import on_failure hourly",
        "29100 import on_failure page", "30630 import on_failure chat",
        "32430 import on_recover chat", "32430 import on_success back",
        "39600 report on_failure chat", "45000 report on_stale once",
        "45000 report on_stale reminder", "48600 report on_stale reminder",
        "52200 report on_stale reminder", "55800 report on_stale reminder",
        "57600 report on_recover chat",
      ])
  }
}
