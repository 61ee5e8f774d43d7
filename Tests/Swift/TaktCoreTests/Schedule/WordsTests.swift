import TaktTesting
import TaktTime
import Testing

@testable import TaktCore

/// The words of expressions made by chance, read as a person reads them and held against the times that
/// the expressions give.
@Suite struct WordsTests {
  @Test func `the words of a cron expression say when it is due`() throws {
    var generator = CronGenerator(seed: 46)
    for _ in 0..<500 {
      let text = generator.next().text
      let expression = try CronExpression(text)
      let words = expression.words()
      let meaning = try #require(CronWords(words), "'\(text)': \(words)")
      let search = CronSearch(expression: expression, rule: .cron)
      let first = CivilTime.daysSinceEpoch(year: 2027, month: 3, day: 1)
      for day in first..<(first + 400) {
        let next = search.first(from: day * 86_400)
        let isDue = next.map { $0 < (day + 1) * 86_400 } ?? false
        guard isDue == meaning.days(SpokenDay(day)) else {
          Issue.record("'\(text)': \(words), on \(DayFilter.date(day))")
          break
        }
      }
      var from = search.first(from: first * 86_400) ?? 0
      let day = from / 86_400
      var found = 0
      while let next = search.first(from: from), next / 86_400 == day, found < 200 {
        #expect(meaning.times.contains(next % 86_400), "'\(text)': \(words), at \(next % 86_400)")
        (from, found) = (next + 1, found + 1)
      }
      let count =
        expression.hours.nonzeroBitCount * expression.minutes.nonzeroBitCount
        * expression.seconds.nonzeroBitCount
      #expect(meaning.times.count == count, "'\(text)': \(words)")
    }
  }

  @Test func `the words of a recurrence say when it is due`() throws {
    var generator = RecurrenceGenerator(seed: 46)
    var compared = 0
    while compared < 500 {
      let rule = generator.next()
      guard rule.isOfDays else { continue }
      compared += 1
      // Its end is said apart.
      let parts = rule.text.split(separator: ";").filter { part in
        !["COUNT=", "UNTIL="].contains { part.hasPrefix($0) }
      }
      let text = parts.joined(separator: ";")
      let recurrence = try Recurrence.read(text).recurrence
      let words = recurrence.words
      let start = recurrence.start
      let meaning = try #require(RecurrenceWords(words, from: start), "'\(text)': \(words)")
      let end = start + 1100 * 86_400
      var wanted = meaning.times(through: end)
      wanted.removeAll { $0 < start }
      var (found, from): ([Int64], Int64) = ([], start)
      while found.count <= 100, let next = recurrence.first(from: from), next <= end {
        found.append(next)
        from = next + 1
      }
      #expect(
        found.prefix(100) == wanted.prefix(100),
        "'\(text)': \(words); \(Self.differences(found, wanted))")
    }
  }

  private static func differences(_ found: [Int64], _ wanted: [Int64]) -> String {
    zip(found.prefix(100), wanted.prefix(100)).first { $0 != $1 }.map { pair in
      RecurrenceTime.text(pair.0) + " is said as " + RecurrenceTime.text(pair.1)
    } ?? "\(found.count) times are said as \(wanted.count)"
  }
}

// MARK: - Days

/// A day as people speak of it.
private struct SpokenDay {
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

private typealias DayTest = (SpokenDay) -> Bool

/// A list of days: `day 1 to 3 and 15 of the month`, `the last Friday of the month and Monday`.
private struct SpokenDays {
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let ordinals = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
  ]

  /// Nil for what nobody understands.
  static func test(_ text: String) -> DayTest? {
    var tests: [DayTest] = []
    // What a list counts stands behind its last item.
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
private func spokenMonths(_ text: String) -> Set<Int>? {
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
private func splitMonths(_ text: String) -> (rest: String, months: Set<Int>)? {
  for range in text.ranges(of: " in ").reversed() {
    if let months = spokenMonths(String(text[range.upperBound...])) {
      return (String(text[..<range.lowerBound]), months)
    }
  }
  return (text, Set(1...12))
}

// MARK: - Cron

/// What the words of a cron expression mean.
private struct CronWords {
  var days: DayTest = { _ in true }
  /// In seconds of the day.
  var times: Set<Int64> = []

  init?(_ words: String) {
    guard let (rest, months) = splitMonths(words) else { return nil }
    // An hour has no `on` but in `on the hour`.
    let text = rest.replacing("every hour on the hour", with: "every hour at minute 0")
    let range = text.firstRange(of: " on ")
    let time = range.map { String(text[..<$0.lowerBound]) } ?? text
    guard let times = Self.times(time) else { return nil }
    self.times = times
    guard let range else {
      days = { months.contains($0.month) }
      return
    }
    let dayText = String(text[range.upperBound...])
    func parts(_ separator: String) -> [DayTest?] {
      dayText.split(separator: separator).map { SpokenDays.test(String($0)) }
    }
    let (both, either) = (parts(", if that is "), parts(" or on "))
    if both.count == 2, let first = both[0], let second = both[1] {
      days = { months.contains($0.month) && first($0) && second($0) }
    } else if either.count == 2, let first = either[0], let second = either[1] {
      days = { months.contains($0.month) && (first($0) || second($0)) }
    } else if both.count == 1, either.count == 1, let only = both[0] {
      days = { months.contains($0.month) && only($0) }
    } else {
      return nil
    }
  }

  private static func times(_ text: String) -> Set<Int64>? {
    let items = text.replacing(" and ", with: ", ").split(separator: ", ").map { String($0) }
    var times: Set<Int64> = []
    // `at 02:30 and 14:30:10`
    if items[0].hasPrefix("at "), items[0].contains(":") {
      for item in items {
        let numbers = item.split { !$0.isNumber }.compactMap { Int64($0) }
        guard (2...3).contains(numbers.count) else { return nil }
        times.insert(numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0))
      }
      return times
    }
    var fields: [String: Set<Int>] = [:]
    var unit = ""
    for item in items {
      guard let values = values(item, &unit) else { return nil }
      fields[unit, default: []].formUnion(values)
    }
    let seconds = fields["second"] ?? [0]
    let minutes = fields["minute"] ?? Set(0...59)
    for hour in fields["hour"] ?? Set(0...23) {
      for minute in minutes {
        for second in seconds { times.insert(Int64(hour * 3600 + minute * 60 + second)) }
      }
    }
    return times
  }

  /// The values of an item and their unit, which is that of the item before where it names none.
  private static func values(_ item: String, _ unit: inout String) -> Set<Int>? {
    let words = item.split(separator: " ").map(String.init)
    let numbers = words.compactMap { Int($0) }
    if words.starts(with: ["every", "hour", "at", "minute"]) {
      unit = "minute"
      return Set(numbers)
    }
    if words[0] == "in" || words[0] == "from" {
      unit = "hour"
      let hours = item.split { !$0.isNumber }.compactMap { Int($0) }
      return words[0] == "in" ? [hours[0]] : Set(hours[0]...hours[2])
    }
    for name in ["second", "minute", "hour"] where words.contains(where: { $0.hasPrefix(name) }) {
      unit = name
    }
    let end = unit == "hour" ? 23 : 59
    guard words[0] == "every" else {
      guard let low = numbers.first, let high = numbers.last, numbers.count <= 2 else { return nil }
      return Set(low...high)
    }
    guard let step = numbers.first else { return Set(0...end) }
    let first = numbers.count > 1 ? numbers[1] : 0
    return Set(stride(from: first, through: numbers.count > 2 ? numbers[2] : end, by: step))
  }
}

// MARK: - Recurrences

/// What the words of a recurrence of days or longer mean.
private struct RecurrenceWords {
  private enum Unit: String { case year, month, week, day }

  private let start: Int64
  private var unit = Unit.day
  private var interval = 1
  private var days: [DayTest] = []
  private var months: Set<Int> = []
  private var clock: [Int64] = []
  private var places: [Int] = []
  /// 1 for Monday.
  private var weekStart = 1

  init?(_ words: String, from start: Int64) {
    self.start = start
    // `…, from 2026-01-05 on`
    guard let end = words.ranges(of: ", from ").last else { return nil }
    var text = String(words[..<end.lowerBound])
    if let weeks = text.firstRange(of: ", with weeks that start on ") {
      guard let day = CivilTime.weekdayNames.firstIndex(of: String(text[weeks.upperBound...]))
      else { return nil }
      weekStart = day == 0 ? 7 : day
      text = String(text[..<weeks.lowerBound])
    }
    if let only = text.firstRange(of: ", only ") {
      let list = text[only.upperBound...].prefix(while: { _ in true })
      guard let of = list.ranges(of: " of each ").last else { return nil }
      let items = list[..<of.lowerBound].replacing(" and ", with: ", ").split(separator: ", ")
      for item in items {
        guard let place = SpokenDays.place(String(item.dropFirst(4))) else { return nil }
        places.append(place)
      }
      text = String(text[..<only.lowerBound])
    }
    if let at = text.ranges(of: " at ").last {
      guard let clock = Self.clock(String(text[at.upperBound...])) else { return nil }
      self.clock = clock
      text = String(text[..<at.lowerBound])
      if text.hasSuffix(",") { text.removeLast() }
    } else {
      clock = (0..<86_400).map(Int64.init)
    }
    guard let (rest, months) = splitMonths(text) else { return nil }
    self.months = months
    let parts = rest.split(separator: ", if that is ").map(String.init)
    guard let head = parts.first else { return nil }
    var headWords = head.split(separator: " ").map(String.init)
    guard headWords.count > 1, headWords.removeFirst() == "every" else { return nil }
    if let number = Int(headWords[0]) {
      interval = number
      headWords.removeFirst()
    }
    guard
      let unit = Unit(
        rawValue: headWords[0].hasSuffix("s")
          ? String(headWords[0].dropLast()) : headWords[0])
    else { return nil }
    self.unit = unit
    let named = headWords.dropFirst().joined(separator: " ")
    for part in [named] + parts.dropFirst() where !part.isEmpty {
      guard let test = SpokenDays.test(part) else { return nil }
      days.append(test)
    }
  }

  /// `09:00 and 17:30`, `hours 9 to 12, minutes 0 and 30`
  private static func clock(_ text: String) -> [Int64]? {
    let items = text.replacing(" and ", with: ", ").split(separator: ", ").map { String($0) }
    if text.contains(":") {
      return items.map { item in
        let numbers = item.split(separator: ":").compactMap { Int64($0) }
        return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
      }.sorted()
    }
    var fields: [String: Set<Int64>] = [:]
    var unit = ""
    for item in items {
      for name in ["hour", "minute", "second"] where item.hasPrefix(name) { unit = name }
      let numbers = item.split(separator: " ").compactMap { Int64($0) }
      guard let low = numbers.first, let high = numbers.last else { return nil }
      fields[unit, default: []].formUnion(low...high)
    }
    var times: [Int64] = []
    for hour in fields["hour"] ?? Set(0...23) {
      for minute in fields["minute"] ?? Set(0...59) {
        for second in fields["second"] ?? [0] { times.append(hour * 3600 + minute * 60 + second) }
      }
    }
    return times.sorted()
  }

  /// All its times from the period of its first one on.
  func times(through end: Int64) -> [Int64] {
    let first = SpokenDay(start / 86_400, weekStart: weekStart)
    var day = firstOfPeriod(first)
    var (times, set): ([Int64], [Int64]) = ([], [])
    var period = number(SpokenDay(day, weekStart: weekStart))
    let origin = period
    while day * 86_400 <= end + 400 * 86_400, times.last ?? 0 <= end {
      // More are not compared.
      if times.count > 100, times[times.count - 101] >= start { break }
      let spoken = SpokenDay(day, weekStart: weekStart)
      if number(spoken) != period {
        times += chosen(set)
        (set, period) = ([], number(spoken))
      }
      if (period - origin) % Int64(interval) == 0, months.contains(spoken.month),
        days.allSatisfy({ $0(spoken) })
      {
        set += clock.map { day * 86_400 + $0 }
      }
      day += 1
    }
    return (times + chosen(set)).filter { $0 <= end }
  }

  private func chosen(_ set: [Int64]) -> [Int64] {
    if places.isEmpty { return set }
    let indices = places.map { $0 > 0 ? $0 - 1 : set.count + $0 }
    return Set(indices).filter(set.indices.contains).sorted().map { set[$0] }
  }

  private func number(_ day: SpokenDay) -> Int64 {
    switch unit {
    case .year: Int64(day.year)
    case .month: Int64(day.year * 12 + day.month)
    case .week: (day.startOfWeek + 3).flooredQuotient(by: 7)
    case .day: day.day
    }
  }

  private func firstOfPeriod(_ day: SpokenDay) -> Int64 {
    switch unit {
    case .year: day.day - Int64(day.dayOfYear) + 1
    case .month: day.day - Int64(day.dayOfMonth) + 1
    case .week: day.startOfWeek
    case .day: day.day
    }
  }
}
