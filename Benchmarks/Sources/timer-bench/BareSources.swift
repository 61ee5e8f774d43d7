@preconcurrency import Dispatch
import TaktTime
import TimerMachine

/// What one would write without this library: a source a timer.
struct BareSources: Subject {
  let name = "bare source"
  let peerName: String? = "a bare dispatch source each"
  let queue = DispatchQueue(label: "bare")
  let calls = Counter()
  var sources: [any DispatchSourceTimer] = []

  mutating func create(_ count: Int) {
    sources.reserveCapacity(count)
    for _ in 0..<count {
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.setEventHandler { @Sendable [calls] in calls.add() }
      sources.append(source)
    }
  }

  mutating func activate(
    _ index: Int, at deadline: MonotonicInstant, every interval: Duration, leeway: Duration
  ) {
    schedule(index, deadline, interval, leeway)
    sources[index].activate()
  }

  mutating func reschedule(_ index: Int, at deadline: MonotonicInstant, every interval: Duration) {
    schedule(index, deadline, interval, .zero)
  }

  mutating func suspendAndResume(_ index: Int) {
    sources[index].suspend()
    sources[index].resume()
  }

  mutating func cancel(_ index: Int) { sources[index].cancel() }

  private func schedule(
    _ index: Int, _ deadline: MonotonicInstant, _ interval: Duration, _ leeway: Duration
  ) {
    sources[index].schedule(
      deadline: DispatchTime(uptimeNanoseconds: UInt64(deadline.nanoseconds)),
      repeating: .nanoseconds(Int(interval.nanosecondsSaturated)),
      leeway: .nanoseconds(Int(leeway.nanosecondsSaturated)))
  }

  var heapMoves: UInt64? { nil }
  var wakes: UInt64? { nil }
}
