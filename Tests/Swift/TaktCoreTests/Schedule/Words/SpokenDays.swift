import TaktTime

/// A day as people speak of it.
struct SpokenDay {
  let day: Int64
  let year: Int
  let month: Int
  let dayOfMonth: Int
  let length: Int
  /// 1 for Monday.
  let weekday: Int
  /// The weekday with which its week starts.
  let weekStart: Int

  init(_ day: Int64, weekStart: Int = 1) {
    self.day = day
    self.weekStart = weekStart
    (year, month, dayOfMonth) = CivilTime.date(daysSinceEpoch: day)
    let (year, month) = (year, month)
    length = (28...31).last { CivilTime(year: year, month: month, day: $0).isValid } ?? 28
    weekday = Int((day + 3) % 7 + 7) % 7 + 1
  }

  var dayOfYear: Int { Int(day - CivilTime.daysSinceEpoch(year: year, month: 1, day: 1)) + 1 }
  var yearLength: Int { CivilTime.isLeap(year: year) ? 366 : 365 }

  /// The day with which its week starts.
  var startOfWeek: Int64 { day - Int64((weekday - weekStart + 7) % 7) }

  /// The week as ISO 8601 counts it, and how many the year of that week has: a week is of the year
  /// that has its fourth day.
  var week: (number: Int, count: Int) {
    let middle = SpokenDay(startOfWeek + 3)
    let last = SpokenDay(
      CivilTime.daysSinceEpoch(year: middle.year, month: 12, day: 28), weekStart: weekStart)
    let lastMiddle = SpokenDay(last.startOfWeek + 3)
    return ((middle.dayOfYear - 1) / 7 + 1, (lastMiddle.dayOfYear - 1) / 7 + 1)
  }

  /// The weekday nearest to a day of its month; 0 where there is no such day.
  func nearestWeekday(to other: Int) -> Int {
    guard (1...length).contains(other) else { return 0 }
    return [0, -1, 1, -2, 2].map { other + $0 }.first { candidate in
      (1...length).contains(candidate)
        && SpokenDay(day - Int64(dayOfMonth) + Int64(candidate)).weekday <= 5
    } ?? 0
  }
}

typealias DayTest = (SpokenDay) -> Bool

/// A list of days: `day 1 to 3 and 15 of the month`, `the last Friday of the month and Monday`.
struct SpokenDays {
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let ordinals = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
  ]

  /// Nil for words that it does not know.
  static func test(_ text: String) -> DayTest? {
    var tests: [DayTest] = []
    // The noun of a list is behind its last item.
    var scope = ""
    for item in items(text).reversed() {
      var item = item
      for end in ["of the month", "of each month", "of the year"] where item.hasSuffix(end) {
        scope = end.hasSuffix("year") ? "year" : "month"
        item = String(item.dropLast(end.count + 1))
      }
      guard let test = test(item, scope) else { return nil }
      tests.append(test)
    }
    return { day in tests.contains { $0(day) } }
  }

  private static func items(_ text: String) -> [String] {
    text.replacing(" and ", with: ", ").replacing(" or ", with: ", ").split(separator: ", ")
      .map { String($0) }
  }

  private static func test(_ item: String, _ scope: String) -> DayTest? {
    let words = item.split(separator: " ").map(String.init).filter { $0 != "the" && $0 != "on" }
    guard let first = words.first else { return nil }
    if let place = weekdays.firstIndex(of: first) {
      guard words.count == 3, words[1] == "to" else {
        return words.count == 1 ? { $0.weekday == place + 1 } : nil
      }
      guard let last = weekdays.firstIndex(of: words[2]) else { return nil }
      return { (place...last).contains($0.weekday - 1) }
    }
    if first == "each" { return test(words.dropFirst().joined(separator: " "), scope) }
    if words == ["day"] { return { _ in true } }
    if first == "day" || Int(first) != nil {
      // `day before last`, `day 3 days before last`, `day 1 to 5`
      if words == ["day", "before", "last"] { return { $0.dayOfMonth == $0.length - 1 } }
      let numbers = words.compactMap { Int($0) }
      if words.last == "last" { return { $0.dayOfMonth == $0.length - numbers[0] } }
      guard let low = numbers.first, let high = numbers.last, !scope.isEmpty else { return nil }
      return { (low...high).contains(scope == "year" ? $0.dayOfYear : $0.dayOfMonth) }
    }
    if words.starts(with: ["weekday", "nearest", "to"]) {
      let rest = words.dropFirst(3).joined(separator: " ")
      let numbers = words.compactMap { Int($0) }
      if rest.hasPrefix("day"), !rest.hasSuffix("last") {
        return { $0.dayOfMonth == $0.nearestWeekday(to: numbers[0]) }
      }
      let before = rest == "last day" ? 0 : numbers.first ?? 1
      return { $0.dayOfMonth == $0.nearestWeekday(to: $0.length - before) }
    }
    if first == "in" { return test(words.dropFirst().joined(separator: " "), scope) }
    if first == "week" { return week(words) }
    return nth(words, scope)
  }

  /// `week 20`, `last week`
  private static func week(_ words: [String]) -> DayTest? {
    if let number = words.last.flatMap({ Int($0) }) { return { $0.week.number == number } }
    return nil
  }

  /// `second Tuesday`, `third-to-last day`
  private static func nth(_ words: [String], _ scope: String) -> DayTest? {
    guard words.count == 2, let number = place(words[0]), !scope.isEmpty else { return nil }
    let isYear = scope == "year"
    if words[1] == "week" { return { $0.week.number == $0.week.count + 1 + number } }
    if words[1] == "day" {
      return {
        let (day, length) = isYear ? ($0.dayOfYear, $0.yearLength) : ($0.dayOfMonth, $0.length)
        return number > 0 ? day == number : day == length + 1 + number
      }
    }
    guard let weekday = weekdays.firstIndex(of: words[1]) else { return nil }
    return {
      let (day, length) = isYear ? ($0.dayOfYear, $0.yearLength) : ($0.dayOfMonth, $0.length)
      guard $0.weekday == weekday + 1 else { return false }
      return number > 0 ? (day - 1) / 7 + 1 == number : (length - day) / 7 + 1 == -number
    }
  }

  /// `last` is −1, `second-to-last` −2, `22nd` 22.
  static func place(_ text: String) -> Int? {
    if text == "last" { return -1 }
    if text.hasSuffix("-to-last") { return place(String(text.dropLast(8))).map { -$0 } }
    if let index = ordinals.firstIndex(of: text) { return index + 1 }
    return Int(text.dropLast(2))
  }
}

/// Months: `January, March to May and June`.
enum SpokenMonths {
  private static func months(_ text: String) -> Set<Int>? {
    var months: Set<Int> = []
    for item in text.replacing(" and ", with: ", ").split(separator: ", ") {
      let ends = item.split(separator: " ").filter { $0 != "to" }.map {
        CivilTime.monthNames.firstIndex(of: String($0))
      }
      guard let first = ends.first ?? nil, let last = ends.last ?? nil else { return nil }
      months.formUnion((first + 1)...(last + 1))
    }
    return months
  }

  /// Takes ` in January and May` from the end of a text.
  static func split(_ text: String) -> (rest: String, months: Set<Int>)? {
    for range in text.ranges(of: " in ").reversed() {
      if let months = months(String(text[range.upperBound...])) {
        return (String(text[..<range.lowerBound]), months)
      }
    }
    return (text, Set(1...12))
  }
}
