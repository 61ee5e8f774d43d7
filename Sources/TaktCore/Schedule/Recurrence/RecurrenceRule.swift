import TaktTime

/// A recurrence rule (RRULE) of RFC 5545, with what its parts leave open taken from the first instant.
struct RecurrenceRule: Hashable, Sendable {
  enum Frequency: String, CaseIterable, Hashable, Comparable, Sendable {
    case yearly = "YEARLY"
    case monthly = "MONTHLY"
    case weekly = "WEEKLY"
    case daily = "DAILY"
    case hourly = "HOURLY"
    case minutely = "MINUTELY"
    case secondly = "SECONDLY"

    /// From the longest to the shortest.
    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .yearly: 0
      case .monthly: 1
      case .weekly: 2
      case .daily: 3
      case .hourly: 4
      case .minutely: 5
      case .secondly: 6
      }
    }

    /// The length if it is always the same; nil for a day and longer.
    var seconds: Int64? {
      switch self {
      case .yearly, .monthly, .weekly, .daily: nil
      case .hourly: 3600
      case .minutely: 60
      case .secondly: 1
      }
    }

    fileprivate var unit: DayPeriods.Unit {
      switch self {
      case .yearly: .year
      case .monthly: .month
      case .weekly: .week
      case .daily, .hourly, .minutely, .secondly: .day
      }
    }
  }

  enum End: Hashable, Sendable {
    case never
    case count(Int)
    /// A local time, in seconds as if the zone were UTC; it may be the last instant.
    case local(Int64)
    /// An instant in UTC, in seconds since the epoch; it may be the last.
    case instant(Int64)
  }

  var frequency: Frequency
  /// At least 1.
  var interval = 1
  var end = End.never
  var days: RecurrenceDays
  /// Those of hours, minutes and seconds that are shorter than the frequency expand it, the others
  /// limit it.
  var times: DayTimes
  /// Places in the set of each period; −1 is the last. In order; empty for all.
  var positions: [Int] = []
  /// The first instant, in local seconds as if the zone were UTC; none comes before it.
  var start: Int64

  /// The parts as they were written, in normal form.
  var text: String

  /// The days from which an instant may be, apart from `days`.
  var periods: DayPeriods {
    DayPeriods(
      unit: frequency.unit, interval: frequency.seconds == nil ? Int64(interval) : 1,
      start: start.flooredQuotient(by: 86_400), weekStart: days.weekStart)
  }
}

extension RecurrenceRule {
  /// Times of a day at which a period may start that is shorter than a day.
  var periodStarts: DayTimes {
    switch frequency {
    case .yearly, .monthly, .weekly, .daily, .hourly:
      DayTimes(hours: times.hours, minutes: 1, seconds: 1)
    case .minutely: DayTimes(hours: times.hours, minutes: times.minutes, seconds: 1)
    case .secondly: times
    }
  }

  /// False if its interval passes over all times of the week that its other parts leave, such as the
  /// odd seconds of a rule for every second one. A search would try each period of three centuries.
  var meetsTimes: Bool {
    guard let length = frequency.seconds, interval > 1 else { return true }
    let day: Int64 = 86_400
    // Over the weeks, a period starts at each time of the week that is a multiple of this away.
    let step = Self.commonDivisor(Int64(interval) * length, 7 * day)
    let (starts, first) = (periodStarts, start - start.flooredRemainder(by: length))
    return (Int64(0)..<7).contains { number in
      guard days.has(weekday: CivilTime.weekday(daysSinceEpoch: number)) else { return false }
      var time = starts.first(from: 0)
      while let found = time {
        if (number * day + found - first).flooredRemainder(by: step) == 0 { return true }
        time = starts.first(from: found + 1)
      }
      return false
    }
  }

  private static func commonDivisor(_ left: Int64, _ right: Int64) -> Int64 {
    right == 0 ? left : commonDivisor(right, left % right)
  }
}
