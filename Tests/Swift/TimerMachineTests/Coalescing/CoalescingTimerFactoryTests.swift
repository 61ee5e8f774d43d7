import Dispatch
import TaktTime
import Testing
import TimerMachineTesting

@testable import TimerMachine

struct CoalescingTimerFactoryTests {
  @Test func `a factory lives as long as what was made with it, and its wake queue no longer`()
    throws
  {
    let manual = ManualTimerFactory()
    let queue = DispatchQueue(label: "wakes")
    var factory: CoalescingTimerFactory? = CoalescingTimerFactory(queue: queue, over: manual)
    weak let wakes = factory?.wakeQueue
    let fires = FireLog()
    var machine = factory.map {
      SafeTimer(name: "", factory: $0, queue: queue) { fires.record($0) }
    }
    let dues = Guarded(0)
    var adapter = factory?.makeAdapter(queue: queue) { _ in dues.withLock { $0 += 1 } }
    factory = nil

    machine?.activate(try .every(.seconds(1)))
    adapter?.arm(TimerArming(deadline: manual.time.monotonic + .seconds(2), ticket: 1))
    manual.advance(by: .seconds(3))
    #expect(fires.count == 3)
    #expect(dues.withLock { $0 } == 1)

    machine = nil
    #expect(wakes != nil)
    adapter = nil
    #expect(wakes == nil)
    #expect(manual.armedCount == 0)
  }

  @Test func `a factory may go with its last machine in a wake of its own`() throws {
    let manual = ManualTimerFactory()
    let queue = DispatchQueue(label: "wakes")
    let held = Guarded<SafeTimer?>(nil)
    weak let wakes = try {
      let factory = CoalescingTimerFactory(queue: queue, over: manual)
      let machine = SafeTimer(name: "", factory: factory, queue: queue) { _ in
        _ = held.withLock { $0.take() }
      }
      machine.activate(try .every(.seconds(1)))
      held.withLock { $0 = machine }
      return factory.wakeQueue
    }()
    #expect(wakes != nil)
    manual.advance(by: .seconds(1))
    #expect(wakes == nil)
    #expect(manual.armedCount == 0)
  }
}
