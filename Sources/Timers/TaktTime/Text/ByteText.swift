/// Numbers and texts as bytes, appended without a string for each.
extension [UInt8] {
  package mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  package mutating func append(decimal number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(decimal: number.magnitude)
  }

  package mutating func append(decimal number: UInt64) {
    if number > 9 { append(decimal: number / 10) }
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  package mutating func append(_ number: Int, padded width: Int) {
    if number < 0 { return append(utf8: number.padded(width)) }
    var bound = 10
    for _ in 1..<width {
      if number < bound { append(UInt8(ascii: "0")) }
      bound *= 10
    }
    append(decimal: UInt64(number))
  }
}

extension CivilTime {
  package func appendDate(to bytes: inout [UInt8]) {
    bytes.append(year, padded: 4)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(month, padded: 2)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(day, padded: 2)
  }

  /// Appends `10:04:05.123`.
  package func appendTimeOfDay(to bytes: inout [UInt8]) {
    bytes.append(hour, padded: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(minute, padded: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(second, padded: 2)
    bytes.append(UInt8(ascii: "."))
    bytes.append(millisecond, padded: 3)
  }
}

extension WallInstant {
  /// `2026-11-21T10:04:05.123Z`
  package func rfc3339() -> String {
    var bytes: [UInt8] = []
    appendRFC3339(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends `2026-11-21T10:04:05.123Z`.
  package func appendRFC3339(to bytes: inout [UInt8]) {
    let seconds = nanoseconds.flooredQuotient(by: 1_000_000_000)
    let civil = CivilTime(
      epochSeconds: seconds, millisecond: Int(milliseconds.flooredRemainder(by: 1000)))
    guard (0...9999).contains(civil.year) else {
      civil.appendDate(to: &bytes)
      bytes.append(UInt8(ascii: "T"))
      civil.appendTimeOfDay(to: &bytes)
      bytes.append(UInt8(ascii: "Z"))
      return
    }
    let start = bytes.count
    bytes += Self.template
    // Places of the template, which was appended: the last one is 22 of 24. An append for each digit
    // takes four times as long, and each run writes a dozen instants: the gate's `log`, `run` and
    // `status`.
    bytes.withUnsafeMutableBufferPointer { bytes in
      /// Two digits of a number below 100. In 32 bits the quotient is a multiplication and a shift.
      func put(_ number: Int, at place: Int) {
        let number = UInt32(truncatingIfNeeded: number)
        let tens = number / 10
        bytes[start + place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: tens)
        bytes[start + place + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number - tens * 10)
      }
      put(civil.year / 100, at: 0)
      put(civil.year % 100, at: 2)
      put(civil.month, at: 5)
      put(civil.day, at: 8)
      put(civil.hour, at: 11)
      put(civil.minute, at: 14)
      put(civil.second, at: 17)
      put(civil.millisecond / 10, at: 20)
      bytes[start + 22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: civil.millisecond % 10)
    }
  }

  private static let template = Array("0000-00-00T00:00:00.000Z".utf8)
}
