import Testing
import TimerMachine
import TimerMachineTesting

/// A loop over a timer; it ends with its task.
private func poll(
  every interval: Duration, factory: any TimerFactory = CoalescingTimerFactory.shared,
  body: (UInt64) async -> Bool
) async {
  for await tick in SafeTimer.ticks(every: interval, factory: factory) {
    guard await body(tick.sequence) else { break }
  }
}

struct TicksInALoopTests {
  @Test func `the loop gets each tick, and leaving it ends the timer`() async {
    let time = ManualTimerFactory()
    let notes = Notes()
    let polling = Task {
      await poll(every: .seconds(1), factory: time) { number in
        notes.note("tick \(number)")
        return number < 3
      }
    }
    // Its timer is armed when the task has begun.
    while time.armedCount == 0 { await Task.yield() }
    time.advance(by: .seconds(60))
    await polling.value
    #expect(notes.all == ["tick 1", "tick 2", "tick 3"])
    #expect(time.armedCount == 0)
  }
}
