import TaktCore
import TaktTime

extension KeyReader {
  /// Returns nil for a wrong scalar, which is reported.
  func scalar(
    _ scalar: YAMLScalar, at mark: YAMLMark, as type: KeyType, of key: String
  ) -> KeyValue? {
    switch type {
    case .text, .path, .zone, .action, .quota, .inputOutputPriority:
      return text(scalar, at: mark, as: type, of: key)
    case .boolean: return boolean(scalar, at: mark, of: key)
    case .integer(let range): return integer(scalar, at: mark, in: range, of: key)
    case .number(let range): return number(scalar, at: mark, in: range, of: key)
    case .duration(let least, let most):
      return duration(scalar, at: mark, least: least, most: most, of: key)
    case .wholeSeconds: return wholeSeconds(scalar, at: mark, of: key)
    case .size(let range): return size(scalar.text, at: mark, in: range, of: key)
    case .rate: return rate(scalar.text, at: mark, of: key)
    case .umask: return umask(scalar.text, at: mark, of: key)
    case .name: return name(scalar.text, at: mark, of: key)
    case .variable: return variable(scalar.text, at: mark, of: key)
    case .pattern:
      return text(scalar, at: mark, as: type, of: key)?.text.flatMap {
        pattern($0, at: mark, of: key)
      }
    case .percent: return percent(scalar.text, at: mark, of: key)
    case .instant: return instant(scalar.text, at: mark)
    case .choice(let words): return choice(scalar.text, at: mark, among: words, of: key)
    case .occasion: return occasion(scalar.text, at: mark, of: key)
    case .oneOrMore(let item):
      guard let value = self.scalar(scalar, at: mark, as: item, of: key) else { return nil }
      return .list([KeyValue.Located(value: value, mark: mark)])
    case .oneOf(let types):
      let likely = types.first { $0.looksLike(scalar.text) } ?? types.last
      // A misspelled word is no misspelled boolean.
      if case .boolean? = likely, let words = types.choices, boolean(of: scalar) == nil {
        return choice(scalar.text, at: mark, among: words + ["true", "false"], of: key)
      }
      return likely.flatMap { self.scalar(scalar, at: mark, as: $0, of: key) }
    case .anything: return .node(YAMLNode(mark: mark, content: .scalar(scalar)))
    case .list, .map, .object:
      // A value for variables and parameters may be a secret.
      let given = if case .map = type { "a text" } else { "'\(scalar.text.shortened)'" }
      reporter.report(
        .wrongType, at: mark,
        scalar.isBlank ? "'\(key)' has no value" : "'\(key)' must be \(type.phrase), not \(given)",
        hint: KeyExample.hint(for: key, type, instead: scalar.text))
      return nil
    }
  }

  private func text(
    _ scalar: YAMLScalar, at mark: YAMLMark, as type: KeyType, of key: String
  ) -> KeyValue? {
    if scalar.isNull {
      let message =
        scalar.isBlank ? "'\(key)' has no value" : "'\(key)' is null in YAML, not a text"
      reporter.report(
        .wrongType, at: mark, message,
        hint: scalar.isBlank ? "write \"\" for an empty text" : "put '\(scalar.text)' in quotes")
      return nil
    }
    // Only a quoted text can escape it.
    if !scalar.isPlain, scalar.text.utf8.contains(0) {
      reporter.report(
        .badValue, at: mark, "'\(key)' contains a zero character, which is not allowed")
      return nil
    }
    if !type.allowsEmpty, scalar.text.isBlank {
      reporter.report(.badValue, at: mark, "'\(key)' is empty", hint: "write \(type.phrase)")
      return nil
    }
    if case .path = type, scalar.text.utf8.first == UInt8(ascii: "~") {
      reporter.report(
        .badValue, at: mark, "takt does not expand '~' in a path",
        hint: "write the whole path, or './~' for a file of that name")
      return nil
    }
    return .text(scalar.text)
  }

  /// The value that is, or may be meant as, true or false.
  private func boolean(of scalar: YAMLScalar) -> Bool? {
    if case .boolean(let value) = scalar.kind { return value }
    return switch scalar.text.lowercased() {
    case "true", "yes", "on", "y", "1": true
    case "false", "no", "off", "n", "0": false
    default: nil
    }
  }

  private func boolean(_ scalar: YAMLScalar, at mark: YAMLMark, of key: String) -> KeyValue? {
    if case .boolean(let value) = scalar.kind { return .boolean(value) }
    let meant = boolean(of: scalar).map { $0 ? "true" : "false" } ?? "true or false"
    reporter.report(
      .badBoolean, at: mark, "'\(key)' must be true or false, not '\(scalar.text.shortened)'",
      hint: "write \(meant) without quotes")
    return nil
  }

  private func integer(
    _ scalar: YAMLScalar, at mark: YAMLMark, in range: ClosedRange<Int>, of key: String
  ) -> KeyValue? {
    var phrase: String { KeyType.integer(range).phrase }
    guard case .integer(let value) = scalar.kind else {
      let isQuoted = YAMLScalar(text: scalar.text, isPlain: true).kind != scalar.kind
      reporter.report(
        .badNumber, at: mark, "'\(key)' must be \(phrase), not '\(scalar.text.shortened)'",
        hint: isQuoted ? "remove the quotes" : nil)
      return nil
    }
    guard let value, range.contains(value) else {
      reporter.report(
        .outOfRange, at: mark, "'\(key)' must be \(phrase), not \(scalar.text.shortened)")
      return nil
    }
    return .integer(value)
  }

  private func duration(
    _ scalar: YAMLScalar, at mark: YAMLMark, least: Duration, most: Duration? = nil,
    of key: String
  ) -> KeyValue? {
    let text = scalar.text
    do {
      let value = try DurationText.parse(text)
      if let most, !(least...most).contains(value) {
        reporter.report(
          .outOfRange, at: mark,
          "'\(key)' must be from \(DurationText.format(least)) to \(DurationText.format(most)), "
            + "not \(text.shortened)")
        return nil
      }
      if value >= least { return .duration(value) }
      reporter.report(
        .outOfRange, at: mark,
        "'\(key)' must be at least \(DurationText.format(least)), not \(text.shortened)")
    } catch {
      let (message, hint) = error.sentence(text: text)
      reporter.report(.badDuration, at: mark, "'\(text.shortened)' \(message)", hint: hint)
    }
    return nil
  }

  private func wholeSeconds(_ scalar: YAMLScalar, at mark: YAMLMark, of key: String) -> KeyValue? {
    guard let value = duration(scalar, at: mark, least: .seconds(1), of: key)?.duration else {
      return nil
    }
    if value.milliseconds.isMultiple(of: 1000) { return .duration(value) }
    reporter.report(
      .outOfRange, at: mark, "'\(key)' must be whole seconds, not \(scalar.text.shortened)")
    return nil
  }

  private func percent(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    guard let percent = PercentText.parse(text) else {
      reporter.report(
        .badPercent, at: mark, "'\(text.shortened)' is not a percentage", hint: "write 10% or 2.5%")
      return nil
    }
    guard percent <= 100 else {
      reporter.report(
        .outOfRange, at: mark, "'\(key)' must be from 0% to 100%, not \(text.shortened)")
      return nil
    }
    return .percent(percent)
  }

  private func instant(_ text: String, at mark: YAMLMark) -> KeyValue? {
    do {
      return .instant(try InstantText(text))
    } catch {
      switch error {
      case .form:
        reporter.report(
          .badInstant, at: mark, "'\(text.shortened)' is not a date with a time of day",
          hint: "write 2026-12-24T18:00, 2026-12-24T18:00:30 or 2026-12-24T18:00+01:00")
      case .bareDate:
        reporter.report(
          .badInstant, at: mark, "'\(text)' has no time of day", hint: "write \(text)T00:00")
      case .noSuchTime:
        reporter.report(.badInstant, at: mark, "there is no such time as '\(text)'")
      case .outOfRange:
        reporter.report(
          .outOfRange, at: mark, "'\(text)' is outside the years 1970 to 2200")
      }
      return nil
    }
  }

  private func occasion(_ text: String, at mark: YAMLMark, of key: String) -> KeyValue? {
    if HookRule.When(text) != nil { return .text(text) }
    let words = ["every", "first", "recovered", "output"]
    reporter.report(
      .badChoice, at: mark,
      "'\(key)' must be \(KeyType.occasion.phrase), not '\(text.shortened)'",
      hint: NearestName.of(text, among: words).map { "did you mean '\($0)'?" }
        ?? (text.hasPrefix("streak")
          ? "write 'streak >= 3', with a number from 1 to \(HookRule.streakMax)" : nil))
    return nil
  }

  private func choice(
    _ text: String, at mark: YAMLMark, among words: [String], of key: String
  ) -> KeyValue? {
    if words.contains(text) { return .text(text) }
    reporter.report(
      .badChoice, at: mark,
      "'\(key)' must be \(KeyType.choice(words).phrase), not '\(text.shortened)'",
      hint: NearestName.of(text, among: words).map { "did you mean '\($0)'?" }
        ?? KeyExample.hint(instead: text, of: key))
    return nil
  }
}

extension String {
  fileprivate var isBlank: Bool {
    // The first byte decides for most texts.
    if let first = utf8.first, (0x21...0x7e).contains(first) { return false }
    return allSatisfy(\.isWhitespace)
  }
}

extension KeyType {
  fileprivate var allowsEmpty: Bool {
    if case .text(allowsEmpty: true) = self { true } else { false }
  }

  /// True if a text appears to be meant as this type, correct or not.
  fileprivate func looksLike(_ text: String) -> Bool {
    switch self {
    case .choice(let words): words.contains(text)
    case .percent: text.utf8.last == UInt8(ascii: "%")
    case .integer: Int(text) != nil
    default: false
    }
  }
}

extension DurationText.Problem {
  func sentence(text: String) -> (message: String, hint: String?) {
    let units = "ms, s, m, h, d and w"
    if let hint = text.invisibleHint { return ("is not a duration", hint) }
    switch self {
    case .noNumber:
      if text.contains(where: { "\u{201c}\u{201d}\u{2018}\u{2019}".contains($0) }) {
        return ("is not a duration", "write plain quotes or none instead of typographic ones")
      }
      let meant = MeantDuration.of(text).map { "write \($0)" }
      return ("is not a duration", meant ?? "write a number with a unit, such as 30s or 1h30m")
    case .noUnit:
      let isNumber = text.utf8.count <= 20 && text.utf8.allSatisfy { $0 != 0x20 && $0 < 0x3a }
      return ("has no unit", isNumber ? "write \(text)s" : "add one of \(units) after each number")
    case .unknownUnit(let unit):
      let unit = unit.drop { $0 == " " }
      let hint = MeantDuration.of(text).map { "write \($0)" } ?? "the units are \(units)"
      return ("has the unknown unit '\(String(unit).shortened)'", hint)
    case .negative: return ("is negative", "a duration has no sign")
    case .tooFine: return ("is finer than a millisecond", "the shortest is 1ms")
    case .tooLong: return ("is longer than 100 years", nil)
    }
  }
}

extension [KeyType] {
  /// The words of the first type that is a choice.
  fileprivate var choices: [String]? {
    lazy.compactMap { if case .choice(let words) = $0 { words } else { nil } }.first
  }
}
