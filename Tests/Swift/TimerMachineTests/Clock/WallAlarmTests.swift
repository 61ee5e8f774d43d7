import Dispatch
import TaktTime
import Testing
import TimerMachine
import TimerMachineTesting

/// Timers on the wall clock where the system reports neither steps nor sleeps.
struct WallAlarmTests {
  /// The system's clocks, without the reports of steps that Linux makes.
  private struct Unwatched: SteppingTimeSource {
    private let system = SystemTimeSource()
    var wall: WallInstant { system.wall }
    var monotonic: MonotonicInstant { system.monotonic }
    var slept: Duration { system.slept }

    func onClockStep(_ handler: @escaping @Sendable () -> Void) -> ClockStepSubscription {
      ClockStepSubscription(isWatching: false) {}
    }
  }

  /// Serves what is due when it is armed, and nothing later: as if the machine slept until after
  /// each deadline, since the clock under the alarms stands still meanwhile.
  private final class SleepingFactory: TimerFactory {
    let time: any TimeSource = Unwatched()

    func makeAdapter(
      queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
    ) -> any TimerAdapter {
      Adapter(time: time, queue: queue, onDue: onDue)
    }

    private final class Adapter: TimerAdapter {
      let time: any TimeSource
      let queue: DispatchQueue
      let onDue: @Sendable (UInt64) -> Void

      init(time: any TimeSource, queue: DispatchQueue, onDue: @escaping @Sendable (UInt64) -> Void)
      {
        self.time = time
        self.queue = queue
        self.onDue = onDue
      }

      func arm(_ arming: TimerArming) {
        guard arming.deadline <= time.monotonic else { return }
        queue.async { [onDue] in onDue(arming.ticket) }
      }

      func disarm() {}

      func perform(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
    }
  }

  private let queue = DispatchQueue(label: "awake")
  private let log = FireLog()

  private func machine(_ factory: some TimerFactory) -> SafeTimer {
    SafeTimer(name: "subject", factory: factory, queue: queue) { [log] in log.record($0) }
  }

  private func waitForLast() {
    while log.fires.last?.isLast != true, log.waitForArrival() {}
  }

  @Test func `an alarm on the wall clock rings at its instant, and not before`() {
    let rung = DispatchSemaphore(value: 0)
    let alarm = WallAlarm { rung.signal() }
    let due = SystemTimeSource().wall + .milliseconds(30)
    alarm.set(WallInstant(nanoseconds: .max))
    alarm.set(due)
    #expect(rung.wait(timeout: .now() + 10) == .success)
    #expect(SystemTimeSource().wall >= due)
    alarm.set(nil)
    alarm.set(WallInstant(nanoseconds: 0))
    #expect(rung.wait(timeout: .now() + 10) == .success)
  }

  @Test func `a wall deadline that passes during sleep is due right after it`() throws {
    let machine = machine(SleepingFactory())
    let start = SystemTimeSource().wall + .milliseconds(20)
    _ = machine.activate(try .every(.milliseconds(20), startingAtWall: start, times: 3))
    waitForLast()
    #expect(log.count == 3)
    #expect(machine.state == .cancelled)
  }

  @Test func `a deadline that counts sleep is due right after it`() {
    let machine = machine(SleepingFactory())
    _ = machine.activate(
      .once(afterClamping: .milliseconds(20), leeway: .milliseconds(1)).countingSleep())
    waitForLast()
    #expect((log.count, machine.state) == (1, .cancelled))
  }

  @Test func `a timer that was suspended finds its wall deadline again`() throws {
    let machine = machine(SleepingFactory())
    _ = machine.activate(try .once(atWall: SystemTimeSource().wall + .milliseconds(20)))
    machine.suspend()
    machine.resume()
    waitForLast()
    #expect((log.count, machine.state) == (1, .cancelled))
  }

  @Test func `a wall timer fires once where both of its alarms ring`() throws {
    let factory = CoalescingTimerFactory(queue: queue, time: Unwatched())
    let machine = machine(factory)
    let start = SystemTimeSource().wall + .milliseconds(10)
    _ = machine.activate(
      try .every(.milliseconds(10), startingAtWall: start, leeway: .milliseconds(2), times: 10))
    waitForLast()
    #expect(log.fires.map(\.sequence) == Array(1...10))
    #expect(machine.state == .cancelled)
  }
}
