import HeapModule
import TaktTime

/// The ends to come of the runs in progress: the soonest first, the older run before the younger.
struct RunEnds {
  private struct Row {
    /// Nil in a free row.
    var run: RunID?
    var at: MonotonicInstant
    var end: VirtualScheduler.End
  }

  /// An end in its order. It counts only while its row agrees.
  private struct Entry: Comparable {
    var at: MonotonicInstant
    var run: RunID
    var row: Int

    static func < (left: Self, right: Self) -> Bool { (left.at, left.run) < (right.at, right.run) }
  }

  private var rows: [Row] = []
  private var free: [Int] = []
  private var order = Heap<Entry>()

  /// The time of the next query; nil if no run is going to end. That query may find nothing: an end
  /// that was changed leaves its old instant here.
  var next: MonotonicInstant? { order.min?.at }

  /// Takes the run that is first in order; nil if its end was changed.
  mutating func popNext() -> (RunID, VirtualScheduler.End)? {
    guard let first = order.popMin(), rows[first.row].run == first.run,
      rows[first.row].at == first.at
    else { return nil }
    rows[first.row].run = nil
    free.append(first.row)
    return (first.run, rows[first.row].end)
  }

  /// Takes a run that is not here yet.
  mutating func insert(_ run: RunID, _ end: VirtualScheduler.End, at instant: MonotonicInstant) {
    let row = Row(run: run, at: instant, end: end)
    let place = free.popLast() ?? rows.count
    if place == rows.count { rows.append(row) } else { rows[place] = row }
    order.insert(Entry(at: instant, run: run, row: place))
  }

  func end(of run: RunID) -> VirtualScheduler.End? { place(of: run).map { rows[$0].end } }

  mutating func change(_ run: RunID, _ end: VirtualScheduler.End, at instant: MonotonicInstant) {
    guard let place = place(of: run) else { return }
    rows[place] = Row(run: run, at: instant, end: end)
    order.insert(Entry(at: instant, run: run, row: place))
  }

  /// The run has been sent a signal, but its end stays the same.
  mutating func noteSignal(to run: RunID) {
    guard let place = place(of: run), case .attempt(let result, let left, _) = rows[place].end
    else { return }
    rows[place].end = .attempt(result, leaving: left, isAsked: true)
  }

  private func place(of run: RunID) -> Int? { rows.firstIndex { $0.run == run } }
}
