import Dispatch
import TaktTime
import Testing
import TimerMachineTesting

@testable import TimerMachine

struct CoalescingTimerFactoryTests {
  /// Keeps what is armed, and rings as early as it may.
  private final class EagerFactory: TimerFactory {
    let manual = ManualTimerFactory()
    let armings = Guarded<[TimerArming]>([])
    let honorsLeeway = true
    var time: any TimeSource { manual.time }

    func makeAdapter(
      queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
    ) -> any TimerAdapter {
      Adapter(factory: self, inner: manual.makeAdapter(queue: queue, onDue: onDue))
    }

    private final class Adapter: TimerAdapter {
      private let factory: EagerFactory
      private let inner: any TimerAdapter

      init(factory: EagerFactory, inner: any TimerAdapter) {
        self.factory = factory
        self.inner = inner
      }

      func arm(_ arming: TimerArming) {
        factory.armings.withLock { $0.append(arming) }
        inner.arm(arming)
      }

      func disarm() { inner.disarm() }

      func perform(_ work: @escaping @Sendable () -> Void) { inner.perform(work) }
    }
  }

  @Test func `an alarm that may share wake-ups of the system is given the window`() throws {
    let eager = EagerFactory()
    let queue = DispatchQueue(label: "wakes")
    let factory = CoalescingTimerFactory(queue: queue, over: eager)
    let fires = FireLog()
    let machines = try [(10, 10), (12, 1), (60, 0)].map { due, leeway in
      let machine = SafeTimer(name: "\(due)", factory: factory, queue: queue) { fires.record($0) }
      _ = machine.activate(try .once(after: .seconds(due), leeway: .seconds(leeway)))
      return machine
    }
    // The window of the one that cannot wait longer, less the guard.
    let window = eager.armings.withLock { $0.last }
    #expect(window?.deadline.nanoseconds == 12_000_000_000)
    #expect(window?.leeway == .milliseconds(995))
    eager.manual.advance(by: .seconds(12))
    #expect(fires.fires.map(\.lateness) == [.seconds(2), .zero])
    eager.manual.advance(by: .seconds(48))
    #expect(fires.fires.map(\.lateness) == [.seconds(2), .zero, .zero])
    #expect(factory.statistics.wakes == 2)
    withExtendedLifetime(machines) {}
  }

  @Test func `a window that is open already is left to its end`() throws {
    let eager = EagerFactory()
    let queue = DispatchQueue(label: "wakes")
    let factory = CoalescingTimerFactory(queue: queue, over: eager)
    let machine = SafeTimer(name: "", factory: factory, queue: queue) { _ in }
    _ = machine.activate(try .once(after: .zero, leeway: .milliseconds(10)))
    let arming = eager.armings.withLock { $0.last }
    #expect(arming?.deadline.nanoseconds == 9_000_000)
    #expect(arming?.leeway == .zero)
  }

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

    _ = machine?.activate(try .every(.seconds(1)))
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
      _ = machine.activate(try .every(.seconds(1)))
      held.withLock { $0 = machine }
      return factory.wakeQueue
    }()
    #expect(wakes != nil)
    manual.advance(by: .seconds(1))
    #expect(wakes == nil)
    #expect(manual.armedCount == 0)
  }
}
