import TaktCore

/// Scalars whose text has a special form.
extension KeyReader {
  func size(
    _ text: String, at mark: YAMLMark, in range: ClosedRange<Int>, of key: String
  ) -> KeyValue? {
    do {
      let bytes = try SizeText.parse(text)
      if range.contains(bytes) { return .integer(bytes) }
      let bounds = (SizeText.format(range.lowerBound), SizeText.format(range.upperBound))
      reporter.report(
        .outOfRange, at: mark,
        "'\(key)' must be from \(bounds.0) to \(bounds.1), not \(text.shortened)")
    } catch {
      let (message, hint) = error.sentence
      reporter.report(.badSize, at: mark, "'\(text.shortened)' \(message)", hint: hint)
    }
    return nil
  }

  func number(
    _ scalar: YAMLScalar, at mark: YAMLMark, in range: ClosedRange<Double>, of key: String
  ) -> KeyValue? {
    let number: Double? =
      switch scalar.kind {
      case .integer(let value): value.map(Double.init)
      case .float: Double(scalar.text)
      case .null, .boolean, .string: nil
      }
    var phrase: String { KeyType.number(range).phrase }
    guard let number, number.isFinite else {
      reporter.report(
        .badNumber, at: mark, "'\(key)' must be \(phrase), not '\(scalar.text.shortened)'")
      return nil
    }
    guard range.contains(number) else {
      reporter.report(
        .outOfRange, at: mark, "'\(key)' must be \(phrase), not \(scalar.text.shortened)")
      return nil
    }
    return .number(number)
  }

  func rate(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    if let rate = RateText.parse(text) { return .rate(rate) }
    reporter.report(
      .badRate, at: mark, "'\(text.shortened)' is not a rate for '\(key)'",
      hint: "write 1 to 1000000 lines per s, m or h, such as 100/s")
    return nil
  }

  func umask(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    let isOctal =
      (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x37).contains($0) }
    if isOctal, let mask = Int(text, radix: 8), mask <= 0o777 { return .integer(mask) }
    reporter.report(
      .badNumber, at: mark,
      "'\(key)' must be an octal number from 0 to 777, not '\(text.shortened)'",
      hint: "write it like 027")
    return nil
  }

  func pattern(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    do {
      try PatternText.check(text)
      return .text(text)
    } catch {
      switch error {
      case .tooLong:
        reporter.report(.badPattern, at: mark, "'\(key)' is longer than 1024 bytes")
      case .backReference:
        reporter.report(
          .badPattern, at: mark,
          "'\(key)' has a back-reference, which can take extremely long to match",
          hint: "write the pattern without \\1 to \\9")
      case .tooMuchRepetition:
        reporter.report(
          .badPattern, at: mark,
          "'\(key)' repeats too much: nested repetitions are limited to 100, and the expanded "
            + "pattern to 2000 characters", hint: "use smaller bounds, or '*'")
      case .tooDeep:
        reporter.report(
          .badPattern, at: mark, "'\(key)' has groups nested more than 100 deep")
      case .invalid(let words):
        reporter.report(.badPattern, at: mark, "'\(key)' is not a regular expression: \(words)")
      }
      return nil
    }
  }

  func name(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    if JobName(text) != nil { return .text(text) }
    reporter.report(
      .badName, at: mark, "'\(text.shortened)' is not a valid name for '\(key)'",
      hint: Self.nameHint)
    return nil
  }

  func variable(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    if text.isVariableName { return .text(text) }
    // Without the text: somebody may have written a secret in place of a variable's name.
    reporter.report(
      .badName, at: mark, "'\(key)' must be the name of a variable", hint: VariableName.hint)
    return nil
  }

  static let nameHint =
    "use 1 to 128 letters, digits, '.', '_' and '-', starting with a letter or digit"
}

extension SizeText.Problem {
  fileprivate var sentence: (message: String, hint: String?) {
    let units = "B, KB, MB, GB and TB"
    switch self {
    case .noNumber: return ("is not a size", "write a number with a unit, such as 64KB or 10MB")
    case .noUnit: return ("has no unit", "add one of \(units)")
    case .unknownUnit(let unit):
      let meant = SizeText.unit(meantBy: unit).map { "did you mean '\($0)'?" }
      return ("has the unknown unit '\(unit.shortened)'", meant ?? "the units are \(units)")
    case .negative: return ("is negative", "a size has no sign")
    case .tooFine: return ("is not a whole number of bytes", nil)
    case .tooLarge: return ("is more than 1024 TB", nil)
    }
  }
}

/// A percentage in a jobs file: `10%`, `12.5%`.
enum PercentText {
  /// The number before the sign; nil for anything else.
  static func parse(_ text: String) -> Double? {
    guard text.utf8.last == UInt8(ascii: "%"), text.utf8.count <= 32 else { return nil }
    let number = text.utf8.dropLast()
    let parts = number.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) }
    }
    return isNumber ? Double(Substring(number)) : nil
  }
}

/// A number of lines in a time in a jobs file: `100/s`, `5/m`, `1000/h`.
enum RateText {
  /// Nil for another text, and for fewer than 1 or more than a million lines.
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
