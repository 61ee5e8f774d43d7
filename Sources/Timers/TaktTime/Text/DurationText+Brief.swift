extension DurationText {
  /// A length of time for people, in one unit or two: `412 µs`, `3.2 ms`, `46.5 s`, `5m 03s`, `2h 07m`,
  /// `3d 04h`.
  package static func brief(_ duration: Duration) -> String {
    var text: [UInt8] = []
    appendBrief(duration, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  package static func appendBrief(_ duration: Duration, to bytes: inout [UInt8]) {
    var rest = duration.nanosecondsSaturated
    if rest < 0 {
      bytes.append(UInt8(ascii: "-"))
      rest = rest == .min ? .max : -rest
    }
    // Rounded before the unit is chosen, so that no second has 1000 ms.
    switch rest {
    case ..<999_500: append((rest + 500) / 1000, " µs", to: &bytes)
    case ..<999_950_000: appendTenths(of: (rest + 50_000) / 100_000, " ms", to: &bytes)
    case ..<59_950_000_000: appendTenths(of: (rest + 50_000_000) / 100_000_000, " s", to: &bytes)
    default:
      let seconds = (rest + 500_000_000) / 1_000_000_000
      switch seconds {
      case ..<3600: append(seconds / 60, "m", seconds % 60, "s", to: &bytes)
      case ..<86_400: append(seconds / 3600, "h", seconds % 3600 / 60, "m", to: &bytes)
      default: append(seconds / 86_400, "d", seconds % 86_400 / 3600, "h", to: &bytes)
      }
    }
  }

  private static func append(_ number: Int64, _ unit: String, to bytes: inout [UInt8]) {
    bytes.append(decimal: number)
    bytes += unit.utf8
  }

  private static func appendTenths(of tenths: Int64, _ unit: String, to bytes: inout [UInt8]) {
    bytes.append(decimal: tenths / 10)
    if tenths < 1000, tenths % 10 > 0 {
      bytes.append(UInt8(ascii: "."))
      bytes.append(decimal: tenths % 10)
    }
    bytes += unit.utf8
  }

  private static func append(
    _ number: Int64, _ unit: String, _ part: Int64, _ smaller: String, to bytes: inout [UInt8]
  ) {
    append(number, unit, to: &bytes)
    guard part > 0 else { return }
    bytes += (part < 10 ? " 0" : " ").utf8
    append(part, smaller, to: &bytes)
  }
}
