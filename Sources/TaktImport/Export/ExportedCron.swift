import TaktCore

/// The fields of a cron expression, for programs with fewer forms.
struct ExportedCron {
  /// Minute, hour, day of month, month, day of week.
  let fields: [String]
  let hasBothDays: Bool

  /// Nil for an expression with seconds, years, or days that classic cron cannot express.
  init?(_ expression: CronExpression) {
    let fields = expression.normalized.split(separator: " ").map(String.init)
    guard fields.count == 5, !fields.contains(where: { $0.contains("#") }),
      !fields[2].contains(where: { "LW".contains($0) }), !fields[4].contains("L")
    else { return nil }
    self.fields = zip(fields, [59, 23, 31, 12, 6]).map(Self.closed)
    hasBothDays = fields[2] != "*" && fields[4] != "*"
  }

  /// `5-59/10` for `5/10`, which other programs refuse.
  private static func closed(_ field: String, upTo last: Int) -> String {
    field.split(separator: ",").map { part in
      let halves = part.split(separator: "/")
      guard halves.count == 2, Int(halves[0]) != nil else { return String(part) }
      return "\(halves[0])-\(last)/\(halves[1])"
    }.joined(separator: ",")
  }

  /// True if a day must match both fields.
  private func needsBoth(_ rule: CronDayRule) -> Bool {
    switch rule.rawValue {
    case "all": true
    case "any": false
    // The rule of classic cron itself.
    default: fields[2].hasPrefix("*") || fields[4].hasPrefix("*")
    }
  }

  /// The text for classic cron; nil if it cannot express that both fields must match.
  func classic(_ rule: CronDayRule) -> String? {
    guard hasBothDays else { return fields.joined(separator: " ") }
    var fields = fields
    let month = Self.numbers(fields[2], in: 1...31)
    let week = Self.days(of: fields[4])
    if !needsBoth(rule) {
      // With a star at the start of a field, both would have to match.
      fields[2] = Self.list(month)
      fields[4] = Self.list(week)
    } else if let stepped = Self.stepped(month, in: 1...31) {
      fields[2] = stepped
    } else if let stepped = Self.stepped(week, in: 0...6) {
      fields[4] = stepped
    } else {
      return nil
    }
    return fields.joined(separator: " ")
  }

  /// `*/2` for `1,3,5,…`; nil for other values.
  private static func stepped(_ values: [Int], in range: ClosedRange<Int>) -> String? {
    guard values.count > 1, values[0] == range.lowerBound else { return nil }
    let step = values[1] - values[0]
    let all = Array(stride(from: range.lowerBound, through: range.upperBound, by: step))
    return step > 1 && values == all ? "*/\(step)" : nil
  }

  private static func list(_ values: [Int]) -> String {
    values.map(String.init).joined(separator: ",")
  }

  private static func numbers(_ field: String, in range: ClosedRange<Int>) -> [Int] {
    let numbers = field.split(separator: ",").flatMap { part -> [Int] in
      let halves = part.split(separator: "/")
      let bounds =
        halves[0] == "*"
        ? [range.lowerBound, range.upperBound]
        : halves[0].split(separator: "-").compactMap { Int($0) }
      guard let low = bounds.first, let last = bounds.last else { return [] }
      let high = bounds.count == 1 && halves.count > 1 ? range.upperBound : last
      guard low <= high else { return [] }
      let step = halves.count > 1 ? Int(halves[1]) ?? 1 : 1
      return Array(stride(from: low, through: high, by: max(1, step)))
    }
    return Set(numbers).sorted()
  }

  private static let names = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]

  /// 0 to 6, Sunday first.
  private static func days(of field: String) -> [Int] {
    if field.hasPrefix("*") || field.first?.isNumber == true {
      return Set(numbers(field, in: 0...6).map { $0 % 7 }).sorted()
    }
    let days = field.split(separator: ",").flatMap { part -> [Int] in
      let bounds = part.split(separator: "-").compactMap { names.firstIndex(of: String($0)) }
      guard let low = bounds.first, let high = bounds.last else { return [] }
      return low <= high ? Array(low...high) : Array(low...6) + Array(0...high)
    }
    return days.sorted()
  }

  /// Expressions of `OnCalendar` that together have the same times.
  func calendar(_ rule: CronDayRule) -> [String] {
    let time = "\(Self.unit(fields[1])):\(Self.unit(fields[0])):00"
    let month = Self.unit(fields[3], from: "01")
    let day = fields[2] == "*" ? "*" : Self.list(Self.numbers(fields[2], in: 1...31))
    if fields[4] == "*" { return ["*-\(month)-\(day) \(time)"] }
    let week = Self.days(of: fields[4]).map(Self.title).joined(separator: ",")
    if !hasBothDays { return ["\(week) *-\(month)-* \(time)"] }
    if !needsBoth(rule) { return ["*-\(month)-\(day) \(time)", "\(week) *-\(month)-* \(time)"] }
    return ["\(week) *-\(month)-\(day) \(time)"]
  }

  private static func title(_ day: Int) -> String {
    String(names[day].prefix(1)) + names[day].dropFirst().lowercased()
  }

  /// `*`, `*/15`, `9-17/2` and lists of them, in the notation of `OnCalendar`.
  private static func unit(_ field: String, from low: String = "00") -> String {
    if field == "*" { return "*" }
    if field.hasPrefix("*/") { return low + "/" + field.dropFirst(2) }
    return field.split(separator: ",").map { part -> String in
      let halves = part.split(separator: "/")
      let bounds = halves[0].split(separator: "-")
      let range = bounds.count == 2 ? bounds.joined(separator: "..") : String(bounds[0])
      return range + (halves.count == 2 ? "/\(halves[1])" : "")
    }.joined(separator: ",")
  }
}
