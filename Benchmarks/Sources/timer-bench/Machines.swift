@preconcurrency import Dispatch
import TimerMachine

/// Machines over the wake queue.
struct Machines: Subject {
  static var name: String { "coalescing" }
  let queue = DispatchQueue(label: "wakes")
  let factory: CoalescingTimerFactory
  let calls = Counter()
  var machines: [TimerMachine] = []

  init() { factory = CoalescingTimerFactory(queue: queue) }

  mutating func create(_ count: Int) {
    machines.reserveCapacity(count)
    for _ in 0..<count {
      machines.append(
        TimerMachine(name: "bench", factory: factory, queue: queue) { [calls] _ in calls.add() })
    }
  }

  mutating func activate(
    _ index: Int, at deadline: MonotonicInstant, every interval: Duration, leeway: Duration
  ) {
    machines[index].activate(.grid(interval, deadline, leeway))
  }

  mutating func reschedule(_ index: Int, at deadline: MonotonicInstant, every interval: Duration) {
    machines[index].reschedule(.grid(interval, deadline, .zero))
  }

  mutating func suspendAndResume(_ index: Int) {
    machines[index].suspend()
    machines[index].resume()
  }

  mutating func cancel(_ index: Int) { machines[index].cancel() }

  var heapMoves: UInt64? { factory.statistics.heapMoves }
  var wakes: UInt64? { factory.statistics.wakes }
}
