/// The source of a job's simulated runs: its history, by the hour of the day if that matters, and
/// adjusted if the job has become slower or faster.
package struct RunPattern: Sendable {
  /// An hour counts from this many runs.
  static let hourRunsMin = 5
  /// The least ratio that matters between the medians of two hours, or of early and new runs.
  private static let ratioMin = 1.3
  private static let trendMin = 1.5

  private let runs: [PastRun]
  /// The places of the runs of each hour; nil if hours do not matter.
  private let hours: [[Int32]]?
  /// The factor for the durations of earlier runs; 1 without a change.
  package let trend: Double

  /// Nil without runs.
  package init?(_ history: JobRunHistory) {
    let (earlier, newest) = history.parts
    let hours = Self.hours(earlier + newest)
    trend = Self.trend(earlier, newest, byHour: hours != nil)
    // If the job has changed, the newest runs count as they are and the others are adjusted.
    let factor = trend
    let adjusted = earlier.map { $0.scaled(by: factor) }
    runs = adjusted + newest
    self.hours = hours
    if runs.isEmpty { return nil }
  }

  package var dependsOnHour: Bool { hours != nil }

  /// A run of a job at an hour of the day.
  func draw(_ numbers: inout SeededNumbers, hour: Int) -> DrawnRun {
    var places = hours?[hour] ?? []
    if places.count < Self.hourRunsMin { places = [] }
    func pick() -> PastRun {
      places.isEmpty
        ? runs[numbers.place(below: runs.count)]
        : runs[Int(places[numbers.place(below: places.count)])]
    }
    let run = pick()
    var whole = run
    // The time of several attempts has back-offs in it, which the simulation adds itself.
    if run.attempts > 1 {
      for _ in 0..<8 where whole.attempts > 1 { whole = pick() }
      if whole.attempts > 1 {
        whole.microseconds = max(1, whole.microseconds / Int64(whole.attempts))
      }
    }
    return DrawnRun(run, attemptMicroseconds: whole.microseconds)
  }

  /// By an analysis of variance of the logarithms: nil unless the hours differ by more than the
  /// runs within them, and by enough to matter.
  private static func hours(_ runs: [PastRun]) -> [[Int32]]? {
    var places: [[Int32]] = Array(repeating: [], count: 24)
    for (place, run) in runs.enumerated() { places[Int(run.hour)].append(Int32(place)) }
    let counted = places.filter { $0.count >= hourRunsMin }
    guard counted.count >= 2 else { return nil }
    let logs = runs.map { logarithm($0.microseconds) }
    let groups = counted.map { $0.map { logs[Int($0)] } }
    let medians = counted.map { hour in median(hour.map { runs[Int($0)].microseconds }) }
    guard let least = medians.min(), let most = medians.max(), most / least >= ratioMin else {
      return nil
    }
    let count = groups.reduce(0) { $0 + $1.count }
    let mean = groups.reduce(0) { $0 + $1.reduce(0, +) } / Double(count)
    var (between, within) = (0.0, 0.0)
    for group in groups {
      let own = group.reduce(0, +) / Double(group.count)
      between += Double(group.count) * (own - mean) * (own - mean)
      within += group.reduce(0) { $0 + ($1 - own) * ($1 - own) }
    }
    let freedom = (Double(groups.count - 1), Double(count - groups.count))
    // About 1 in 1000 by chance, for two hours as for 24.
    let needed = 4 + 8 / freedom.0
    return between / freedom.0 > needed * max(1e-12, within / freedom.1) ? places : nil
  }

  /// The ratio of the newest runs to the earlier ones, each compared with those of its hour if
  /// hours matter; 1 unless the newest ones rank so far away that chance does not explain it.
  private static func trend(
    _ earlier: [PastRun], _ newest: [PastRun], byHour: Bool
  ) -> Double {
    var before: [[Int64]] = Array(repeating: [], count: byHour ? 24 : 1)
    for run in earlier { before[byHour ? Int(run.hour) : 0].append(run.microseconds) }
    for place in before.indices { before[place].sort() }
    var (ranks, ratios): ([Double], [Double]) = ([], [])
    for run in newest {
      let group = before[byHour ? Int(run.hour) : 0]
      guard group.count >= hourRunsMin else { continue }
      let below = group.count { $0 < run.microseconds }
      let same = group.count { $0 == run.microseconds }
      ranks.append((Double(below) + Double(same) / 2) / Double(group.count))
      ratios.append(Double(run.microseconds) / Double(group[group.count / 2]))
    }
    guard ranks.count >= 5 else { return 1 }
    let shift = abs(ranks.reduce(0, +) / Double(ranks.count) - 0.5)
    let ratio = ratios.sorted()[ratios.count / 2]
    guard shift * (12 * Double(ranks.count)).squareRoot() > 3 else { return 1 }
    return ratio >= trendMin || ratio <= 1 / trendMin ? ratio : 1
  }

  private static func median(_ values: [Int64]) -> Double {
    Double(values.sorted()[values.count / 2])
  }

  /// The binary logarithm, good enough to compare durations, without a mathematics library.
  private static func logarithm(_ value: Int64) -> Double {
    let number = Double(max(1, value))
    return Double(number.exponent) + (number.significand - 1)
  }
}

extension PastRun {
  fileprivate func scaled(by factor: Double) -> PastRun {
    guard factor != 1 else { return self }
    // A ledger may hold any number.
    func scaled(_ value: Int64) -> Int64 { Int64(min(Double(value) * factor, 1e15)) }
    return PastRun(
      microseconds: scaled(microseconds), attempt: scaled(attemptMicroseconds),
      cpuMicroseconds: cpuMicroseconds < 0 ? -1 : scaled(cpuMicroseconds),
      memoryBytes: memoryBytes, attempts: Int(attempts), end: end, hour: Int(hour))
  }
}

/// A run as it was drawn.
package struct DrawnRun: Hashable, Sendable {
  /// The length of each attempt.
  package var attempt: Duration
  /// The number of attempts that fail before one succeeds; `.max` if all do.
  package var failures: Int
  /// The number of processors that it keeps busy; zero if unknown.
  package var cores: Double
  /// The most memory at once; zero if unknown.
  package var memoryBytes: Int64

  init(_ run: PastRun, attemptMicroseconds: Int64) {
    // A run that was stopped would have taken longer by an unknown time: at least twice as long.
    attempt = .microseconds(run.end == .timedOut ? 2 * attemptMicroseconds : attemptMicroseconds)
    failures = run.end == .succeeded ? Int(run.attempts) - 1 : .max
    cores =
      run.cpuMicroseconds < 0
      ? 0
      : min(1024, Double(run.cpuMicroseconds) / Double(run.attempts) / Double(attemptMicroseconds))
    memoryBytes = max(0, run.memoryBytes)
  }
}
