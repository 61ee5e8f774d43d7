import Heartbeat
import Testing
import TimerMachine
import TimerMachineTesting

struct HeartbeatTests {
  private let time = ManualTimerFactory()

  @Test func `an hour without a beat is seen in a moment`() async {
    let monitor = Monitor()
    await monitor.watch(every: .seconds(60), factory: time)
    time.advance(by: .seconds(60))
    await monitor.rest()
    #expect(await monitor.missed == 1)
  }

  @Test func `pauses grow, and no test waits for them`() async throws {
    struct Failure: Error {}
    let clock = TimerClock(factory: time)
    let start = clock.now
    let (attempts, attempt) = AsyncStream.makeStream(of: MonotonicInstant.self)
    let task = Task {
      try await retrying(on: clock, attempts: 3) {
        attempt.yield(clock.now)
        throw Failure()
      }
    }
    var instants: [Duration] = []
    for await instant in attempts {
      instants.append(start.duration(to: instant))
      if instants.count == 3 { break }
      while !time.advanceToNext() { await Task.yield() }
    }
    #expect(instants == [.zero, .seconds(1), .seconds(3)])
    await #expect(throws: Failure.self) { try await task.value }
  }

  @Test func `a heartbeat is one line`() {
    let heartbeat = startHeartbeat()
    #expect(heartbeat.state == .running)
    heartbeat.cancel()
  }
}
