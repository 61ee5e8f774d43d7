import Testing
import TimerMachine
import TimerMachineTesting

/// A screen that comes and goes. The one timer is ended and started again each time.
private final class Screen: Sendable {
  private let timer: SafeTimer
  private let log: Notes

  init(log: Notes, factory: any TimerFactory = CoalescingTimerFactory.shared) {
    self.log = log
    timer = SafeTimer(factory: factory)
  }

  func appear() {
    timer.activate(.every(clamping: .seconds(1))) { [weak self] in self?.log.note("refreshed") }
  }

  func disappear() { timer.cancel() }
}

struct ReactivationTests {
  @Test func `a timer that was cancelled is used again, any number of times`() {
    let time = ManualTimerFactory()
    let log = Notes()
    let screen = Screen(log: log, factory: time)
    for _ in 1...3 {
      screen.appear()
      time.advance(by: .seconds(2))
      screen.disappear()
      time.advance(by: .seconds(60))
    }
    #expect(log.all.count == 6 && time.armedCount == 0)
  }

  @Test func `the last handler call may start its timer again`() throws {
    let time = ManualTimerFactory()
    let delays = Notes()
    let timer = SafeTimer(factory: time)
    timer.activate(try .once(after: .seconds(1))) { timer, fire in
      delays.note("\(fire.sequence)")
      // Twice as long each time. It keeps its handler, since it has ended by itself.
      let next = TimerSchedule.once(afterClamping: .seconds(1 << fire.sequence))
      if fire.sequence < 4 { _ = timer.activate(next) }
    }
    time.advance(by: .seconds(15))
    #expect(delays.all == ["1", "2", "3", "4"] && timer.state == .cancelled)
  }
}
