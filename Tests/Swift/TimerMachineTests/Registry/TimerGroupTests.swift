import Dispatch
import Testing
import TimerMachineTesting

@testable import TimerMachine

struct TimerGroupTests {
  private final class Fires: Sendable {
    let numbers = Guarded<[UInt64]>([])
  }

  @Test func `machines of a group share a handler and differ in their numbers`() throws {
    let manual = ManualTimerFactory()
    let queue = DispatchQueue(label: "group")
    let fires = Fires()
    let transitions = TransitionLog()
    let group = TimerGroup(
      name: "jobs", factory: CoalescingTimerFactory(queue: queue, over: manual), queue: queue,
      observer: transitions
    ) { number, _ in fires.numbers.withLock { $0.append(number) } }
    let machines = [3, 1, 2].map { SafeTimer(number: $0, in: group) }
    for machine in machines {
      _ = machine.setSchedule(try .once(after: .seconds(Int64(machine.id))))
    }
    // The last one again, before its time has come.
    _ = machines[2].setSchedule(try .once(after: .seconds(9)))
    manual.advance(by: .seconds(20))
    #expect(fires.numbers.withLock { $0 } == [1, 3, 2])
    #expect(machines.map(\.name) == ["jobs", "jobs", "jobs"])
    #expect(
      transitions.transitions.filter { $0.machine == 2 }.map(\.event)
        == [.activate, .reschedule, .fire])
  }

  @Test func `a machine of a group may have a handler of its own instead`() throws {
    let manual = ManualTimerFactory()
    let fires = Fires()
    let group = TimerGroup(
      name: "jobs", factory: manual, queue: DispatchQueue(label: "group"), observer: nil
    ) { number, _ in fires.numbers.withLock { $0.append(number) } }
    let machines = [1, 2].map { SafeTimer(number: $0, in: group) }
    machines[0].setHandler(TimerHandler.main) { _ in fires.numbers.withLock { $0.append(100) } }
    for machine in machines { _ = machine.setSchedule(try .once(after: .seconds(1))) }
    manual.advance(by: .seconds(2))
    #expect(fires.numbers.withLock { $0 } == [100, 2])
    machines[0].removeHandler(TimerHandler.main)
    _ = machines[0].setSchedule(try .once(after: .seconds(1)))
    manual.advance(by: .seconds(2))
    #expect(fires.numbers.withLock { $0 } == [100, 2])
  }
}
