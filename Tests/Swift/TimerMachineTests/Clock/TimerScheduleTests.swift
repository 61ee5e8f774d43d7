import Testing
import TimerMachine
import TimerMachineTesting
import TaktTime

struct TimerScheduleTests {
  private let end = ManualClock(monotonic: .distantFuture)
  private let start = MonotonicInstant(nanoseconds: 1_000)

  @Test(arguments: [
    Duration.zero, .nanoseconds(-1), .seconds(-1), .seconds(Int64.min), .nanoseconds(0.4),
  ])
  func `an interval that would spin or trap is refused`(interval: Duration) {
    #expect(throws: TimerError.intervalNotPositive(interval)) {
      try TimerSchedule.every(interval, startingAt: start)
    }
    #expect(throws: TimerError.intervalNotPositive(interval)) {
      try TimerSchedule.every(interval)
    }
  }

  @Test(arguments: [Duration.seconds(Int64.max), TimerSchedule.longest + .nanoseconds(1)])
  func `what is beyond the clock is refused`(length: Duration) {
    #expect(throws: TimerError.intervalTooLong(length)) {
      try TimerSchedule.every(length, startingAt: start)
    }
    #expect(throws: TimerError.leewayTooLong(length)) {
      try TimerSchedule.once(at: start, leeway: length)
    }
    #expect(throws: TimerError.delayTooLong(length)) { try TimerSchedule.once(after: length) }
  }

  @Test func `negative leeways, delays and counts are refused`() {
    #expect(throws: TimerError.leewayNegative(.nanoseconds(-1))) {
      try TimerSchedule.once(at: start, leeway: .nanoseconds(-1))
    }
    #expect(throws: TimerError.delayNegative(.seconds(-1))) {
      try TimerSchedule.once(after: .seconds(-1))
    }
    #expect(throws: TimerError.timesNotPositive(0)) {
      try TimerSchedule.every(.seconds(1), startingAt: start, times: 0)
    }
  }

  @Test func `a number of seconds is checked before Duration sees it`() throws {
    #expect(try TimerSchedule.duration(seconds: 1.5) == .milliseconds(1500))
    for wrong in [Double.nan, .infinity, -.infinity] {
      #expect(throws: TimerError.self) { try TimerSchedule.duration(seconds: wrong) }
    }
    #expect(throws: TimerError.secondsOutOfRange(1e12)) {
      try TimerSchedule.duration(seconds: 1e12)
    }
  }

  @Test func `a schedule says what it was made of`() throws {
    let schedule = try TimerSchedule.every(
      .seconds(2), startingAt: start, leeway: .milliseconds(5), times: 7)
    #expect(schedule.interval == .seconds(2))
    #expect(schedule.leeway == .milliseconds(5))
    #expect(schedule.times == 7)
    #expect(schedule.firstDeadline(activatedAt: end) == start)
    let relative = try TimerSchedule.every(.seconds(2))
    #expect(relative.times == nil)
    #expect(
      relative.firstDeadline(activatedAt: ManualClock(monotonic: start)) == start + .seconds(2))
    #expect(try TimerSchedule.once(at: start).interval == nil)
  }

  @Test func `the longest interval at the end of time stays within the clock`() throws {
    let schedule = try TimerSchedule.every(
      TimerSchedule.longest, after: TimerSchedule.longest, leeway: TimerSchedule.longest)
    #expect(schedule.firstDeadline(activatedAt: end) == .distantFuture)
  }
}
