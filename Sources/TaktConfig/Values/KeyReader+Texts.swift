import TaktCore

/// Scalars whose text has a form of its own.
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
      let (message, hint) = error.sentence(text: text)
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
    let phrase = KeyType.number(range).phrase
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
      .badRate, at: mark, "'\(text.shortened)' is no rate for '\(key)'",
      hint: "write 1 to 1000000 lines for each s, m or h, such as 100/s")
    return nil
  }

  func umask(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    let isOctal =
      (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x37).contains($0) }
    if isOctal, let mask = Int(text, radix: 8), mask <= 0o777 { return .integer(mask) }
    reporter.report(
      .badNumber, at: mark, "'\(key)' must be octal digits from 0 to 777, not '\(text.shortened)'",
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
          .badPattern, at: mark, "'\(key)' has a back-reference, which can take for ever to match",
          hint: "write the pattern without \\1 to \\9")
      case .tooMuchRepetition:
        reporter.report(
          .badPattern, at: mark,
          "'\(key)' repeats too much: repetitions inside one another may come to 100, and the "
            + "pattern written out to 2000 characters", hint: "write smaller bounds, or '*'")
      case .tooDeep:
        reporter.report(
          .badPattern, at: mark, "'\(key)' has groups more than 100 deep inside one another")
      case .invalid(let words):
        reporter.report(.badPattern, at: mark, "'\(key)' is no regular expression: \(words)")
      }
      return nil
    }
  }

  func name(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    if JobName(text) != nil { return .text(text) }
    reporter.report(
      .badName, at: mark, "'\(text.shortened)' is no name for '\(key)'", hint: Self.nameHint)
    return nil
  }

  func variable(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    if Self.isEnvironmentName(text) { return .text(text) }
    reporter.report(
      .badName, at: mark, "'\(text.shortened)' is no name of a variable", hint: Self.variableHint)
    return nil
  }

  static let nameHint = "use 1 to 128 letters, digits, '.', '_' and '-', a letter or digit first"
  static let variableHint = "use letters, digits and '_', and no digit first"

  static func isEnvironmentName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f: true
      default: false
      }
    }
  }
}

extension Reporter {
  /// Whether a job may set a variable; when not, that is reported.
  func check(variable name: String, at mark: YAMLMark) -> Bool {
    guard name.hasPrefix("TAKT_") else { return true }
    report(
      .badName, at: mark, "'\(name.shortened)' begins with TAKT_, as only takt's own variables do",
      hint: "give it another name")
    return false
  }
}

extension SizeText.Problem {
  /// What is wrong with `text`, and what to write instead.
  fileprivate func sentence(text: String) -> (message: String, hint: String?) {
    let units = "B, KB, MB, GB and TB"
    switch self {
    case .noNumber: return ("is no size", "write a number with a unit, such as 64KB or 10MB")
    case .noUnit: return ("has no unit", "put one of \(units) after it")
    case .unknownUnit(let unit):
      let meant = SizeText.unit(meantBy: unit).map { "did you mean '\($0)'?" }
      return ("has the unknown unit '\(unit.shortened)'", meant ?? "the units are \(units)")
    case .negative: return ("is negative", "a size has no sign")
    case .tooFine: return ("is no whole number of bytes", nil)
    case .tooLarge: return ("is more than 1024 TB", nil)
    }
  }
}
