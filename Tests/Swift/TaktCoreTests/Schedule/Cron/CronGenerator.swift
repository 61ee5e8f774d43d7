import TaktCore
import TaktTesting
import TaktTime

/// A cron expression made by chance together with the plain meaning of each field, so that a test
/// can tell what matches without the code that it tests.
struct GeneratedCron {
  var text = ""
  var seconds: Set<Int> = [0]
  var minutes: Set<Int> = []
  var hours: Set<Int> = []
  var months: Set<Int> = []
  var isAnyDay = false
  var isAnyWeekday = false
  var isDay: @Sendable (CivilTime) -> Bool = { _ in false }
  var isWeekday: @Sendable (CivilTime) -> Bool = { _ in false }
  var recurs = false

  /// True if one of two given day fields starts with a star.
  var isStar = false

  func hasDate(_ time: CivilTime, _ rule: CronDayRule) -> Bool {
    guard months.contains(time.month) else { return false }
    if isAnyDay { return isAnyWeekday || isWeekday(time) }
    if isAnyWeekday { return isDay(time) }
    switch rule {
    case .cron: return isStar ? isDay(time) && isWeekday(time) : isDay(time) || isWeekday(time)
    case .any: return isDay(time) || isWeekday(time)
    case .all: return isDay(time) && isWeekday(time)
    }
  }

  func matches(_ time: CivilTime, _ rule: CronDayRule) -> Bool {
    minutes.contains(time.minute) && seconds.contains(time.second) && hours.contains(time.hour)
      && hasDate(time, rule)
  }
}

/// Makes cron expressions by chance.
struct CronGenerator {
  var random: SplitMix64
  /// False to leave out `W`, wrapping ranges and `7`, which not every program knows.
  var isWhole = true

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func next(withSeconds: Bool? = nil) -> GeneratedCron {
    var cron = GeneratedCron()
    let hasSeconds = withSeconds ?? random.oneIn(4)
    var parts: [String] = []
    if hasSeconds {
      let field = field(0...59)
      (cron.seconds, cron.recurs) = (field.values, field.isOpen)
      parts.append(field.text)
    }
    let minute = field(0...59)
    let hour = field(0...23)
    cron.minutes = minute.values
    cron.hours = hour.values
    cron.recurs = cron.recurs || minute.isOpen || hour.isOpen
    let weekday = weekday()
    let isAlone = !isWhole && (weekday.text.contains("#") || weekday.text.contains("L"))
    let day = isAlone ? Day(text: "*") { _ in true } : day()
    cron.isDay = day.test
    cron.isAnyDay = day.text == "*"
    let month = random.oneIn(2) ? Field(text: "*", values: Set(1...12)) : field(1...12)
    cron.months = month.values
    cron.isWeekday = weekday.test
    cron.isAnyWeekday = weekday.text == "*"
    cron.isStar = day.text.hasPrefix("*") || weekday.text.hasPrefix("*")
    parts += [minute.text, hour.text, day.text, month.text, weekday.text]
    cron.text = parts.joined(separator: " ")
    return cron
  }

  private struct Field {
    var text: String
    var values: Set<Int>
    var isOpen = false
  }

  private mutating func field(_ range: ClosedRange<Int>) -> Field {
    if random.oneIn(4) { return Field(text: "*", values: Set(range), isOpen: true) }
    var field = Field(text: "", values: [])
    var texts: [String] = []
    for _ in 0..<(random.oneIn(3) ? number(2...3) : 1) {
      let item = item(range)
      texts.append(item.text)
      field.values.formUnion(item.values)
      field.isOpen = field.isOpen || item.isOpen
    }
    field.text = texts.joined(separator: ",")
    return field
  }

  private mutating func item(_ range: ClosedRange<Int>) -> Field {
    let first = number(range)
    let step = number(2...max(2, range.count / 2))
    switch number(0...5) {
    case 0:
      let values = Set(stride(from: range.lowerBound, through: range.upperBound, by: step))
      return Field(text: "*/\(step)", values: values, isOpen: true)
    case 1:
      let last = number(first...range.upperBound)
      if !isWhole, last == first { return Field(text: "\(first)", values: [first]) }
      let isLong = last - first > step && random.oneIn(2)
      let values = Set(stride(from: first, through: last, by: isLong ? step : 1))
      let text = "\(first)-\(last)" + (isLong ? "/\(step)" : "")
      return Field(text: text, values: values, isOpen: true)
    case 2 where isWhole && first > range.lowerBound:
      let last = number(range.lowerBound...(first - 1))
      let values = Set(first...range.upperBound).union(range.lowerBound...last)
      return Field(text: "\(first)-\(last)", values: values, isOpen: true)
    default:
      return Field(text: "\(first)", values: [first])
    }
  }

  // MARK: Days

  private struct Day {
    var text: String
    var test: @Sendable (CivilTime) -> Bool
  }

  private mutating func day() -> Day {
    if random.oneIn(2) { return Day(text: "*") { _ in true } }
    let day = number(1...31)
    switch number(0...(isWhole ? 6 : 2)) {
    case 0: return Day(text: "L") { $0.day == Self.length($0) }
    case 4: return Day(text: "LW") { $0.day == Self.nearest(Self.length($0), $0) }
    case 5: return Day(text: "\(day)W") { $0.day == Self.nearest(day, $0) }
    case 6:
      let before = day - 1
      return Day(text: "L-\(before)") { $0.day == Self.length($0) - before }
    default:
      let field = field(1...31)
      if !isWhole, field.values.count == 31 { return Day(text: "*") { _ in true } }
      // A list with a bare star in it says any day.
      return Day(text: field.text == "*" ? "1-31" : field.text) { field.values.contains($0.day) }
    }
  }

  private mutating func weekday() -> Day {
    if random.oneIn(2) { return Day(text: "*") { _ in true } }
    let weekday = number(0...6)
    switch number(0...4) {
    case 0:
      let nth = number(1...5)
      return Day(text: "\(weekday)#\(nth)") {
        Self.weekday($0) == weekday && ($0.day - 1) / 7 + 1 == nth
      }
    case 1:
      return Day(text: "\(weekday)L") {
        Self.weekday($0) == weekday && $0.day + 7 > Self.length($0)
      }
    case 2 where isWhole && weekday > 0:
      return Day(text: "\(weekday)-7") { (weekday...7).contains((Self.weekday($0) + 6) % 7 + 1) }
    default:
      let field = field(0...6)
      if !isWhole, field.values.count == 7 { return Day(text: "*") { _ in true } }
      return Day(text: field.text == "*" ? "0-6" : field.text) {
        field.values.contains(Self.weekday($0))
      }
    }
  }

  /// 0 for Sunday, counted from a Thursday.
  static func weekday(_ time: CivilTime) -> Int {
    let midnight = CivilTime(year: time.year, month: time.month, day: time.day).epochSeconds
    return Int(((midnight / 86_400 + 4) % 7 + 7) % 7)
  }

  private static func length(_ time: CivilTime) -> Int {
    (28...31).last { CivilTime(year: time.year, month: time.month, day: $0).isValid } ?? 28
  }

  /// The day that `dayW` means in the month of a time; 0 when the month has no such day.
  private static func nearest(_ day: Int, _ time: CivilTime) -> Int {
    let last = length(time)
    guard day <= last else { return 0 }
    let isWork = { (day: Int) -> Bool in
      (1...5).contains(weekday(CivilTime(year: time.year, month: time.month, day: day)))
    }
    let order = [day, day - 1, day + 1, day - 2, day + 2]
    return order.first { (1...last).contains($0) && isWork($0) } ?? 0
  }
}
