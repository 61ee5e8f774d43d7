package import TaktTime

/// An interval counted on the local clock: from a time of day, each day again, or from a local
/// midnight without end. Clock changes do not move it.
package struct LocalGrid: Hashable, Sendable {
  /// At least 1 ms, whole milliseconds; less than a day if it starts again each day.
  package let interval: Duration
  /// The time of day at which it starts each day; nil for one without end, from Monday, 1970-01-05,
  /// at midnight.
  package let timeOfDay: Duration?

  package init(every interval: Duration, from timeOfDay: Duration? = nil) {
    self.interval = interval
    self.timeOfDay = timeOfDay
  }

  /// The form in the ledger, in milliseconds: `5400000 28800000`. It reads back as an equal value.
  package var text: String {
    "\(interval.milliseconds)" + (timeOfDay.map { " \($0.milliseconds)" } ?? "")
  }

  /// Reads `text`; nil if it is invalid.
  package init?(text: String) {
    let numbers = text.split(separator: " ").map { Int64($0) }
    guard (1...2).contains(numbers.count), let interval = numbers[0], interval > 0,
      numbers.allSatisfy({ $0.map { $0 >= 0 && $0 < 1 << 52 } ?? false })
    else { return nil }
    self.init(
      every: .milliseconds(interval),
      from: numbers.count == 2 ? numbers[1].map { .milliseconds($0) } : nil)
  }

  /// `90m from 08:00`, `1d align local`
  var summary: String {
    let text = DurationText.format(interval)
    return timeOfDay.map { "\(text) from \(Self.clock($0))" } ?? "\(text) align local"
  }

  var words: String {
    timeOfDay == nil
      ? "counted on the clock, from midnight of Monday, 1970-01-05"
      : "counted on the clock, each day again"
  }

  /// `08:00`, `08:00:30`
  package static func clock(_ timeOfDay: Duration) -> String {
    let second = Int(timeOfDay.milliseconds / 1000)
    return (second / 3600).padded(2) + ":" + (second / 60 % 60).padded(2)
      + (second % 60 == 0 ? "" : ":" + (second % 60).padded(2))
  }

  /// True if it recurs within the day, so that it runs in both passes of a repeated hour.
  package var recursWithinHour: Bool { interval.milliseconds < Self.day }

  /// Its default for clock changes.
  package var ownDST: DSTPolicy { DSTPolicy(gap: recursWithinHour ? .skip : .runAfter) }

  /// The first instant strictly after `instant`, in whole milliseconds; nil when there is none.
  package func next(after instant: WallInstant, in zone: Zone, dst: DSTPolicy) -> WallInstant? {
    var walk = LocalWalk(
      search: self, zone: zone, dst: dst, recursWithinHour: recursWithinHour,
      from: instant.milliseconds + 1)
    return walk.next().map { WallInstant(milliseconds: $0) }
  }
}

extension LocalGrid: LocalSearch {
  static let ticksPerSecond: Int64 = 1000
  private static let day: Int64 = 86_400_000
  /// 1970-01-05, a Monday, so that a grid of weeks starts with one.
  private static let monday: Int64 = 4 * day
  /// The last instant of the year 2261.
  private static let last =
    (CivilTime.daysSinceEpoch(year: CronSearch.yearMax + 1, month: 1, day: 1)) * day - 1

  func first(from local: Int64) -> Int64? {
    let interval = max(1, interval.milliseconds)
    guard let timeOfDay = timeOfDay?.milliseconds else {
      return bounded(Self.next(interval, from: Self.monday, notBefore: local))
    }
    let start = local - (local - timeOfDay).flooredRemainder(by: Self.day)
    return bounded(
      min(
        Self.next(interval, from: start, notBefore: local),
        local == start ? start : start + Self.day))
  }

  private func bounded(_ local: Int64) -> Int64? { local <= Self.last ? local : nil }

  private static func next(_ interval: Int64, from origin: Int64, notBefore local: Int64) -> Int64 {
    origin - (origin - local).flooredQuotient(by: interval) * interval
  }
}
