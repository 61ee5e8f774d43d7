import Testing

@testable import TaktCore
import TaktTime

/// `expect_success_within`: a job is stale once, and fresh again once.
@Suite struct FreshnessTests: MakesJobs {
  private static let hour = Duration.seconds(3600)

  private struct Shop {
    var world = SchedulerWorld()
    /// The ends of the job's runs.
    var result = AttemptResult.exited(0)

    /// A day and an hour after the start.
    static func afterADay(of spec: JobSpec) -> Shop {
      var shop = Shop()
      shop.world.start([spec])
      shop.pass(hour * 25)
      return shop
    }

    mutating func pass(_ duration: Duration) {
      let end = world.now.monotonic + duration
      while world.now.monotonic < end {
        world.pass(min(.seconds(60), end - world.now.monotonic))
        let ended = world.running
        world.running = []
        for run in ended {
          let isHook = world.requests.last { $0.run == run }?.isHook == true
          world.send(.actionEnded(run, AttemptReport(isHook ? .exited(0) : result)))
        }
      }
    }

    /// The hooks that were called, with the hours since the beginning.
    var hooks: [String] {
      world.requests.compactMap { request in
        request.facts.map {
          "\($0.hook.rawValue) \((request.slot - SchedulerWorld.wall).milliseconds / 3_600_000)"
        }
      }
    }

    var staleSince: WallInstant? {
      JobName("a").flatMap { world.core.view(of: $0, at: world.now)?.staleSince }
    }
  }

  private func job(
    every hours: Int64 = 24, within: Int64 = 26, repeats: Duration? = nil,
    _ change: (inout JobSpec) -> Void = { _ in }
  ) throws -> JobSpec {
    var spec = try job("a", Schedule(every: Every(Self.hour * Int(hours))))
    spec.policies.freshFor = Self.hour * Int(within)
    spec.hooks[.onStale] = [Step(.use("log", [:]), rule: HookRule(.every, interval: repeats))]
    spec.hooks[.onRecover] = [Step(.use("log", [:]))]
    change(&spec)
    return spec
  }

  @Test func `a job that fails is stale once, and fresh again once`() throws {
    var shop = Shop()
    shop.world.start([try job()])
    shop.pass(Self.hour * 49)
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
    shop.result = .exited(1)
    shop.pass(Self.hour * 100)
    // The last success was that of hour 48.
    #expect(shop.hooks == ["on_stale 74"])
    #expect(shop.staleSince.map { ($0 - SchedulerWorld.wall).milliseconds / 3_600_000 } == 74)
    shop.result = .exited(0)
    shop.pass(Self.hour * 48)
    #expect(shop.hooks == ["on_stale 74", "on_recover 168"] && shop.staleSince == nil)
    shop.result = .exited(1)
    shop.pass(Self.hour * 60)
    #expect(shop.hooks.filter { $0.hasPrefix("on_stale") }.count == 2)
  }

  @Test func `a restart of takt neither repeats the alarm nor forgets the recovery`() throws {
    let spec = try job()
    var shop = Shop()
    shop.result = .exited(1)
    shop.world.start([spec])
    shop.pass(Self.hour * 30)
    #expect(shop.hooks == ["on_stale 26"])
    for _ in 0..<3 {
      shop.world.restart([spec], after: Self.hour)
      shop.pass(Self.hour * 2)
    }
    #expect(shop.hooks == ["on_stale 26"] && shop.staleSince != nil)
    shop.result = .exited(0)
    shop.world.restart([spec], after: Self.hour)
    shop.pass(Self.hour * 24)
    #expect(shop.hooks.count == 2 && shop.hooks[1].hasPrefix("on_recover"))
    #expect(shop.staleSince == nil)
  }

  @Test func `an alarm that the end of takt cut off is sent at its next start, once`() throws {
    let spec = try job()
    var shop = Shop()
    shop.world.start([spec])
    // Nothing ends, the hook neither.
    shop.world.pass(Self.hour * 26)
    #expect(shop.hooks == ["on_stale 26"])
    shop.result = .exited(1)
    shop.world.restart([spec], after: Self.hour)
    #expect(shop.hooks == ["on_stale 26", "on_stale 27"])
    shop.pass(Self.hour)
    for _ in 0..<3 {
      shop.world.restart([spec], after: Self.hour)
      shop.pass(Self.hour)
    }
    #expect(shop.hooks.count == 2)
  }

  @Test func `after an absence of takt the job has one more chance`() throws {
    let spec = try job()
    var shop = Shop.afterADay(of: spec)
    // The slots of three days passed meanwhile; the newest runs late.
    shop.world.restart([spec], after: Self.hour * 80)
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
    shop.pass(Self.hour * 24)
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
  }

  @Test func `a chance that fails after an absence makes the job stale at once`() throws {
    let spec = try job()
    var shop = Shop.afterADay(of: spec)
    shop.world.restart([spec], after: Self.hour * 80)
    shop.result = .exited(1)
    shop.pass(Self.hour)
    #expect(shop.hooks == ["on_stale 105"])
  }

  @Test func `restarts do not put the alarm off again and again`() throws {
    // No slot of it ever runs.
    let spec = try job { $0.missed.choice = .skip }
    var shop = Shop.afterADay(of: spec)
    shop.result = .exited(1)
    for _ in 0..<4 {
      shop.world.restart([spec], after: Self.hour * 23)
      shop.pass(.seconds(60))
    }
    #expect(shop.hooks.filter { $0.hasPrefix("on_stale") }.count == 1)
  }

  @Test func `a suspended job is not stale, and counts from its resumption`() throws {
    var shop = Shop.afterADay(of: try job())
    let name = try #require(JobName("a"))
    _ = shop.world.perform(.suspend(name, until: nil, reason: ""))
    shop.pass(Self.hour * 100)
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
    _ = shop.world.perform(.resume(name))
    shop.pass(Self.hour * 2)
    #expect(shop.hooks.isEmpty)
    shop.pass(Self.hour * 48)
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
  }

  @Test func `a failure right after a resumption is not a staleness yet`() throws {
    var shop = Shop.afterADay(of: try job())
    let name = try #require(JobName("a"))
    _ = shop.world.perform(.suspend(name, until: nil, reason: ""))
    shop.pass(Self.hour * 100)
    _ = shop.world.perform(.resume(name))
    shop.result = .exited(1)
    shop.pass(Self.hour * 25)
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
    shop.pass(Self.hour * 2)
    #expect(shop.hooks == ["on_stale 151"])
  }

  @Test func `an absence right after a resumption leaves the job its chance`() throws {
    let spec = try job { $0.missed.choice = .skip }
    var shop = Shop.afterADay(of: spec)
    let name = try #require(JobName("a"))
    _ = shop.world.perform(.suspend(name, until: nil, reason: ""))
    shop.pass(Self.hour * 100)
    _ = shop.world.perform(.resume(name))
    shop.world.restart([spec], after: Self.hour * 30)
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
    shop.pass(Self.hour * 24)
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
  }

  @Test func `repeat reminds of a staleness for as long as it lasts`() throws {
    var shop = Shop()
    shop.result = .exited(1)
    shop.world.start([try job(repeats: Self.hour * 12)])
    shop.pass(Self.hour * 53)
    #expect(shop.hooks == ["on_stale 26", "on_stale 38", "on_stale 50"])
  }

  @Test func `a longer limit in the file ends the staleness, and none forgets it`() throws {
    let spec = try job()
    var shop = Shop()
    shop.result = .exited(1)
    shop.world.start([spec])
    shop.pass(Self.hour * 30)
    #expect(shop.staleSince != nil)
    shop.world.reload([spec], to: [try job(within: 48)])
    #expect(shop.staleSince == nil)
    shop.pass(Self.hour * 20)
    #expect(shop.hooks == ["on_stale 26", "on_stale 48"])
    shop.world.reload([try job(within: 48)], to: [try job { $0.policies.freshFor = nil }])
    #expect(shop.staleSince == nil)
  }

  @Test func `a clock that is set far ahead is an absence, not a staleness`() throws {
    var shop = Shop.afterADay(of: try job())
    shop.world.now.wall = shop.world.now.wall + Self.hour * 300
    shop.world.send(.clockStepped(slept: .zero))
    #expect(shop.hooks.isEmpty && shop.staleSince == nil)
  }
}
