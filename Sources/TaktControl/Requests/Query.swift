import Hummingbird
import TaktCore
import TaktTime

/// The query of a request, read strictly: what is misspelt is said, not passed over.
struct Query {
  private let values: [String: String]

  /// - Parameter names: those that the route takes.
  init(_ request: Request, _ names: String...) throws {
    var values: [String: String] = [:]
    for (key, value) in request.uri.queryParameters {
      let name = String(key)
      guard names.contains(name) else {
        throw Problem(
          .badRequest, "unknown parameter '\(name.prefix(50))'",
          detail: names.isEmpty
            ? "This route has none." : "The parameters are \(names.joined(separator: ", ")).")
      }
      guard values.updateValue(String(value), forKey: name) == nil else {
        throw Problem(.badRequest, "duplicate parameter '\(name)'")
      }
    }
    self.values = values
  }

  func text(_ name: String, max: Int = 200) throws -> String? {
    guard let value = values[name] else { return nil }
    guard value.unicodeScalars.count <= max else {
      throw Problem(.badRequest, "'\(name)' takes at most \(max) characters")
    }
    return value
  }

  func integer(_ name: String, _ range: ClosedRange<Int>, default standard: Int) throws -> Int {
    try integer(name, range) ?? standard
  }

  func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
    guard let value = values[name] else { return nil }
    guard value.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(value),
      range.contains(number)
    else {
      throw Problem(
        .badRequest,
        range.upperBound == .max
          ? "'\(name)' takes a whole number from \(range.lowerBound)"
          : "'\(name)' takes a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func flag(_ name: String) throws -> Bool {
    switch values[name] {
    case nil, "false"?: return false
    case "true"?: return true
    default: throw Problem(.badRequest, "'\(name)' must be true or false")
    }
  }

  func job(_ name: String) throws -> JobName? {
    guard let value = values[name] else { return nil }
    guard let job = JobName(value) else {
      throw Problem(.badRequest, "'\(name)' must be the name of a job")
    }
    return job
  }

  func instant(_ name: String) throws -> WallInstant? {
    guard let value = values[name] else { return nil }
    return try Self.instant(value, of: name)
  }

  static func instant(_ text: String, of name: String) throws -> WallInstant {
    guard let instant = (try? InstantText(withMilliseconds(text)))?.instant else {
      throw Problem(
        .badRequest, "'\(name)' takes an instant with an offset, such as 2026-12-24T18:00:00Z",
        detail: "From 1970 to 2200.")
    }
    return instant
  }

  /// The text with three places behind the seconds, where it has any number of them.
  private static func withMilliseconds(_ text: String) -> String {
    let text = text.uppercased()
    guard let dot = text.firstIndex(of: ".") else { return text }
    let digits = text[text.index(after: dot)...].prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty else { return text }
    let places = (String(digits) + "00").prefix(3)
    return String(text[...dot]) + places + String(text[digits.endIndex...])
  }
}
