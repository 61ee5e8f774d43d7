import TaktTime

/// Days on which times of a cron or a calendar expression count: those of every n-th day, week or
/// month, and the n-th working day of a month.
package struct DayFilter: Hashable, Sendable {
  /// Every n-th day, week or month by the calendar.
  package struct Nth: Hashable, Sendable {
    package enum Unit: String, CaseIterable, Hashable, Sendable {
      case days, weeks, months
    }

    /// At least 1.
    package var every: Int
    package var unit: Unit
    /// The first day; what is before it does not count. As a number of days since the epoch.
    package var start: Int64

    package init(every: Int, unit: Unit, start: Int64) {
      self.every = every
      self.unit = unit
      self.start = start
    }

    var periods: DayPeriods {
      let unit: DayPeriods.Unit =
        switch unit {
        case .days: .day
        case .weeks: .week
        case .months: .month
        }
      return DayPeriods(unit: unit, interval: Int64(every), start: start)
    }
  }

  package var nth: Nth?
  /// The n-th working day of the month, Monday to Friday; −1 is the last. Nil for any day.
  package var workingDay: Int?
  /// Days that are not working days, in addition to Saturdays and Sundays; nil for none.
  package var holidays: Shared<DaySet>?
  /// The target of times on days that are left out; nil if they are dropped.
  package var move: Shared<DayMove>?

  package init(nth: Nth? = nil, workingDay: Int? = nil) {
    self.nth = nth
    self.workingDay = workingDay
  }

  package var isEmpty: Bool { nth == nil && workingDay == nil && move == nil }

  private static let dayMax = CivilTime.daysSinceEpoch(
    year: CronSearch.yearMax, month: 12, day: 31)

  /// Nil when there is none.
  func first(from day: Int64) -> Int64? {
    var day = max(day, nth?.start ?? day)
    let periods = nth?.periods
    let last = holidays == nil && move == nil ? Self.dayMax : DaySet.last
    while day <= last {
      let start = periods?.first(from: day) ?? day
      guard let workingDay else { return start <= last ? start : nil }
      guard let next = firstWorkingDay(workingDay, from: start) else { return nil }
      if next == start || periods?.contains(next) ?? true { return next }
      day = next
    }
    return nil
  }

  private func firstWorkingDay(_ number: Int, from day: Int64) -> Int64? {
    var (year, month, _) = CivilTime.date(daysSinceEpoch: day)
    let lastYear = holidays == nil ? CronSearch.yearMax : DaySet.lastYear
    while year <= lastYear {
      let local = LocalMonth(month, of: year)
      var working = local.days(on: 0b011_1110) & local.allDays
      if let holidays { working &= ~holidays.value.days(of: local) }
      let count = working.nonzeroBitCount
      let place = number > 0 ? number - 1 : count + number
      if place >= 0, place < count {
        var rest = working
        for _ in 0..<place { rest &= rest - 1 }
        let found = local.start + Int64(rest.trailingZeroBitCount) - 1
        if found >= day { return found }
      }
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
    }
    return nil
  }

  /// The least number of working days in a month.
  package static let workingDaysMin = 20
  /// The greatest number: a search for a later one would not end.
  package static let workingDaysMax = 23
  /// The largest `n` of every n-th day, week or month.
  package static let everyMax = 10_000
}

extension DayFilter {
  /// The form in the ledger: `2 weeks 2026-01-05`. It reads back as an equal value.
  package var nthText: String? {
    nth.map { "\($0.every) \($0.unit.rawValue) \(Self.date($0.start))" }
  }

  /// Reads the results of `nthText` and `workingDay`; nil if they are invalid.
  package init?(nthText: String?, workingDay: Int?) {
    let days = Self.workingDaysMax
    if let workingDay, workingDay == 0 || !(-days...days).contains(workingDay) { return nil }
    self.init(workingDay: workingDay)
    guard let nthText else { return }
    let parts = nthText.split(separator: " ")
    guard parts.count == 3, let every = Int(parts[0]), (1...Self.everyMax).contains(every),
      let unit = Nth.Unit(rawValue: String(parts[1])), let start = Self.day(parts[2])
    else { return nil }
    nth = Nth(every: every, unit: unit, start: start)
  }

  /// A date such as `2026-01-05` as a number of days since the epoch; nil where it is none.
  package static func day(_ text: some StringProtocol) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let time = RecurrenceTime((bytes[0..<4] + bytes[5..<7] + bytes[8..<10])[...]), time.isDate
    else { return nil }
    return time.local / 86_400
  }

  package static func date(_ day: Int64) -> String {
    let (year, month, day) = CivilTime.date(daysSinceEpoch: day)
    return year.padded(4) + "-" + month.padded(2) + "-" + day.padded(2)
  }

  /// `, in every second week from 2026-01-05 on, on the last working day of the month`
  package var words: String {
    var text = ""
    if let nth {
      let unit = String(nth.unit.rawValue.dropLast())
      let which = nth.every == 1 ? "each \(unit)" : "one \(unit) in \(nth.every)"
      text += ", in \(which) from \(Self.date(nth.start)) on"
    }
    if let workingDay {
      text += ", if that is \(RecurrenceRule.place(workingDay)) working day of the month"
      if let holidays { text += ", without \(holidays.value.names)" }
    }
    return text
  }
}
