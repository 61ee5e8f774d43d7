/// Reads the words of a cron expression.
struct CronWords {
  var days: DayTest = { _ in true }
  /// In seconds of the day.
  var times: Set<Int64> = []

  init?(_ words: String) {
    guard let (rest, months) = SpokenMonths.split(words) else { return nil }
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
