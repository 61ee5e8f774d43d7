import Testing
import TimerMachine
import TimerMachineTesting

/// Signs a user out after half an hour without a touch.
private final class Session: Sendable {
  private let idle: Debouncer
  private let log: Notes

  init(log: Notes, factory: any TimerFactory = CoalescingTimerFactory.shared) {
    self.log = log
    idle = Debouncer(clamping: .seconds(1_800), factory: factory)
  }

  func touched() { idle.call { [log] in log.note("signed out") } }
}

struct VirtualTimeTests {
  @Test func `half an hour without a touch signs the user out`() {
    let time = ManualTimerFactory()
    let log = Notes()
    let session = Session(log: log, factory: time)
    for _ in 1...10 {
      session.touched()
      time.advance(by: .seconds(1_799))
    }
    #expect(log.all.isEmpty)
    time.advance(by: .seconds(1))
    #expect(log.all == ["signed out"])
    #expect(time.clock.monotonic - MonotonicInstant(nanoseconds: 0) == .seconds(17_991))
  }
}
