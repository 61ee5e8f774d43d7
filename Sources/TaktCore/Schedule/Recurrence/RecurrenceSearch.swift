import TaktTime

/// Finds the local times of a recurrence rule, without regard to any zone, in seconds.
///
/// It goes from period to period, from month to month by bits and, below a day, over what the BY parts
/// exclude at once.
struct RecurrenceSearch: LocalSearch {
  static let ticksPerSecond: Int64 = 1

  private static let day: Int64 = 86_400
  private static let dayMax = CivilTime.daysSinceEpoch(year: CronSearch.yearMax, month: 12, day: 31)

  let rule: RecurrenceRule
  private let periods: DayPeriods

  init(_ rule: RecurrenceRule) {
    self.rule = rule
    periods = rule.periods
  }

  func first(from local: Int64) -> Int64? {
    let from = max(local, rule.start)
    return if let length = rule.frequency.seconds {
      firstOfShort(length, from: from)
    } else if rule.positions.isEmpty {
      firstOfDays(from: from)
    } else {
      firstOfPositions(from: from)
    }
  }

  private func firstOfDays(from local: Int64) -> Int64? {
    let today = local.flooredQuotient(by: Self.day)
    guard let day = nextDay(from: today) else { return nil }
    if day > today { return day * Self.day + rule.times[0] }
    if let time = rule.times.first(from: local - today * Self.day) {
      return today * Self.day + time
    }
    return nextDay(from: today + 1).map { $0 * Self.day + rule.times[0] }
  }

  /// The first day that is not before `day`, is in one of the periods, and has all that is asked.
  private func nextDay(from day: Int64) -> Int64? {
    var day = day
    while true {
      day = periods.first(from: day)
      guard day <= Self.dayMax else { return nil }
      let (year, month, dayOfMonth) = CivilTime.date(daysSinceEpoch: day)
      if let later = laterMonth(month, year) {
        day = later
        continue
      }
      let local = LocalMonth(month, of: year)
      let over = (UInt32(1) << UInt32(dayOfMonth)) - 1
      var left = rule.days.days(of: month, year, local) & ~over
      while left != 0 {
        let candidate = local.start + Int64(left.trailingZeroBitCount) - 1
        if periods.contains(candidate) { return candidate }
        left &= left - 1
      }
      day = local.start + Int64(local.length)
    }
  }

  /// The first day of the next month that counts; nil when this one does.
  private func laterMonth(_ month: Int, _ year: Int) -> Int64? {
    let months = UInt64(rule.days.months)
    guard months != 0, months >> UInt64(month) & 1 == 0 else { return nil }
    if let later = DayTimes.next(months, from: month) {
      return CivilTime.daysSinceEpoch(year: year, month: later, day: 1)
    }
    return CivilTime.daysSinceEpoch(
      year: year + 1, month: months.trailingZeroBitCount, day: 1)
  }

  private func firstOfPositions(from local: Int64) -> Int64? {
    var day = local.flooredQuotient(by: Self.day)
    // All of the period counts, though some of it is over.
    day = periods.contains(day) ? periods.period(of: day).lowerBound : day
    while let first = nextDay(from: day) {
      let period = periods.period(of: first)
      if let found = chosen(in: days(from: first, in: period)).first(where: { $0 >= local }) {
        return found
      }
      day = period.upperBound
    }
    return nil
  }

  private func days(from first: Int64, in period: Range<Int64>) -> [Int64] {
    var days = [first]
    var next = nextDay(from: first + 1)
    while let day = next, day < period.upperBound {
      days.append(day)
      next = nextDay(from: day + 1)
    }
    return days
  }

  private func chosen(in days: [Int64]) -> [Int64] {
    let (times, count) = (rule.times, rule.times.count)
    return places(in: days.count * count).map { days[$0 / count] * Self.day + times[$0 % count] }
  }

  /// The places in a set of so many that the rule names, in order.
  private func places(in count: Int) -> [Int] {
    let places = rule.positions.map { $0 > 0 ? $0 - 1 : count + $0 }
    return Set(places.filter { $0 >= 0 && $0 < count }).sorted()
  }

  private func firstOfShort(_ length: Int64, from local: Int64) -> Int64? {
    let inPeriod = timesInPeriod
    let chosen = rule.positions.isEmpty ? nil : places(in: inPeriod.count).map { inPeriod[$0] }
    var period = nextPeriod(length, from: local - local.flooredRemainder(by: length))
    while let start = period {
      let from = max(0, local - start)
      let time =
        if let chosen { chosen.first { $0 >= from } } else { inPeriod.first(from: from) }
      if let time, time < length { return start + time }
      if chosen?.isEmpty == true { return nil }
      period = nextPeriod(length, from: start + length)
    }
    return nil
  }

  /// The times that a period has, counted from its start.
  private var timesInPeriod: DayTimes {
    let times = rule.times
    return switch rule.frequency {
    case .yearly, .monthly, .weekly, .daily: times
    case .hourly: DayTimes(hours: 1, minutes: times.minutes, seconds: times.seconds)
    case .minutely: DayTimes(hours: 1, minutes: 1, seconds: times.seconds)
    case .secondly: DayTimes(hours: 1, minutes: 1, seconds: 1)
    }
  }

  /// The start of the first period that is not before `local` and that nothing excludes.
  private func nextPeriod(_ length: Int64, from local: Int64) -> Int64? {
    let step = Int64(rule.interval) * length
    let base = rule.start - rule.start.flooredRemainder(by: length)
    func aligned(_ local: Int64) -> Int64 {
      local <= base ? base : base + (local - base + step - 1) / step * step
    }
    let isAnyDay = rule.days.isEveryDay && rule.days.months == 0
    var period = aligned(local)
    var allowedDay = Int64.min
    while true {
      let day = period.flooredQuotient(by: Self.day)
      guard day <= Self.dayMax else { return nil }
      if !isAnyDay, day != allowedDay {
        guard let next = nextDay(from: day) else { return nil }
        allowedDay = next
        if next != day {
          period = aligned(next * Self.day)
          continue
        }
      }
      guard let later = rule.periodStarts.first(from: period - day * Self.day) else {
        period = aligned((day + 1) * Self.day)
        continue
      }
      if day * Self.day + later == period { return period }
      period = aligned(day * Self.day + later)
    }
  }
}
