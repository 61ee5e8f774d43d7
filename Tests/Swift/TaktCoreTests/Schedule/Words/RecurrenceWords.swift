import TaktTime

/// Reads the words of a recurrence of days or longer.
struct RecurrenceWords {
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
    guard let (rest, months) = SpokenMonths.split(text) else { return nil }
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
