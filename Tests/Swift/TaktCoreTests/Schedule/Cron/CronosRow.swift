import Foundation
import TaktCore
import TaktTime

/// One fact of the oracle file of cron expressions.
struct CronosRow: Decodable {
  enum Kind: String, Decodable {
    case next, never, invalid, valid
  }
  var id: Int
  var kind: Kind
  var expr: String
  var seconds: Bool
  var zone: String?
  var after: String?
  var expect: String?
  var inclusive: Bool?
  var days: String?
  var field: String?

  /// Nil when the file is not there.
  static func all() throws -> [CronosRow]? {
    guard let text = TestProgram.oracle("cronos.jsonl") else { return nil }
    return try text.split(separator: "\n").map {
      try JSONDecoder().decode(CronosRow.self, from: Data($0.utf8))
    }
  }

  var rule: CronDayRule { days == "both" ? .all : .any }

  /// Reads `2017-03-30T23:59:59.9999999+02:00`, exact to the nanosecond.
  static func instant(_ text: String) -> WallInstant? {
    var whole = text
    var nanoseconds: Int64 = 0
    if let point = text.firstIndex(of: ".") {
      let digits = text[text.index(after: point)...].prefix { $0.isNumber }
      nanoseconds = Int64((digits + "000000000").prefix(9)) ?? 0
      whole = String(text[..<point] + text[digits.endIndex...])
    }
    return ISO8601DateFormatter().date(from: whole).map {
      WallInstant(nanoseconds: Int64($0.timeIntervalSince1970) * 1_000_000_000 + nanoseconds)
    }
  }

  /// The field that the row names, in takt's words; nil where it names none.
  var namedField: CronField? {
    switch field {
    case "Seconds": .second
    case "Minutes": .minute
    case "Hours": .hour
    case "Days of month": .dayOfMonth
    case "Months": .month
    case "Days of week": .dayOfWeek
    default: nil
    }
  }

  /// The difference between takt's answer and the row; nil when the row passes.
  func failure(zone: (String) throws -> Zone) rethrows -> String? {
    let expression: CronExpression
    do {
      expression = try CronExpression(expr)
    } catch {
      if kind != .invalid { return "refused: \(error.sentence)" }
      guard let namedField else { return nil }
      return error.field == namedField ? nil : "refused at \(error.field?.rawValue ?? "no field")"
    }
    guard kind != .invalid else { return "accepted as \(expression.normalized)" }
    guard kind != .valid else { return nil }
    guard let name = self.zone, let from = after.flatMap(Self.instant) else { return "unread" }
    let start = inclusive == true ? WallInstant(nanoseconds: from.nanoseconds - 1) : from
    let zone = try zone(name)
    let found = expression.next(after: start, in: zone, days: rule)
    let wanted = expect.flatMap(Self.instant)
    if found == wanted { return nil }
    return "found \(found?.rfc3339(in: zone) ?? "never"), not \(expect ?? "never")"
  }
}
