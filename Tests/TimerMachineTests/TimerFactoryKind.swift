import Dispatch
import TimerMachine
import TimerMachineTesting

/// The factories that the contract runs against.
enum TimerFactoryKind: String, CaseIterable, Sendable {
  case dispatch, coalescing, coalescingForeignQueue, coalescingOverManual, manual

  static let real: [TimerFactoryKind] = [.dispatch, .coalescing, .coalescingForeignQueue]

  func makeBench() -> TimerTestBench {
    let queue = DispatchQueue(label: "bench")
    switch self {
    case .dispatch:
      return TimerTestBench(factory: DispatchTimerFactory(), queue: queue)
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
}
