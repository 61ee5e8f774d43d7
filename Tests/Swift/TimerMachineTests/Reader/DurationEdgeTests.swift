import Dispatch
import Foundation
import Testing
import TimerMachine
import TimerMachineTesting

/// Zero, negative and huge durations, and what is no number, at each public entry that takes one.
struct DurationEdgeTests {
  private let time = ManualTimerFactory()
  private let queue = DispatchQueue(label: "unused")

  static let odd: [Duration] = [
    .zero, .seconds(-1), .seconds(Int64.min), .seconds(Int64.max), .nanoseconds(1),
    Duration(secondsComponent: 0, attosecondsComponent: 1),
  ]

  @Test(arguments: odd)
  func `every never spins`(interval: Duration) throws {
    let timer = SafeTimer.every(interval, factory: time) {}
    let deadline = try #require(timer.deadline)
    let wait = deadline - time.clock.monotonic
    #expect(wait >= (interval == .nanoseconds(1) ? .nanoseconds(1) : .milliseconds(1)))
    #expect(wait <= TimerSchedule.longest)
    #expect(TimerSchedule.every(clamping: interval).interval == wait)
  }

  @Test func `an interval of zero fires a thousand times a second, not as often as it can`() async {
    var fires = 0
    let start = time.clock.monotonic
    let ticks = SafeTimer.ticks(every: .zero, factory: time)
    time.advance(by: .milliseconds(100))
    for await _ in ticks {
      fires += 1
      if fires == 100 { break }
    }
    #expect(fires == 100)
    #expect(time.clock.monotonic - start == .milliseconds(100))
  }

  @Test(arguments: odd)
  func `once, rates, countdowns, clocks and armings take them`(duration: Duration) async throws {
    let once = SafeTimer.once(after: duration, leeway: duration, factory: time) {}
    #expect(try #require(once.deadline) >= time.clock.monotonic)
    let saver = Debouncer(
      clamping: duration, longestWait: duration, leeway: duration, factory: time)
    saver.call {}
    saver.change(delay: duration, longestWait: duration)
    saver.cancel()
    let throttle = Throttle(clamping: duration, leeway: duration, factory: time)
    throttle.call {}
    throttle.cancel()
    let countdown = Countdown(
      clamping: duration, tick: duration, leeway: duration, factory: time)
    countdown.start()
    #expect(countdown.remaining > .zero)
    countdown.cancel()
    once.fireNow(atMostEvery: duration)
    once.cancel()
    let arming = TimerArming(deadline: .distantFuture, leeway: duration, ticket: 1)
    #expect(arming.leeway >= .zero)
    let adapter = DispatchTimerFactory().makeAdapter(queue: queue) { _ in }
    adapter.arm(arming)
    adapter.disarm()
    let clock = TimerClock(factory: time, tolerance: duration)
    let sleeper = Task { try await clock.sleep(until: clock.now + duration, tolerance: duration) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `a date comes and goes as seconds since 1970`() {
    let date = Date(timeIntervalSince1970: 1_798_761_600.123_456)
    let instant = WallInstant(secondsSince1970: date.timeIntervalSince1970)
    #expect(abs(instant.nanoseconds - 1_798_761_600_123_456_000) < 240)
    #expect(Date(timeIntervalSince1970: instant.secondsSince1970) == date)
    let early = WallInstant(nanoseconds: -1_500_000_000)
    #expect(early.secondsSince1970 == -1.5)
    #expect(WallInstant(secondsSince1970: -1.5) == early)
    for seconds in [Double.nan, .infinity, 1e300] {
      #expect(WallInstant(secondsSince1970: seconds).nanoseconds == .max)
    }
    #expect(WallInstant(secondsSince1970: -.infinity).nanoseconds == .min)
  }
}
