import Testing
import TimerMachine
import TimerMachineTesting

/// Tries until it works. The handler gets its timer, and ends it.
private func retry(
  every interval: Duration, factory: any TimerFactory = CoalescingTimerFactory.shared,
  _ attempt: @escaping @Sendable (_ number: UInt64) -> Bool
) -> SafeTimer {
  SafeTimer.every(interval, name: "retry", factory: factory) { timer, fire in
    if attempt(fire.sequence) { timer.cancel() }
  }
}

struct CancelInTheHandlerTests {
  @Test func `a handler ends its own timer`() {
    let time = ManualTimerFactory()
    let notes = Notes()
    let timer = retry(every: .seconds(5), factory: time) { number in
      notes.note("try \(number)")
      return number == 3
    }
    time.advance(by: .seconds(600))
    #expect(notes.all == ["try 1", "try 2", "try 3"])
    #expect(timer.state == .cancelled && time.armedCount == 0)
  }

  @Test func `a handler that waits for its own end is not blocked`() {
    let time = ManualTimerFactory()
    let timer = SafeTimer.every(.seconds(1), factory: time) { timer, _ in timer.cancelAndWait() }
    time.advance(by: .seconds(60))
    #expect(timer.state == .cancelled && timer.claims == 1)
  }
}
