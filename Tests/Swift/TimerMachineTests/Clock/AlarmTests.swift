import Dispatch
import Synchronization
import TaktTime
import Testing
import TimerMachine

@Suite struct AlarmTests {
  private let time = SystemTimeSource()
  private let rung = DispatchSemaphore(value: 0)

  private func alarm() -> Alarm { Alarm(name: "test") { [rung] in rung.signal() } }

  @Test func `an alarm rings once for each setting, and not before its instant`() {
    let alarm = alarm()
    let due = time.monotonic + .milliseconds(30)
    alarm.set(due)
    #expect(rung.wait(timeout: .now() + 10) == .success)
    #expect(time.monotonic >= due)
    #expect(rung.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    alarm.set(MonotonicInstant(nanoseconds: -1))
    #expect(rung.wait(timeout: .now() + 10) == .success)
  }

  @Test func `the last setting counts`() {
    let alarm = alarm()
    alarm.set(after: .seconds(3_600))
    alarm.set(after: .milliseconds(1))
    #expect(rung.wait(timeout: .now() + 10) == .success)
    alarm.set(after: .milliseconds(50))
    alarm.set(nil)
    #expect(rung.wait(timeout: .now() + .milliseconds(150)) == .timedOut)
  }

  @Test func `a handler may set its alarm`() {
    let rings = Atomic<Int>(0)
    let holder = Mutex<Alarm?>(nil)
    let alarm = Alarm(name: "test") { [rung] in
      if rings.wrappingAdd(1, ordering: .relaxed).newValue == 3 {
        rung.signal()
      } else {
        holder.withLock { $0 }?.set(after: .milliseconds(1))
      }
    }
    holder.withLock { $0 = alarm }
    alarm.set(after: .zero)
    #expect(rung.wait(timeout: .now() + 10) == .success)
    holder.withLock { $0 = nil }
  }

  @Test func `an alarm that is gone does not ring, and holds nothing`() throws {
    final class Held: Sendable {}
    weak var held: Held?
    do {
      let object = Held()
      held = object
      let alarm = Alarm(name: "test") { [rung] in
        _ = object
        rung.signal()
      }
      alarm.set(after: .milliseconds(20))
    }
    #expect(rung.wait(timeout: .now() + .milliseconds(200)) == .timedOut)
    for _ in 0..<1_000 where held != nil { _ = rung.wait(timeout: .now() + .milliseconds(1)) }
    #expect(held == nil)
  }
}
