import TaktTesting
import TaktTime

/// Makes recurrence rules by chance, of all parts of RFC 5545 in all combinations that it allows.
struct RecurrenceGenerator {
  var random: SplitMix64

  struct Rule {
    var text: String
    /// True if its frequency is a day or longer.
    var isOfDays: Bool
    /// An instant near its beginning, or some years after it; in local seconds.
    var base: Int64
    var weekday: String

    /// Of weeks without days dateutil takes all days, where RFC 5545 has that of DTSTART.
    var textForDateutil: String {
      let days = ["BYDAY=", "BYMONTHDAY=", "BYYEARDAY="]
      guard text.contains("BYWEEKNO="), !days.contains(where: text.contains) else { return text }
      return text.replacing("BYWEEKNO=", with: "BYDAY=\(weekday);BYWEEKNO=")
    }
  }

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func list(_ range: ClosedRange<Int>, isSigned: Bool = false) -> String {
    let numbers = Set(
      (0..<number(1...3)).map { _ in
        number(range) * (isSigned && random.oneIn(3) ? -1 : 1)
      })
    return numbers.sorted().map(String.init).joined(separator: ",")
  }

  mutating func next() -> Rule {
    let civil = CivilTime(
      year: number(1995...2030), month: number(1...12), day: number(1...28), hour: number(0...23),
      minute: number(0...59), second: random.oneIn(3) ? number(0...59) : 0)
    let frequencies = [
      ("YEARLY", 9 * 366 * 86_400), ("MONTHLY", 9 * 366 * 86_400), ("WEEKLY", 9 * 366 * 86_400),
      ("DAILY", 3 * 366 * 86_400), ("HOURLY", 3_000_000), ("MINUTELY", 100_000),
      ("SECONDLY", 2000),
    ]
    let (frequency, reach) = frequencies[number(0...6)]
    let isShort = ["HOURLY", "MINUTELY", "SECONDLY"].contains(frequency)
    var parts = ["FREQ=\(frequency)"]
    if !random.oneIn(3) {
      parts.append("INTERVAL=\(random.oneIn(4) ? number(1...60) : number(1...10))")
    }
    let sets = self.sets(frequency, isShort: isShort)
    parts += sets
    if !sets.isEmpty, random.oneIn(5) {
      parts.append("BYSETPOS=" + list(1...[2, 5, 20][number(0...2)], isSigned: true))
    }
    if random.oneIn(5) { parts.append("WKST=\(Self.days[number(0...6)])") }
    switch number(0...9) {
    case 0: parts.append("COUNT=\(number(1...40))")
    case 1:
      let end = CivilTime(epochSeconds: civil.epochSeconds + Int64(number(0...4000)) * 86_400)
      parts.append("UNTIL=" + Self.text(end))
    default: break
    }
    return Rule(
      text: "DTSTART:\(Self.text(civil)) RRULE:" + parts.joined(separator: ";"),
      isOfDays: !isShort, base: civil.epochSeconds - 5 + Int64(number(0...reach)),
      weekday: Self.days[(CronGenerator.weekday(civil) + 6) % 7])
  }

  private mutating func sets(_ frequency: String, isShort: Bool) -> [String] {
    var parts: [String] = []
    let isYearly = frequency == "YEARLY"
    if random.oneIn(3) { parts.append("BYMONTH=" + list(1...12)) }
    if frequency != "WEEKLY", random.oneIn(3) {
      parts.append("BYMONTHDAY=" + list(1...31, isSigned: true))
    }
    if (isYearly || isShort) && random.oneIn(6) {
      parts.append("BYYEARDAY=" + list(1...366, isSigned: true))
    }
    let hasWeeks = isYearly && random.oneIn(5)
    if hasWeeks { parts.append("BYWEEKNO=" + list(1...53, isSigned: true)) }
    if random.oneIn(2) { parts.append("BYDAY=" + weekdays(frequency, hasWeeks: hasWeeks)) }
    if random.oneIn(4) { parts.append("BYHOUR=" + list(0...23)) }
    if random.oneIn(4) { parts.append("BYMINUTE=" + list(0...59)) }
    if random.oneIn(5) { parts.append("BYSECOND=" + list(0...59)) }
    return parts
  }

  /// Either plain weekdays or numbered ones: of both together dateutil takes none.
  private mutating func weekdays(_ frequency: String, hasWeeks: Bool) -> String {
    let isNumbered = ["YEARLY", "MONTHLY"].contains(frequency) && !hasWeeks && random.oneIn(2)
    let days = (0..<number(1...4)).map { _ in
      let number = isNumbered ? String(self.number(1...5) * (random.oneIn(2) ? 1 : -1)) : ""
      return number + Self.days[self.number(0...6)]
    }
    return Set(days).sorted().joined(separator: ",")
  }

  static func text(_ civil: CivilTime) -> String {
    civil.year.padded(4) + civil.month.padded(2) + civil.day.padded(2) + "T"
      + civil.hour.padded(2) + civil.minute.padded(2) + civil.second.padded(2)
  }
}
