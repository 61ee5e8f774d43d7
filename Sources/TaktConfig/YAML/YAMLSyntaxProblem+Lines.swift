/// Sentences from the lines around a mistake, where they tell more than the parser, which only
/// knows where it gave up.
extension Reporter {
  func sentenceByLines(of problem: YAMLSyntaxProblem) -> YAMLSyntaxProblem.Sentence? {
    if CrontabLine.looksLike(line(Int(problem.contextMark.line)) ?? ""),
      problem.contextMark.column == 1
    {
      return YAMLSyntaxProblem.Sentence(
        mark: problem.contextMark, message: CrontabLine.message, hint: CrontabLine.hint)
    }
    if problem.problem == "mapping values are not allowed in this context" {
      return unexpectedColon(at: problem.mark)
    }
    return endedText(of: problem) ?? endedValue(of: problem) ?? signInBrackets(of: problem)
  }

  /// A text that has ended before the place of the problem, but was meant to continue there.
  private func endedText(of problem: YAMLSyntaxProblem) -> YAMLSyntaxProblem.Sentence? {
    guard problem.isBehindValue, let text = problem.text else { return nil }
    let rest = remainder(from: problem.mark)
    let isSameLine = text.end.line == problem.mark.line
    let startsEntry = rest.hasPrefix("- ") || rest.prefix { !$0.isWhitespace }.hasSuffix(":")
    // Within brackets a comma may be missing instead.
    let startsItem = startsEntry || rest.first.map { "\"']}".contains($0) } ?? true
    let goesOn = problem.closing == nil ? isSameLine || !startsEntry : isSameLine && !startsItem
    if text.isPlain {
      guard let comment = comment(behind: text.end),
        goesOn || problem.closing.map({ comment.text.contains($0) }) == true
      else { return nil }
      return YAMLSyntaxProblem.Sentence(
        mark: comment.mark, message: PlainText.commentMessage, hint: PlainText.quotesHint)
    }
    return goesOn ? QuotedText.sentence(at: text.start) : nil
  }

  /// A list, a mapping or a quoted text at the start of a value, which has ended before the place
  /// of the problem on its line.
  private func endedValue(of problem: YAMLSyntaxProblem) -> YAMLSyntaxProblem.Sentence? {
    guard let place = problem.follower, let line = line(Int(place.line)) else { return nil }
    let before = String(line.unicodeScalars.prefix(Int(place.column) - 1))
    let value = before.valueOfLine
    let start = YAMLMark(
      line: place.line,
      column: UInt32(clamping: before.unicodeScalars.count - value.unicodeScalars.count + 1))
    guard let first = value.first else { return nil }
    switch (first, value.dropFirst().last(where: { !$0.isWhitespace })) {
    case ("[", "]"), ("{", "}"):
      return YAMLSyntaxProblem.Sentence(
        mark: start, message: "'\(first)' starts a \(first == "[" ? "list" : "mapping") here",
        hint: PlainText.quotesHint)
    case ("\"", "\""), ("'", "'"): return QuotedText.sentence(at: start)
    default: return nil
    }
  }

  /// A YAML sign in an unquoted text within brackets.
  private func signInBrackets(of problem: YAMLSyntaxProblem) -> YAMLSyntaxProblem.Sentence? {
    guard problem.closing != nil else { return nil }
    let rest = remainder(from: problem.mark)
    // Otherwise a bracket of a line above is not closed.
    let isInText = problem.text.map { $0.isPlain && $0.start.line == problem.mark.line } ?? false
    if let sign = (isInText ? ["{{", "{", "["] : ["{{"]).first(where: { rest.hasPrefix($0) }) {
      return YAMLSyntaxProblem.Sentence(
        mark: problem.mark, message: "'\(sign)' is in a text without quotes here",
        hint: PlainText.quotesHint)
    }
    let before = source.text(ofLine: Int(problem.mark.line))?.unicodeScalars
      .prefix(Int(problem.mark.column) - 1)
    guard rest.hasPrefix(":"), isInText || before.map({ String($0).contains(": ") }) == true
    else { return nil }
    return YAMLSyntaxProblem.Sentence(
      mark: problem.mark, message: "unexpected ':'",
      hint: "put a text that contains ': ' in quotes")
  }

  /// The rest of a line from a place on, even of a hidden line: messages only mention a YAML sign
  /// of it.
  private func remainder(from mark: YAMLMark) -> String {
    let line = source.text(ofLine: Int(mark.line)) ?? ""
    return String(line.unicodeScalars.dropFirst(Int(mark.column) - 1))
  }

  /// Often the mistake is in the line above, which then continues in this one.
  private func unexpectedColon(at mark: YAMLMark) -> YAMLSyntaxProblem.Sentence? {
    var number = Int(mark.line)
    guard let own = line(number) else { return nil }
    let before = own.unicodeScalars.prefix(Int(mark.column) - 1)
    guard !String(String.UnicodeScalarView(before)).contains(": ") else { return nil }
    var above: String?
    repeat {
      number -= 1
      above = line(number)
    } while above?.allSatisfy(\.isWhitespace) == true
    for (number, text) in [(number, above), (Int(mark.line), own)] {
      guard let text, let space = Self.wideIndent(of: text) else { continue }
      return YAMLSyntaxProblem.Sentence(
        mark: YAMLMark(line: UInt32(number), column: UInt32(space)),
        message: "a no-break space cannot indent a line", hint: "use plain spaces")
    }
    guard let above else { return nil }
    let words = above.drop(while: \.isWhitespace)
    guard let first = words.first, !"#-'\"|>{[".contains(first), !words.contains(": "),
      !words.hasSuffix(":")
    else { return nil }
    let column = above.unicodeScalars.count - words.unicodeScalars.count + 1
    return YAMLSyntaxProblem.Sentence(
      mark: YAMLMark(line: UInt32(number), column: UInt32(column)),
      message: "this line is not 'key: value'",
      hint: words.contains(":") ? "put a space after the ':'" : "put ':' and a space after the key")
  }

  /// The column of the first space in a line's indentation that is none in YAML; nil for none.
  private static func wideIndent(of line: String) -> Int? {
    let indent = line.unicodeScalars.prefix { $0 == " " || $0.isWideSpace }
    return indent.firstIndex(where: \.isWideSpace).map {
      indent.distance(from: indent.startIndex, to: $0) + 1
    }
  }
}

/// A quoted text in a file: YAML ends it at the next quote.
private enum QuotedText {
  static func sentence(at mark: YAMLMark) -> YAMLSyntaxProblem.Sentence {
    YAMLSyntaxProblem.Sentence(
      mark: mark, message: "a text that starts with a quote ends at the next one",
      hint: "put the whole text in the other kind of quotes")
  }
}

extension String {
  /// The text after `- ` and `key: ` in a line.
  fileprivate var valueOfLine: Substring {
    var rest = drop { $0 == " " }
    while rest.hasPrefix("- ") { rest = rest.dropFirst().drop { $0 == " " } }
    guard let first = rest.first, !"\"'[{".contains(first), let colon = rest.firstIndex(of: ":")
    else { return rest }
    let value = rest[colon...].dropFirst()
    return value.first == " " ? value.drop { $0 == " " } : rest
  }
}

/// A line of a crontab in place of a jobs file.
enum CrontabLine {
  static let message = "this is a line of a crontab"
  static let hint = "write it as a job: jobs: {NAME: {cron: \"*/5 * * * *\", run: COMMAND}}"

  /// True for five time fields and a command.
  static func looksLike(_ text: String) -> Bool {
    let words = text.split(maxSplits: 5, whereSeparator: \.isWhitespace)
    guard words.count == 6 else { return false }
    return words.prefix(5).allSatisfy { word in
      word.utf8.first.map { $0 == UInt8(ascii: "*") || (0x30...0x39).contains($0) } == true
        && word.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || "*/,-".utf8.contains(byte)
        }
    }
  }
}
