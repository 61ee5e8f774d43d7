import TaktCore

/// So many lines in a time as a jobs file writes it: `100/s`, `5/m`, `1000/h`.
enum RateText {
  /// The rate; nil when the text is none, or of fewer than 1 or more than a million lines.
  static func parse(_ text: String) -> LineRate? {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...7).contains(parts[0].count),
      parts[0].allSatisfy({ (0x30...0x39).contains($0) }),
      let lines = Int(Substring(parts[0])), (1...1_000_000).contains(lines)
    else { return nil }
    switch String(Substring(parts[1])) {
    case "s": return LineRate(lines, per: .seconds(1))
    case "m": return LineRate(lines, per: .seconds(60))
    case "h": return LineRate(lines, per: .seconds(3600))
    default: return nil
    }
  }
}
