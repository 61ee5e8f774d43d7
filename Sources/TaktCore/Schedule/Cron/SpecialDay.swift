import TaktTime

/// A day of a cron expression that depends on the month.
enum SpecialDay: Hashable, Comparable, Sendable {
  /// So many days before the last of the month.
  case beforeLast(Int)
  /// The weekday nearest to a day, in the same month.
  case nearestWeekday(Int)
  case nearestWeekdayBeforeLast(Int)
  /// A weekday, 0 for Sunday, and how many of it the month has before.
  case nthWeekday(Int, Int)
  case lastWeekday(Int)

  /// 0 or less, or beyond the month's last day, in a month without it.
  func day(of month: LocalMonth) -> Int {
    switch self {
    case .beforeLast(let days): return month.length - days
    case .nearestWeekday(let day):
      guard (1...month.length).contains(day) else { return 0 }
      switch (month.firstWeekday + day - 1) % 7 {
      case 6: return day == 1 ? 3 : day - 1
      case 0: return day == month.length ? day - 2 : day + 1
      default: return day
      }
    case .nearestWeekdayBeforeLast(let days):
      return Self.nearestWeekday(month.length - days).day(of: month)
    case .nthWeekday(let weekday, let before):
      return 1 + (weekday - month.firstWeekday + 7) % 7 + before * 7
    case .lastWeekday(let weekday):
      let first = Self.nthWeekday(weekday, 0).day(of: month)
      return first + (month.length - first) / 7 * 7
    }
  }

  /// Its notation.
  var text: String {
    let names = CronField.dayOfWeek.names
    return switch self {
    case .beforeLast(let days): days == 0 ? "L" : "L-\(days)"
    case .nearestWeekday(let day): "\(day)W"
    case .nearestWeekdayBeforeLast(let days): Self.beforeLast(days).text + "W"
    case .nthWeekday(let weekday, let before): "\(names[weekday])#\(before + 1)"
    case .lastWeekday(let weekday): "\(names[weekday])L"
    }
  }

  var words: String {
    let names = CivilTime.weekdayNames
    let order = ["first", "second", "third", "fourth", "fifth"]
    return switch self {
    case .beforeLast(0): "the last day of the month"
    case .beforeLast(1): "the day before the last of the month"
    case .beforeLast(let days): "the day \(days) days before the last of the month"
    case .nearestWeekday(let day): "the weekday nearest to day \(day) of the month"
    case .nearestWeekdayBeforeLast(let days):
      "the weekday nearest to " + Self.beforeLast(days).words
    case .nthWeekday(let weekday, let before):
      "the \(order[before]) \(names[weekday]) of the month"
    case .lastWeekday(let weekday): "the last \(names[weekday]) of the month"
    }
  }
}
