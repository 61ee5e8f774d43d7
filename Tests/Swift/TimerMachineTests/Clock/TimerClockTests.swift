import Dispatch
import TaktTime
import Testing
import TimerMachine
import TimerMachineTesting

struct TimerClockTests {
  private let manual = ManualTimerFactory()

  private func sleeperIsArmed() async {
    while manual.armedCount == 0 { await Task.yield() }
  }

  @Test func `a task sleeps until virtual time has moved`() async throws {
    let clock = TimerClock(factory: manual)
    let start = clock.now
    let task = Task {
      try await Task.sleep(until: start + .seconds(5), clock: clock)
      return clock.now
    }
    await sleeperIsArmed()
    manual.advance(by: .seconds(5))
    #expect(try await task.value == start + .seconds(5))
    #expect(manual.armedCount == 0)
  }

  @Test func `a sleep ends when its task is cancelled, and leaves nothing armed`() async throws {
    let clock = TimerClock(factory: manual)
    let task = Task { try await clock.sleep(for: .seconds(3_600)) }
    await sleeperIsArmed()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(manual.armedCount == 0)
  }

  @Test func `sleepers of one tolerance share a wake`() async throws {
    let queue = DispatchQueue(label: "wakes")
    let factory = CoalescingTimerFactory(queue: queue, over: manual)
    let clock = TimerClock(factory: factory, tolerance: .seconds(10))
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for second in 1...5 {
        group.addTask { try await clock.sleep(until: start + .seconds(second)) }
      }
      while factory.statistics.armed < 5 { await Task.yield() }
      manual.advanceToNext()
      try await group.waitForAll()
    }
    #expect(factory.statistics.wakes == 1)
  }

  @Test func `what counts sleep is due after it, what does not waits on`() throws {
    let notes = Notes()
    let queue = DispatchQueue(label: "unused")
    let hour = TimerSchedule.once(afterClamping: .seconds(3_600))
    let waking = SafeTimer(name: "waking", factory: manual, queue: queue) { _ in
      notes.note("an hour of waking")
    }
    let counting = SafeTimer(name: "counting", factory: manual, queue: queue) { fire in
      notes.note("an hour since, late \(fire.lateness)")
    }
    _ = waking.activate(hour)
    _ = counting.activate(hour.countingSleep())
    manual.advance(by: .seconds(600))
    manual.clock.sleep(for: .seconds(7_200))
    manual.advance(by: .zero)
    #expect(notes.all == ["an hour since, late 4200.0 seconds"])
    manual.advance(by: .seconds(3_000))
    #expect(notes.all.last == "an hour of waking")
  }
}
