import TaktCore
import TaktTime

/// Reads comparisons: `2`, `>= 4`, `1..3`, `< 6h`.
struct TestRangeReader {
  let reporter: Reporter

  func count(_ node: YAMLNode, of key: String) -> TestRange? {
    range(node, of: key, phrase: "a number such as 2, '>= 2' or 2..5", .badNumber) { text in
      let digits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard digits, let number = Int64(text) else { return nil }
      return number
    }
  }

  /// A comparison in milliseconds.
  func duration(_ node: YAMLNode, of key: String) -> TestRange? {
    range(node, of: key, phrase: "a duration such as 0s, '< 5m' or 1m..2m", .badDuration) { text in
      (try? DurationText.parse(text))?.milliseconds
    }
  }

  private func range(
    _ node: YAMLNode, of key: String, phrase: String, _ code: Diagnostic.Code,
    value: (String) -> Int64?
  ) -> TestRange? {
    guard case .scalar(let scalar) = node.content else {
      if node.content != .invalid {
        reporter.report(
          .wrongType, at: node.mark, "'\(key)' must be \(phrase), not a list or a mapping")
      }
      return nil
    }
    let text = scalar.text
    guard let range = Self.range(text, value) else {
      reporter.report(
        scalar.isNull ? .wrongType : code, at: node.mark,
        scalar.isBlank
          ? "'\(key)' has no value" : "'\(key)' must be \(phrase), not '\(text.shortened)'",
        hint: Self.hint(for: text, value))
      return nil
    }
    if range.least > range.most || range.most < 0 {
      reporter.report(.outOfRange, at: node.mark, "no value is '\(text.shortened)'")
      return nil
    }
    return range
  }

  private static func range(_ text: String, _ value: (String) -> Int64?) -> TestRange? {
    func number(_ part: some StringProtocol) -> Int64? { value(trimmed(part)) }
    if let cut = text.firstRange(of: "..") {
      guard let least = number(text[..<cut.lowerBound]), let most = number(text[cut.upperBound...])
      else { return nil }
      return TestRange(least: least, most: most, text: text)
    }
    for sign in ["<=", ">=", "==", "<", ">", "="] where text.hasPrefix(sign) {
      guard let number = number(text.dropFirst(sign.count)) else { return nil }
      return switch sign {
      case "<=": TestRange(most: number, text: text)
      case ">=": TestRange(least: number, text: text)
      case "<": TestRange(most: number - 1, text: text)
      case ">": TestRange(least: number + 1, text: text)
      default: TestRange(least: number, most: number, text: text)
      }
    }
    return number(text).map { TestRange(least: $0, most: $0, text: text) }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let rest = text.drop { $0 == " " }
    return String(rest.reversed().drop { $0 == " " }.reversed())
  }

  /// The probable intention.
  private static func hint(for text: String, _ value: (String) -> Int64?) -> String? {
    for (wrong, right) in [
      ("=>", ">="), ("=<", "<="), ("≥", ">="), ("≤", "<="), ("at least", ">="), ("at most", "<="),
      ("more than", ">"), ("less than", "<"), ("over", ">"), ("under", "<"),
    ] where text.hasPrefix(wrong) {
      let rest = trimmed(text.dropFirst(wrong.count))
      if value(rest) != nil { return "write '\(right) \(rest)'" }
    }
    if text.hasPrefix("!=") || text.hasPrefix("<>") { return "write a range such as '>= 1'" }
    if let seconds = Int(text), value("\(seconds)s") != nil { return "write \(seconds)s" }
    if text.hasSuffix("+"), value(String(text.dropLast())) != nil {
      return "write '>= \(text.dropLast())'"
    }
    return nil
  }
}
