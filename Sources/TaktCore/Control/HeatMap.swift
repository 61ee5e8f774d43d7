package import TaktTime

/// Counts for each hour, or each day, of a range, without empty cells.
package struct HeatMap: Hashable, Sendable {
  package enum Step: String, CaseIterable, Sendable {
    case hour, day
  }

  package struct Tally: Hashable, Sendable {
    /// Runs that have ended, hooks left out.
    package var runs = 0
    package var failures = 0
    /// Slots that did not run, and that no other machine of the cluster has.
    package var notRun = 0
    /// The sum of all durations, and the number of runs that have one.
    package var duration = Duration.zero
    package var timedRuns = 0
    /// The sum of all processor times, and the number of runs that have one.
    package var cpu = Duration.zero
    package var measuredRuns = 0

    package var meanDuration: Duration? { timedRuns == 0 ? nil : duration / timedRuns }
    package var isEmpty: Bool { runs == 0 && notRun == 0 }
  }

  package struct Cell: Hashable, Sendable {
    /// In days since 1970-01-01, of the zone.
    package var day: Int64
    /// Of the day; nil for a cell of a whole day.
    package var hour: Int?
    package var tally: Tally
  }

  /// In the order of time.
  package var cells: [Cell]
}

package struct HeatQuery: Hashable, Sendable {
  /// The longest range, in days.
  package static let daysMax = 400

  /// Nil for all.
  package var job: JobName?
  package var since: WallInstant
  /// Exclusive.
  package var until: WallInstant
  /// The zone of the hours and days.
  package var zone: Zone
  package var step: HeatMap.Step

  package init(
    job: JobName? = nil, since: WallInstant, until: WallInstant, zone: Zone, step: HeatMap.Step
  ) {
    self.job = job
    self.since = since
    self.until = until
    self.zone = zone
    self.step = step
  }
}

/// The cells of a heat map while runs and slots are read. It counts quarters of an hour, by which
/// all zones differ, so that a run costs no calendar, and its size is that of the range.
package struct HeatCount {
  private static let quarter: Int64 = 900_000
  /// The most slots of long series that are placed one by one; further ones are spread over their
  /// series.
  private static let placedMax = 1_000_000

  private let query: HeatQuery
  private let first: Int64
  private var quarters: [HeatMap.Tally]
  /// The change of each quarter's slots from the one before, for dense series.
  private var dense: [Double]
  private var placed = 0

  /// - Parameter query: of at most `HeatQuery.daysMax` days; anything beyond is not counted.
  package init(_ query: HeatQuery) {
    self.query = query
    first = query.since.milliseconds.flooredQuotient(by: Self.quarter)
    let last = (query.until.milliseconds - 1).flooredQuotient(by: Self.quarter)
    let count = max(0, min(last - first + 1, Int64(HeatQuery.daysMax + 2) * 96))
    quarters = Array(repeating: HeatMap.Tally(), count: Int(count))
    dense = Array(repeating: 0, count: Int(count) + 1)
  }

  private func place(_ milliseconds: Int64) -> Int? {
    let place = milliseconds.flooredQuotient(by: Self.quarter) - first
    return place >= 0 && place < quarters.count ? Int(place) : nil
  }

  /// Counts a run that has ended.
  ///
  /// - Parameters:
  ///   - start: in milliseconds since 1970.
  ///   - duration: in microseconds; nil for none.
  ///   - cpu: in microseconds; nil if it was not measured.
  package mutating func add(start: Int64, isFailure: Bool, duration: Int64?, cpu: Int64?) {
    guard let place = place(start) else { return }
    quarters[place].runs += 1
    if isFailure { quarters[place].failures += 1 }
    if let duration {
      quarters[place].duration += .microseconds(duration)
      quarters[place].timedRuns += 1
    }
    if let cpu {
      quarters[place].cpu += .microseconds(cpu)
      quarters[place].measuredRuns += 1
    }
  }

  /// Counts slots that did not run: those of a series lie evenly between its ends.
  package mutating func add(notRun first: Int64, to last: Int64, count: Int) {
    guard count > 1, last > first else {
      if let place = place(first) { quarters[place].notRun += count }
      return
    }
    let step = Double(last - first) / Double(count - 1)
    if placed + count <= Self.placedMax, step >= Double(Self.quarter) {
      placed += count
      for number in 0..<count {
        let instant = first + Int64((Double(number) * step).rounded())
        if let place = place(instant) { quarters[place].notRun += 1 }
      }
      return
    }
    // The covered part of each quarter; the last slot is due at the series' end.
    let perQuarter = Double(Self.quarter) / step
    let (from, to) = (position(first), position(last + Int64(step)))
    let (start, end) = (Int(from), Int(to))
    guard start < quarters.count else { return }
    if start == end { return addDense(from: start, (to - from) * perQuarter, through: start) }
    addDense(from: start, (Double(start + 1) - from) * perQuarter, through: start)
    addDense(from: start + 1, perQuarter, through: end - 1)
    addDense(from: end, (to - Double(end)) * perQuarter, through: end)
  }

  /// In quarters from the start; clamped to the range.
  private func position(_ milliseconds: Int64) -> Double {
    let place = Double(milliseconds) / Double(Self.quarter) - Double(first)
    return min(max(place, 0), Double(quarters.count))
  }

  private mutating func addDense(from: Int, _ density: Double, through: Int) {
    guard from <= through, from < quarters.count else { return }
    dense[from] += density
    dense[min(through, quarters.count - 1) + 1] -= density
  }

  package var map: HeatMap {
    var cells: [HeatMap.Cell] = []
    var (level, slots) = (0.0, 0.0)
    for (place, quarter) in quarters.enumerated() {
      let seconds = (first + Int64(place)) * Self.quarter / 1000
      let local = seconds + Int64(query.zone.offsetSeconds(atEpochSeconds: seconds))
      let day = local.flooredQuotient(by: 86_400)
      let hour = query.step == .day ? nil : Int(local.flooredRemainder(by: 86_400) / 3600)
      level += dense[place]
      if cells.last.map({ $0.day != day || $0.hour != hour }) ?? true {
        if let last = cells.last, last.tally.isEmpty { cells.removeLast() }
        cells.append(HeatMap.Cell(day: day, hour: hour, tally: HeatMap.Tally()))
      }
      let cell = cells.count - 1
      cells[cell].tally.add(quarter)
      // The part of a slot that rounding leaves goes to the next quarter.
      slots += max(0, level)
      let whole = (slots + 0.5).rounded(.down)
      cells[cell].tally.notRun += Int(whole)
      slots -= whole
    }
    if let last = cells.last, last.tally.isEmpty { cells.removeLast() }
    return HeatMap(cells: merged(cells))
  }

  /// Counts the repeated hour of a clock change as one cell.
  private func merged(_ cells: [HeatMap.Cell]) -> [HeatMap.Cell] {
    var merged: [HeatMap.Cell] = []
    for cell in cells.sorted(by: { ($0.day, $0.hour ?? 0) < ($1.day, $1.hour ?? 0) }) {
      if let last = merged.last, last.day == cell.day, last.hour == cell.hour {
        merged[merged.count - 1].tally.add(cell.tally)
      } else {
        merged.append(cell)
      }
    }
    return merged
  }
}

extension HeatMap.Tally {
  fileprivate mutating func add(_ other: Self) {
    runs += other.runs
    failures += other.failures
    notRun += other.notRun
    duration += other.duration
    timedRuns += other.timedRuns
    cpu += other.cpu
    measuredRuns += other.measuredRuns
  }
}
