@preconcurrency import Dispatch
import TaktTime
import TimerMachine

/// One way to have many timers, so that all are measured by the same code.
protocol Subject {
  var name: String { get }
  /// The name in the figures, unless it is what takt uses.
  var peerName: String? { get }
  /// Counts the fires.
  var calls: Counter { get }
  mutating func create(_ count: Int)
  mutating func activate(
    _ index: Int, at deadline: MonotonicInstant, every interval: Duration, leeway: Duration)
  mutating func reschedule(_ index: Int, at deadline: MonotonicInstant, every interval: Duration)
  mutating func suspendAndResume(_ index: Int)
  mutating func cancel(_ index: Int)
  /// Heap nodes moved so far, where there is a heap of ours.
  var heapMoves: UInt64? { get }
  /// Wakes so far, where they are counted.
  var wakes: UInt64? { get }
}
