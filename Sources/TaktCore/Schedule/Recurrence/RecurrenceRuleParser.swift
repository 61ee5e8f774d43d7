import TaktTime

/// Reads the value of RRULE.
struct RecurrenceRuleParser {
  static let parts = [
    "FREQ", "UNTIL", "COUNT", "INTERVAL", "BYSECOND", "BYMINUTE", "BYHOUR", "BYDAY", "BYMONTHDAY",
    "BYYEARDAY", "BYWEEKNO", "BYMONTH", "BYSETPOS", "WKST",
  ]
  static let weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
  static let intervalMax = 1_000_000_000
  private static let listMax = 400

  private var reader: ByteReader
  private let start: RecurrenceTime
  /// For each part its values, its text, and their places.
  private var values: [String: (place: Int, range: Range<Int>)] = [:]

  init(_ reader: ByteReader, start: RecurrenceTime) {
    self.reader = reader
    self.start = start
  }

  mutating func rule() throws(RecurrenceProblem) -> RecurrenceRule {
    let begin = reader.position
    repeat { try part() } while reader.consume(";") && !reader.isAtEnd
    guard let place = values["FREQ"] else { throw RecurrenceProblem(.missingFrequency, at: begin) }
    let name = text(place.range).uppercased()
    guard let frequency = RecurrenceRule.Frequency(rawValue: name) else {
      let all = RecurrenceRule.Frequency.allCases.map(\.rawValue)
      throw RecurrenceProblem(
        .unknownFrequency(name, nearest: NearestName.of(name, among: all)),
        at: place.range.lowerBound)
    }
    try checkParts(for: frequency)
    var rule = RecurrenceRule(
      frequency: frequency, days: RecurrenceDays(),
      times: DayTimes(hours: 0, minutes: 0, seconds: 0), start: start.local, text: "")
    if let interval = try numbers("INTERVAL", 1...Self.intervalMax).first {
      rule.interval = interval
    }
    rule.end = try end()
    try readDays(of: &rule)
    try readTimes(of: &rule)
    rule.positions = Set(try numbers("BYSETPOS", 1...366, isSigned: true)).sorted()
    rule.text = text(of: rule)
    return rule
  }

  private mutating func part() throws(RecurrenceProblem) {
    let place = reader.position
    reader.skip { ByteReader.isLetter($0) || $0 == UInt8(ascii: "-") }
    let name = reader.text(from: place, to: reader.position).uppercased()
    guard Self.parts.contains(name) else {
      throw RecurrenceProblem(
        .unknown(name, nearest: NearestName.of(name, among: Self.parts)), at: place)
    }
    if values[name] != nil { throw RecurrenceProblem(.twice(name), at: place) }
    guard reader.consume("=") else {
      throw RecurrenceProblem(.badValue("", of: name), at: reader.position)
    }
    let start = reader.position
    reader.skip { $0 != UInt8(ascii: ";") }
    values[name] = (place, start..<reader.position)
  }

  /// Refuses combinations that RFC 5545 forbids.
  private func checkParts(for frequency: RecurrenceRule.Frequency) throws(RecurrenceProblem) {
    func refuse(_ name: String, beside other: String) throws(RecurrenceProblem) {
      guard let place = values[name]?.place else { return }
      throw RecurrenceProblem(.cannotCombine(name, with: other), at: place)
    }
    if values["UNTIL"] != nil { try refuse("COUNT", beside: "UNTIL") }
    let word = "FREQ=\(frequency.rawValue)"
    if frequency != .yearly { try refuse("BYWEEKNO", beside: word) }
    if frequency == .weekly { try refuse("BYMONTHDAY", beside: word) }
    if [.daily, .weekly, .monthly].contains(frequency) { try refuse("BYYEARDAY", beside: word) }
    if start.isDate {
      for name in ["BYHOUR", "BYMINUTE", "BYSECOND"] {
        try refuse(name, beside: "a DTSTART without a time of day")
      }
      if frequency.seconds != nil { try refuse("FREQ", beside: "a DTSTART without a time of day") }
    }
    let sets = ["SECOND", "MINUTE", "HOUR", "DAY", "MONTHDAY", "YEARDAY", "WEEKNO", "MONTH"]
    if let place = values["BYSETPOS"]?.place, !sets.contains(where: { values["BY" + $0] != nil }) {
      throw RecurrenceProblem(.positionsAlone, at: place)
    }
  }

  private func end() throws(RecurrenceProblem) -> RecurrenceRule.End {
    if let place = values["COUNT"] {
      let count = try numbers("COUNT", 1...Int.max)[0]
      guard count <= Recurrence.countMax else {
        throw RecurrenceProblem(
          .tooMany("COUNT", max: Recurrence.countMax), at: place.range.lowerBound)
      }
      return .count(count)
    }
    guard let place = values["UNTIL"] else { return .never }
    let time = try RecurrenceTime.read(reader, place.range, of: "UNTIL")
    guard time.isDate == start.isDate, !start.isUTC || time.isUTC else {
      throw RecurrenceProblem(.otherForm("UNTIL"), at: place.range.lowerBound)
    }
    return time.isUTC ? .instant(time.local) : .local(time.local)
  }

  private func readDays(of rule: inout RecurrenceRule) throws(RecurrenceProblem) {
    var days = RecurrenceDays()
    if let place = values["WKST"] {
      guard let day = Self.weekdays.firstIndex(of: text(place.range).uppercased()) else {
        throw wrong(place.range, of: "WKST")
      }
      days.weekStart = day
    }
    for month in try numbers("BYMONTH", 1...12) { days.months |= 1 << UInt16(month) }
    for day in try numbers("BYMONTHDAY", 1...31, isSigned: true) {
      if day > 0 {
        days.monthDays |= 1 << UInt32(day)
      } else {
        days.lastMonthDays |= 1 << UInt32(-day)
      }
    }
    days.yearDays = Set(try numbers("BYYEARDAY", 1...366, isSigned: true)).sorted()
    for week in try numbers("BYWEEKNO", 1...53, isSigned: true) {
      if week > 0 { days.weeks |= 1 << UInt64(week) } else { days.lastWeeks |= 1 << UInt64(-week) }
    }
    try readWeekdays(of: &days, rule.frequency)
    days.areOfYear = rule.frequency == .yearly && days.months == 0
    let first = CivilTime(epochSeconds: start.local)
    let day = start.local.flooredQuotient(by: 86_400)
    let weekday = UInt8(1) << UInt8(CivilTime.weekday(daysSinceEpoch: day))
    // A rule takes the parts that it leaves open from DTSTART: of the weeks of a year the day.
    if days.isEveryDayOfWeeks { days.weekdays = weekday }
    if days.isEveryDay {
      switch rule.frequency {
      case .yearly:
        if days.months == 0 { days.months = 1 << UInt16(first.month) }
        days.monthDays = 1 << UInt32(first.day)
      case .monthly: days.monthDays = 1 << UInt32(first.day)
      case .weekly: days.weekdays = weekday
      case .daily, .hourly, .minutely, .secondly: break
      }
    }
    rule.days = days
  }

  private func readWeekdays(
    of days: inout RecurrenceDays, _ frequency: RecurrenceRule.Frequency
  ) throws(RecurrenceProblem) {
    guard let place = values["BYDAY"] else { return }
    var nth: Set<RecurrenceDays.NthWeekday> = []
    for range in try items(place.range, of: "BYDAY") {
      let item = text(range).uppercased()
      guard let day = Self.weekdays.firstIndex(of: String(item.suffix(2))) else {
        throw wrong(range, of: "BYDAY")
      }
      if item.utf8.count == 2 {
        days.weekdays |= 1 << UInt8(day)
        continue
      }
      guard let number = Self.number(item.dropLast(2), 1...53, isSigned: true) else {
        throw wrong(range, of: "BYDAY")
      }
      guard frequency == .yearly || frequency == .monthly, values["BYWEEKNO"] == nil else {
        let other = values["BYWEEKNO"] == nil ? "FREQ=\(frequency.rawValue)" : "BYWEEKNO"
        throw RecurrenceProblem(
          .cannotCombine("BYDAY=\(item)", with: other), at: range.lowerBound)
      }
      nth.insert(RecurrenceDays.NthWeekday(number: number, weekday: day))
    }
    days.nthWeekdays = nth.sorted()
  }

  private func readTimes(of rule: inout RecurrenceRule) throws(RecurrenceProblem) {
    let first = CivilTime(epochSeconds: start.local)
    func bits(
      _ name: String, _ count: Int, _ own: Int, isOwn: Bool
    ) throws(RecurrenceProblem) -> UInt64 {
      let given = try numbers(name, 0...(count - 1))
      if given.isEmpty { return isOwn ? 1 << UInt64(own) : (1 << UInt64(count)) - 1 }
      return given.reduce(0) { $0 | 1 << UInt64($1) }
    }
    let frequency = rule.frequency
    rule.times.hours = UInt32(
      truncatingIfNeeded: try bits("BYHOUR", 24, first.hour, isOwn: frequency < .hourly))
    rule.times.minutes = try bits("BYMINUTE", 60, first.minute, isOwn: frequency < .minutely)
    rule.times.seconds = try bits("BYSECOND", 60, first.second, isOwn: frequency < .secondly)
  }

  private func text(_ range: Range<Int>) -> String {
    reader.text(from: range.lowerBound, to: range.upperBound)
  }

  private func wrong(_ range: Range<Int>, of part: String) -> RecurrenceProblem {
    let value = String(decoding: reader.bytes[range].prefix(40), as: UTF8.self)
    return RecurrenceProblem(.badValue(value, of: part), at: range.lowerBound)
  }

  /// The items of a list; a part without one is wrong.
  private func items(_ range: Range<Int>, of part: String) throws(RecurrenceProblem) -> [Range<Int>]
  {
    var items: [Range<Int>] = []
    var place = range.lowerBound
    while true {
      guard items.count < Self.listMax else {
        throw RecurrenceProblem(.tooMany(part, max: Self.listMax), at: place)
      }
      let end =
        reader.bytes[place..<range.upperBound].firstIndex(of: UInt8(ascii: ","))
        ?? range.upperBound
      items.append(place..<end)
      guard end < range.upperBound else { return items }
      place = end + 1
    }
  }

  /// The numbers of a part; none where it is not given.
  private func numbers(
    _ part: String, _ values: ClosedRange<Int>, isSigned: Bool = false
  ) throws(RecurrenceProblem) -> [Int] {
    guard let place = self.values[part] else { return [] }
    var numbers: [Int] = []
    let isOne = part == "INTERVAL" || part == "COUNT"
    for range in isOne ? [place.range] : try items(place.range, of: part) {
      guard let number = Self.number(Substring(text(range)), values, isSigned: isSigned) else {
        throw wrong(range, of: part)
      }
      numbers.append(number)
    }
    return numbers
  }

  private static func number(
    _ text: Substring, _ values: ClosedRange<Int>, isSigned: Bool
  ) -> Int? {
    guard isSigned || text.utf8.allSatisfy(ByteReader.isDigit), let number = Int(text),
      values.contains(abs(number == .min ? 0 : number))
    else { return nil }
    return number
  }

  /// The parts in a fixed order, with their values in order.
  private func text(of rule: RecurrenceRule) -> String {
    var parts = ["FREQ=\(rule.frequency.rawValue)"]
    switch rule.end {
    case .never: break
    case .count(let count): parts.append("COUNT=\(count)")
    case .local(let time): parts.append("UNTIL=" + RecurrenceTime.text(time))
    case .instant(let time): parts.append("UNTIL=" + RecurrenceTime.text(time) + "Z")
    }
    if rule.interval > 1 { parts.append("INTERVAL=\(rule.interval)") }
    func add(_ name: String, _ list: [Int]) {
      guard values[name] != nil else { return }
      parts.append("\(name)=" + list.map(String.init).joined(separator: ","))
    }
    func bits(_ bits: UInt64) -> [Int] { (0..<64).filter { bits >> UInt64($0) & 1 == 1 } }
    let (days, times) = (rule.days, rule.times)
    add("BYSECOND", bits(times.seconds))
    add("BYMINUTE", bits(times.minutes))
    add("BYHOUR", bits(UInt64(times.hours)))
    // With weeks always: earlier versions read weeks without days in another way.
    if values["BYDAY"] != nil || values["BYWEEKNO"] != nil && days.weekdays != 0 {
      let week = (1...7).map { $0 % 7 }.filter { days.weekdays >> UInt8($0) & 1 == 1 }
      let items =
        week.map { Self.weekdays[$0] }
        + days.nthWeekdays.map { "\($0.number)" + Self.weekdays[$0.weekday] }
      parts.append("BYDAY=" + items.joined(separator: ","))
    }
    add("BYMONTHDAY", bits(UInt64(days.monthDays)) + bits(UInt64(days.lastMonthDays)).map { -$0 })
    add("BYYEARDAY", days.yearDays)
    add("BYWEEKNO", bits(days.weeks) + bits(days.lastWeeks).map { -$0 })
    add("BYMONTH", bits(UInt64(days.months)))
    add("BYSETPOS", rule.positions)
    if days.weekStart != 1 { parts.append("WKST=\(Self.weekdays[days.weekStart])") }
    return parts.joined(separator: ";")
  }
}
