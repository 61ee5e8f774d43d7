import TaktTime

/// A local date and time that is being moved, as `struct tm` is: its parts may be out of range
/// until it is settled on an instant of its zone.
struct LocalCursor {
  var year: Int
  var month: Int
  var day: Int
  var hour: Int
  var minute: Int
  var second: Int
  var microsecond: Int
  /// True for daylight time; nil leaves it to the zone.
  var isDaylight: Bool?

  init(localSeconds: Int64, microsecond: Int, isDaylight: Bool?) {
    let civil = CivilTime(epochSeconds: localSeconds)
    (year, month, day) = (civil.year, civil.month, civil.day)
    (hour, minute, second) = (civil.hour, civil.minute, civil.second)
    self.microsecond = microsecond
    self.isDaylight = isDaylight
  }

  /// Its parts taken together, as seconds since 1970-01-01T00:00:00 in UTC.
  var localSeconds: Int64 {
    let months = year * 12 + month - 1
    let date = CivilTime.daysSinceEpoch(year: months / 12, month: months % 12 + 1, day: 1)
    return (date + Int64(day - 1)) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// The parts of another local time; the microsecond stays.
  mutating func move(toLocalSeconds seconds: Int64) {
    self = LocalCursor(
      localSeconds: seconds, microsecond: microsecond, isDaylight: isDaylight)
  }

  subscript(unit: CalendarUnit) -> Int {
    get {
      switch unit {
      case .year: year
      case .month: month
      case .day: day
      case .hour: hour
      case .minute: minute
      case .second: second * 1_000_000 + microsecond
      }
    }
    set {
      switch unit {
      case .year: year = newValue
      case .month: month = newValue
      case .day: day = newValue
      case .hour: hour = newValue
      case .minute: minute = newValue
      case .second:
        second = newValue / 1_000_000
        microsecond = newValue % 1_000_000
      }
    }
  }

  mutating func resetUnits(below unit: CalendarUnit) {
    for smaller in CalendarUnit.allCases.dropFirst(unit.rawValue + 1) {
      self[smaller] = smaller.lowest
    }
  }
}
