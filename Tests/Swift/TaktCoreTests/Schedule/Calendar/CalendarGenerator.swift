import TaktTesting

/// Calendar expressions by chance, right ones and broken ones.
struct CalendarGenerator {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func expression() -> String {
    if random.oneIn(20) { return shorthand() + suffix() }
    var parts: [String] = []
    if random.oneIn(3) { parts.append(weekdays()) }
    let withDate = !random.oneIn(3)
    if withDate { parts.append(date()) }
    if !withDate && parts.isEmpty || !random.oneIn(4) { parts.append(time()) }
    if random.oneIn(60) { return "@\(number(0...4_000_000_000))" }
    return parts.joined(separator: random.oneIn(30) ? "  " : " ") + suffix()
  }

  /// One of the former with some of its signs lost, added or exchanged.
  mutating func broken() -> String {
    var signs = Array(expression())
    let others = Array("*,-/:~.. 0123456789999@MonTueSatUTC")
    for _ in 0..<number(1...2) where !signs.isEmpty {
      let place = number(0...(signs.count - 1))
      switch number(0...3) {
      case 0: signs.remove(at: place)
      case 1: signs.insert(others[number(0...(others.count - 1))], at: place)
      case 2: signs[place] = others[number(0...(others.count - 1))]
      default: signs.swapAt(place, number(0...(signs.count - 1)))
      }
    }
    return String(signs)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func pick(_ words: [String]) -> String { words[number(0...(words.count - 1))] }

  private mutating func shorthand() -> String {
    pick([
      "minutely", "hourly", "daily", "monthly", "weekly", "yearly", "annually", "anually",
      "quarterly", "semiannually", "semi-annually", "biannually", "bi-annually", "Daily",
    ])
  }

  private mutating func suffix() -> String {
    guard random.oneIn(8) else { return "" }
    return " " + pick(["UTC", "utc", "Asia/Tokyo", "Europe/London", "America/Chicago", "No/Where"])
  }

  private mutating func weekdays() -> String {
    let short = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let long = ["Monday", "tuesday", "WED", "Thursday", "friday", "sat", "Sunday"]
    var parts: [String] = []
    for _ in 0...number(0...2) {
      let names = random.oneIn(4) ? long : short
      let first = number(0...6)
      if random.oneIn(3) {
        let last = random.oneIn(12) ? number(0...6) : number(first...6)
        parts.append(names[first] + (random.oneIn(5) ? "-" : "..") + names[last])
      } else {
        parts.append(names[first])
      }
    }
    return parts.joined(separator: ",") + (random.oneIn(20) ? "," : "")
  }

  private mutating func date() -> String {
    let isFromEnd = random.oneIn(4)
    let day = isFromEnd ? list(1...28) : list(1...31)
    let monthAndDay = list(1...12) + (isFromEnd ? "~" : "-") + day
    if random.oneIn(3) { return monthAndDay }
    let year =
      switch number(0...5) {
      case 0: list(2010...2040)
      case 1: list(0...99)
      default: "*"
      }
    return year + "-" + monthAndDay
  }

  private mutating func time() -> String {
    let time = list(0...23) + ":" + list(0...59)
    return random.oneIn(2) ? time + ":" + seconds() : time
  }

  private mutating func list(_ range: ClosedRange<Int>) -> String {
    if random.oneIn(3) { return "*" }
    let count = random.oneIn(3) ? number(2...4) : 1
    return (0..<count).map { _ in item(range) }.joined(separator: ",")
  }

  private mutating func item(_ range: ClosedRange<Int>) -> String {
    // Now and then a value that does not exist.
    let reach = random.oneIn(60) ? range.lowerBound...(range.upperBound + 40) : range
    let first = number(reach)
    var text = random.oneIn(2) && first < 10 ? "0\(first)" : "\(first)"
    if random.oneIn(4), first <= range.upperBound {
      text += "..\(number(first...range.upperBound))"
    }
    if random.oneIn(4) { text += "/\(number(1...max(1, range.upperBound - first)))" }
    return text
  }

  private mutating func seconds() -> String {
    switch number(0...5) {
    case 0: return "*"
    case 1: return "\(number(0...59)).\(number(0...9_999_999))"
    case 2: return "\(number(0...30))/\(number(1...20)).5"
    case 3: return "\(number(0...30)).25..\(number(31...59))/\(number(1...9)).125"
    default: return list(0...59)
    }
  }
}
