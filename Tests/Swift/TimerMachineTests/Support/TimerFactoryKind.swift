import Dispatch
import TimerMachine
import TimerMachineTesting

/// The factories that the contract runs against.
enum TimerFactoryKind: String, CaseIterable, Sendable {
  case dispatch, alarm, coalescing, coalescingOverAlarm, coalescingForeignQueue
  case coalescingOverManual, manual

  static let real: [TimerFactoryKind] = [
    .dispatch, .alarm, .coalescing, .coalescingOverAlarm, .coalescingForeignQueue,
  ]

  func makeBench() -> TimerTestBench {
    let queue = DispatchQueue(label: "bench")
    switch self {
    case .dispatch:
      return TimerTestBench(factory: DispatchTimerFactory(), queue: queue)
    case .alarm:
      return TimerTestBench(factory: Self.alarms(on: queue), queue: queue)
    case .coalescingOverAlarm:
      let factory = CoalescingTimerFactory(queue: queue, over: Self.alarms(on: queue))
      return TimerTestBench(factory: factory, queue: queue)
    case .coalescing:
      return TimerTestBench(factory: CoalescingTimerFactory(queue: queue), queue: queue)
    case .coalescingForeignQueue:
      let factory = CoalescingTimerFactory(queue: DispatchQueue(label: "wakes"))
      return TimerTestBench(factory: factory, queue: queue)
    case .coalescingOverManual:
      let manual = ManualTimerFactory()
      let factory = CoalescingTimerFactory(queue: queue, over: manual)
      return TimerTestBench(factory: factory, queue: queue) { manual.advanceToNext() }
    case .manual:
      return .manual()
    }
  }

  private static func alarms(on queue: DispatchQueue) -> AlarmTimerFactory {
    AlarmTimerFactory(name: "alarm") { queue.sync(execute: $0) }
  }
}
