import Dispatch
import Testing
import TimerMachine
import TimerMachineTesting
import TaktTime

/// The whole wake queue in virtual time against the fewest wakes that its windows allow.
struct WakeOptimumTests {
  enum Workload: String, CaseIterable, Sendable {
    case randomPhases, longIntervals, wholeSeconds, mixedLeeways, oneShots
  }

  private struct Job {
    var start: Int64
    var interval: Int64
    var leeway: Int64
    var times: Int
  }

  private static let horizon: Int64 = 120_000_000_000

  private func jobs(_ workload: Workload) -> [Job] {
    var generator = SeededGenerator(seed: 9)
    let second: Int64 = 1_000_000_000
    return (0..<300).map { _ in
      let phase = Int64.random(in: 0..<10 * second, using: &generator)
      switch workload {
      case .randomPhases:
        let interval = Int64.random(in: second / 2..<5 * second, using: &generator)
        return Job(start: phase, interval: interval, leeway: second / 10, times: .max)
      case .longIntervals:
        let interval = Int64.random(in: 10 * second..<120 * second, using: &generator)
        return Job(start: phase * 5, interval: interval, leeway: second, times: .max)
      case .wholeSeconds:
        let interval = Int64.random(in: 1..<60, using: &generator) * second
        return Job(start: phase / second * second, interval: interval, leeway: 0, times: .max)
      case .mixedLeeways:
        let interval = Int64.random(in: second..<20 * second, using: &generator)
        let leeway = Int64.random(in: 0..<interval / 2, using: &generator)
        return Job(start: phase, interval: interval, leeway: leeway, times: .max)
      case .oneShots:
        let leeway = Int64.random(in: 0..<2 * second, using: &generator)
        return Job(start: phase * 10, interval: second, leeway: leeway, times: 1)
      }
    }
  }

  /// The fewest moments that touch every window that closes within the horizon: always the end of
  /// the window that closes first among those not touched.
  private func optimum(_ jobs: [Job]) -> Int {
    var windows: [(due: Int64, latest: Int64)] = []
    for job in jobs {
      var due = job.start
      var left = job.times
      while left > 0 {
        let latest = due + job.leeway - min(5_000_000, job.leeway / 10)
        if latest > Self.horizon { break }
        windows.append((due, latest))
        due += job.interval
        left -= 1
      }
    }
    var wakes = 0
    var last = Int64.min
    for window in windows.sorted(by: { $0.latest < $1.latest }) where window.due > last {
      last = window.latest
      wakes += 1
    }
    return wakes
  }

  @Test(arguments: Workload.allCases)
  func `the wakes are at most 1.02 times the offline optimum`(workload: Workload) throws {
    let manual = ManualTimerFactory()
    let queue = DispatchQueue(label: "wakes")
    let factory = CoalescingTimerFactory(queue: queue, over: manual)
    let jobs = jobs(workload)
    let late = Guarded(0)
    let machines = try jobs.map { job in
      let latest = Duration.nanoseconds(job.leeway)
      let machine = SafeTimer(name: workload.rawValue, factory: factory, queue: queue) { fire in
        if fire.lateness > latest || fire.periods != 1 { late.withLock { $0 += 1 } }
      }
      let start = MonotonicInstant(nanoseconds: job.start)
      _ = machine.activate(
        job.times == 1
          ? try .once(at: start, leeway: latest)
          : try .every(.nanoseconds(job.interval), startingAt: start, leeway: latest))
      return machine
    }
    manual.advance(to: MonotonicInstant(nanoseconds: Self.horizon))
    let wakes = Double(factory.statistics.wakes)
    let best = Double(optimum(jobs))
    #expect(wakes <= best * 1.02, "\(wakes) wakes, the optimum is \(best)")
    #expect(late.withLock { $0 } == 0)
    #expect(factory.statistics.alarmSettings <= factory.statistics.wakes + UInt64(jobs.count))
    withExtendedLifetime(machines) {}
  }

  @Test func `nothing armed, no wakes`() throws {
    let manual = ManualTimerFactory()
    let queue = DispatchQueue(label: "wakes")
    let factory = CoalescingTimerFactory(queue: queue, over: manual)
    let machine = SafeTimer(name: "idle", factory: factory, queue: queue) { _ in }
    _ = machine.activate(try .every(.seconds(1), leeway: .milliseconds(100)))
    manual.advance(by: .seconds(3))
    let wakes = factory.statistics.wakes
    machine.suspend()
    #expect(manual.armedCount == 0)
    manual.advance(by: .seconds(3_600))
    #expect(factory.statistics.wakes == wakes)
  }
}
