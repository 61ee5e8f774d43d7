import Dispatch
import Testing
import TimerMachine
import TimerMachineTesting

/// Sixty timers of a minute that begin a second apart, and may each be a minute late.
private func cleaners(_ factory: any TimerFactory, _ queue: DispatchQueue) throws -> [SafeTimer] {
  try (0..<60).map { number in
    let timer = SafeTimer(name: "cleaner \(number)", factory: factory, queue: queue)
    timer.activate(
      try .every(.seconds(60), after: .seconds(number + 1), leeway: .seconds(59))
    ) {}
    return timer
  }
}

struct SharedLeewayTests {
  @Test func `timers with leeway share their wake-ups, and none is early or too late`() throws {
    let time = ManualTimerFactory()
    let queue = DispatchQueue(label: "cleaners")
    let factory = CoalescingTimerFactory(queue: queue, over: time)
    let timers = try cleaners(factory, queue)
    time.advance(by: .seconds(600))
    let statistics = factory.statistics
    #expect(statistics.served >= 60 * 9)
    #expect(statistics.wakes <= 11)
    #expect(timers.allSatisfy { $0.claims >= 9 })
  }
}
