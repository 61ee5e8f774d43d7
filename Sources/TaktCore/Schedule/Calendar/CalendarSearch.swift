import TaktTime

/// Finds the next match of a calendar expression as systemd does, clock changes included.
///
/// It goes from the largest unit to the smallest, each to its next value, and settles on the
/// zone's clock after each; where a unit has no value left, the one above it moves on.
struct CalendarSearch {
  private let expression: CalendarExpression
  private var clock: LocalClock
  private var cursor: LocalCursor
  /// The local time from which the search starts, in microseconds.
  private let start: Int64
  /// True if the cursor keeps to the daylight or standard time in which it last was.
  private var keepsDaylight = false

  /// True if daylight time is forgotten on each move; see `next`.
  private var forgetsDaylight = false

  private enum Settled {
    case inPlace
    /// The time does not exist; the cursor stands on a later one that does.
    case movedOn
    /// The time does not exist, and the clock would go back; or the years are over.
    case impossible
  }

  /// Searches from an instant, in microseconds since the epoch, which counts.
  init(_ expression: CalendarExpression, zone: Zone, from microseconds: Int64) {
    self.expression = expression
    let seconds = microseconds.flooredQuotient(by: 1_000_000)
    let span = zone.span(atEpochSeconds: seconds)
    clock = LocalClock(zone: zone, atEpochSeconds: seconds)
    start = microseconds + Int64(span.offsetSeconds) * 1_000_000
    cursor = LocalCursor(
      localSeconds: seconds + Int64(span.offsetSeconds),
      microsecond: Int(microseconds.flooredRemainder(by: 1_000_000)), isDaylight: span.isDaylight)
  }

  /// Microseconds since the epoch; nil when there is none.
  ///
  /// systemd gives up after a thousand rounds, mostly because it took a daylight time of spring
  /// along into winter and now goes back and forth over New Year. There, and only there, the
  /// search is done again without that slip.
  mutating func next() -> Int64? {
    var second = self
    if let found = found(within: 1000) { return found.value }
    second.forgetsDaylight = true
    return second.found(within: 5000)?.value
  }

  private struct Found {
    /// Nil when there is none.
    var value: Int64?
  }

  /// Nil when the rounds are over before the answer is known.
  private mutating func found(within rounds: Int) -> Found? {
    for _ in 0..<rounds {
      normalize()
      guard advance(.year), case .inPlace = settle() else { return Found() }
      guard hasSmallerUnits() else { continue }
      if cursor.localSeconds * 1_000_000 + Int64(cursor.microsecond) < start {
        // A time before the start: the clock went back over a gap, and would do so again without
        // end.
        keepsDaylight = true
        cursor.hour += 1
        continue
      }
      return Found(value: instant().map { $0.seconds * 1_000_000 + Int64(cursor.microsecond) })
    }
    return nil
  }

  /// True if all units below the year have values; otherwise the cursor is on its way to the next.
  private mutating func hasSmallerUnits() -> Bool {
    for unit in CalendarUnit.allCases.dropFirst() {
      guard advance(unit) else {
        carry(from: unit)
        return false
      }
      switch settle() {
      case .inPlace: break
      case .movedOn: return false
      case .impossible:
        carry(from: unit)
        return false
      }
      if unit == .day, !isOnWeekday() {
        cursor.day += 1
        cursor.resetUnits(below: .day)
        return false
      }
    }
    return true
  }

  /// Puts the parts into their ranges.
  private mutating func normalize() {
    if let reading = instant() {
      cursor.move(toLocalSeconds: reading.localSeconds)
      cursor.isDaylight = reading.isDaylight
    }
    if !keepsDaylight { cursor.isDaylight = nil }
  }

  private mutating func instant() -> LocalClock.Reading? {
    clock.instant(of: cursor)
  }

  /// Moves a unit to its first value that is not over; false when all are.
  private mutating func advance(_ unit: CalendarUnit) -> Bool {
    let terms = expression[unit]
    if terms.isEmpty { return true }
    let value = cursor[unit]
    let isFromEnd = expression.isFromMonthEnd && unit == .day
    var earliest: Int?
    for term in terms {
      let term = isFromEnd ? countedBack(term) : term
      if let candidate = term.first(from: value) { earliest = min(earliest ?? .max, candidate) }
    }
    // A repetition goes on to a 84th minute, which the clock turns into one of the next hour.
    guard let earliest else { return false }
    if earliest != value {
      cursor[unit] = earliest
      cursor.resetUnits(below: unit)
    }
    return true
  }

  /// Moves on the unit above one that has no value left.
  private mutating func carry(from unit: CalendarUnit) {
    guard let above = CalendarUnit(rawValue: unit.rawValue - 1) else { return }
    cursor[above] += 1
    cursor.resetUnits(below: above)
  }

  /// Days counted from the month's end as days of the cursor's month.
  private mutating func countedBack(_ term: CalendarTerm) -> CalendarTerm {
    let last = dayFromEnd(term.start)
    // Asked also without a range, for the clock remembers the offset of what it was asked last.
    let first = dayFromEnd(term.stop ?? -1)
    if term.stop == nil { return CalendarTerm(last, every: term.step) }
    return CalendarTerm(first, to: last, every: term.step)
  }

  private mutating func dayFromEnd(_ count: Int) -> Int {
    var end = cursor
    end.month += 1
    end.day = 1 - count
    guard let reading = clock.instant(of: end) else { return -1 }
    let civil = CivilTime(epochSeconds: reading.localSeconds)
    return civil.month == cursor.month ? civil.day : -1
  }

  private mutating func isOnWeekday() -> Bool {
    if expression.weekdays == 0 { return true }
    guard let reading = instant() else { return false }
    let day = reading.localSeconds.flooredQuotient(by: 86_400)
    // Sunday is 0 there and 6 here.
    let weekday = (CivilTime.weekday(daysSinceEpoch: day) + 6) % 7
    return expression.weekdays >> UInt8(weekday) & 1 == 1
  }

  /// Compares the cursor with the clock's reading of it, and moves it where that is later.
  private mutating func settle() -> Settled {
    guard cursor.year <= CalendarUnit.year.values.upperBound, let reading = instant() else {
      return .impossible
    }
    if reading.localSeconds == cursor.localSeconds, isInRange { return .inPlace }
    var actual = LocalCursor(
      localSeconds: reading.localSeconds, microsecond: cursor.microsecond,
      isDaylight: reading.isDaylight)
    for unit in CalendarUnit.allCases {
      // The microsecond is no part of the clock.
      let now = unit == .second ? actual.second : actual[unit]
      let asked = unit == .second ? cursor.second : cursor[unit]
      if now < asked { return .impossible }
      guard now > asked else { continue }
      // The next smaller unit starts again, since the clock may have skipped its first values.
      switch unit {
      case .year: actual.month = 1
      case .month: actual.day = 1
      case .day: actual.hour = 0
      case .hour: actual.minute = 0
      case .minute: actual.second = 0
      case .second: break
      }
      cursor = actual
      if forgetsDaylight { cursor.isDaylight = nil }
      return .movedOn
    }
    return .inPlace
  }

  /// True if each part is in its own range; a 60th minute is the next hour's first.
  private var isInRange: Bool {
    (1...12).contains(cursor.month) && cursor.hour < 24 && cursor.minute < 60
      && cursor.second < 60
      && (1...CivilTime.days(inMonth: cursor.month, of: cursor.year)).contains(cursor.day)
  }
}
