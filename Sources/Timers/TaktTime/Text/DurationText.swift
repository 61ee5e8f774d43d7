/// Durations as people write them in a jobs file: `500ms`, `1.5s`, `1h30m`, `2d`.
package enum DurationText {
  package enum Problem: Error, Hashable, Sendable {
    case noNumber
    case noUnit
    /// A unit that is none of `ms s m h d w`.
    case unknownUnit(String)
    case negative
    /// Finer than a millisecond.
    case tooFine
    /// More than 100 years.
    case tooLong
  }

  package static let units: [(name: String, milliseconds: Int64)] = [
    ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
    ("ms", 1),
  ]
  package static let maximumMilliseconds: Int64 = 100 * 366 * 86_400_000

  /// Reads one or more numbers, each with its unit, largest first or not; whole milliseconds.
  package static func parse(_ text: String) throws(Problem) -> Duration {
    if let milliseconds = plain(text) { return .milliseconds(milliseconds) }
    if text.hasPrefix("-") { throw .negative }
    var rest = Array(text.utf8)[...]
    guard !rest.isEmpty else { throw .noNumber }
    var total: Int64 = 0
    while !rest.isEmpty {
      total += try part(&rest)
      if total > maximumMilliseconds { throw .tooLong }
    }
    return .milliseconds(total)
  }

  /// A number of up to nine digits with one unit, as most durations are written; nil for any other
  /// text, right or wrong.
  private static func plain(_ text: String) -> Int64? {
    var bytes = text.utf8.makeIterator()
    var number: Int64 = 0
    var unit = bytes.next()
    guard let first = unit, isDigit(first) else { return nil }
    while let digit = unit, isDigit(digit) {
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
      if number >= 1_000_000_000 { return nil }
      unit = bytes.next()
    }
    let scale: Int64
    switch (unit, bytes.next()) {
    case (UInt8(ascii: "s"), nil): scale = 1000
    case (UInt8(ascii: "m"), nil): scale = 60_000
    case (UInt8(ascii: "h"), nil): scale = 3_600_000
    case (UInt8(ascii: "d"), nil): scale = 86_400_000
    case (UInt8(ascii: "m"), UInt8(ascii: "s")): scale = bytes.next() == nil ? 1 : 0
    default: return nil
    }
    let milliseconds = number * scale
    return scale > 0 && milliseconds <= maximumMilliseconds ? milliseconds : nil
  }

  private static func part(_ rest: inout ArraySlice<UInt8>) throws(Problem) -> Int64 {
    let digits = readDigits(&rest)
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = readDigits(&rest)
      if fraction.isEmpty { throw .noNumber }
    }
    guard !digits.isEmpty else { throw .noNumber }
    let unit = rest.prefix { !isDigit($0) }
    guard !unit.isEmpty else { throw .noUnit }
    rest = rest.dropFirst(unit.count)
    let name = String(decoding: unit, as: UTF8.self)
    guard let scale = units.first(where: { $0.name == name })?.milliseconds else {
      throw .unknownUnit(name)
    }
    return try value(of: digits, times: scale) + fractionValue(of: fraction, times: scale)
  }

  private static func value(
    of digits: ArraySlice<UInt8>, times scale: Int64
  ) throws(Problem) -> Int64 {
    var number: Int64 = 0
    for digit in digits {
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
      if number > maximumMilliseconds { throw .tooLong }
    }
    let (milliseconds, overflow) = number.multipliedReportingOverflow(by: scale)
    if overflow || milliseconds > maximumMilliseconds { throw .tooLong }
    return milliseconds
  }

  private static func fractionValue(
    of digits: ArraySlice<UInt8>, times scale: Int64
  ) throws(Problem) -> Int64 {
    // Nine places of a week are finer than a millisecond already.
    let significant = digits.reversed().drop { $0 == UInt8(ascii: "0") }.reversed()
    guard significant.count <= 9 else { throw .tooFine }
    var number: Int64 = 0
    var divisor: Int64 = 1
    for digit in significant {
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
      divisor *= 10
    }
    guard number * scale % divisor == 0 else { throw .tooFine }
    return number * scale / divisor
  }

  private static func readDigits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = rest.prefix(while: isDigit)
    rest = rest.dropFirst(digits.count)
    return digits
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// The shortest text in whole units: `1h30m`, `1s500ms`, `0s`.
  package static func format(_ duration: Duration) -> String {
    var rest = duration.milliseconds
    if rest == 0 { return "0s" }
    var text = rest < 0 ? "-" : ""
    rest = abs(rest)
    for unit in units where unit.name != "w" && rest >= unit.milliseconds {
      text += "\(rest / unit.milliseconds)\(unit.name)"
      rest %= unit.milliseconds
    }
    return text
  }
}
