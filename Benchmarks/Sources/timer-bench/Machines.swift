@preconcurrency import Dispatch
import TaktTime
import TimerMachine

/// Machines over one factory.
struct Machines: Subject {
  let name: String
  let peerName: String?
  let queue: DispatchQueue
  let factory: any TimerFactory
  let calls = Counter()
  var machines: [SafeTimer] = []

  /// Over the wake queue.
  static var coalescing: Machines {
    let queue = DispatchQueue(label: "wakes")
    return Machines(
      name: "coalescing", peerName: nil, queue: queue,
      factory: CoalescingTimerFactory(queue: queue))
  }

  /// Over a dispatch source each.
  static var dispatch: Machines {
    Machines(
      name: "dispatch", peerName: "SafeTimer, a source each",
      queue: DispatchQueue(label: "sources"), factory: DispatchTimerFactory())
  }

  mutating func create(_ count: Int) {
    machines.reserveCapacity(count)
    for _ in 0..<count {
      machines.append(
        SafeTimer(name: "bench", factory: factory, queue: queue) { [calls] _ in calls.add() })
    }
  }

  mutating func activate(
    _ index: Int, at deadline: MonotonicInstant, every interval: Duration, leeway: Duration
  ) {
    _ = machines[index].activate(.grid(interval, deadline, leeway))
  }

  mutating func reschedule(_ index: Int, at deadline: MonotonicInstant, every interval: Duration) {
    machines[index].reschedule(.grid(interval, deadline, .zero))
  }

  mutating func suspendAndResume(_ index: Int) {
    machines[index].suspend()
    machines[index].resume()
  }

  mutating func cancel(_ index: Int) { machines[index].cancel() }

  var heapMoves: UInt64? { statistics?.heapMoves }
  var wakes: UInt64? { statistics?.wakes }
  private var statistics: WakeStatistics? { (factory as? CoalescingTimerFactory)?.statistics }
}
