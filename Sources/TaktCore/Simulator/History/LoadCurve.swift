package import TaktTime

/// The number of runs in progress over a range of time, and their use of the machine.
package struct LoadCurve: Sendable {
  package struct Part: Hashable, Sendable {
    /// The most runs at once.
    package var runningMax = 0
    /// The most processors that runs keep busy at once.
    package var coresMax = 0.0
    /// The most memory of runs at once.
    package var memoryMaxBytes: Int64 = 0
    /// Processor time in core seconds.
    package var coreSeconds = 0.0
  }

  private struct Use {
    var cores: Double
    var memoryBytes: Int64
  }

  package let start: WallInstant
  package let step: Duration
  package private(set) var parts: [Part]
  private var active: [RunID: Use] = [:]
  private var cores = 0.0
  private var memoryBytes: Int64 = 0
  private var last: WallInstant
  private let stepNanoseconds: Int64

  /// - Parameter step: above zero.
  package init(from start: WallInstant, for span: Duration, step: Duration) {
    self.start = start
    self.step = step
    last = start
    stepNanoseconds = max(1, step.nanosecondsSaturated)
    parts = Array(repeating: Part(), count: Self.place(span, stepNanoseconds) + 1)
    // An end at the very end of the range is part of the range.
    if parts.count > 1, step * (parts.count - 1) == span { parts.removeLast() }
  }

  /// The parts of a day are hours; those of another range are whole minutes, hours or days, about
  /// as many.
  package static func step(for span: Duration) -> Duration {
    let minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 10_080, 44_640]
    return .seconds((minutes.first { .seconds($0 * 60 * 31) >= span } ?? 527_040) * 60)
  }

  /// The whole minute or hour from which parts of up to an hour are counted.
  package static func start(before instant: WallInstant, step: Duration) -> WallInstant {
    guard step <= .seconds(3600) else { return instant }
    return instant
      - .milliseconds(instant.milliseconds.flooredRemainder(by: max(1, step.milliseconds)))
  }

  /// The part in which an instant is; the first or the last for one outside.
  package func place(of instant: WallInstant) -> Int {
    min(parts.count - 1, Self.place(instant - start, stepNanoseconds))
  }

  private static func place(_ time: Duration, _ step: Int64) -> Int {
    Int(clamping: max(0, time.nanosecondsSaturated) / step)
  }

  mutating func begin(_ run: RunID, _ drawn: DrawnRun?, at instant: WallInstant) {
    pass(to: instant)
    let use = Use(cores: drawn?.cores ?? 0, memoryBytes: drawn?.memoryBytes ?? 0)
    guard active.updateValue(use, forKey: run) == nil else { return }
    cores += use.cores
    memoryBytes += use.memoryBytes
    note(place(of: instant))
  }

  mutating func end(_ run: RunID, at instant: WallInstant) {
    pass(to: instant)
    guard let use = active.removeValue(forKey: run) else { return }
    // Sums of fractions leave a remainder.
    cores = active.isEmpty ? 0 : max(0, cores - use.cores)
    memoryBytes -= use.memoryBytes
  }

  /// Counts the active runs until the end of the range.
  package mutating func finish() { pass(to: start + step * parts.count) }

  private mutating func pass(to instant: WallInstant) {
    // A step of the clock may go back.
    defer { last = instant }
    if instant <= last || active.isEmpty { return }
    for index in place(of: last)...place(of: instant) {
      let begin = max(last, start + step * index)
      let end = min(instant, start + step * (index + 1))
      guard begin < end else { continue }
      note(index)
      parts[index].coreSeconds += cores * ((end - begin) / .seconds(1))
    }
  }

  private mutating func note(_ index: Int) {
    parts[index].runningMax = max(parts[index].runningMax, active.count)
    parts[index].coresMax = max(parts[index].coresMax, cores)
    parts[index].memoryMaxBytes = max(parts[index].memoryMaxBytes, memoryBytes)
  }
}
