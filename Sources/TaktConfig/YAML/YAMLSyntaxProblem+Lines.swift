/// What the lines around a mistake say better than the parser, which sees where it gave up and not
/// what was meant.
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
    let text = line(Int(problem.mark.line))?.unicodeScalars.dropFirst(Int(problem.mark.column) - 1)
    if problem.problem == "did not find expected ',' or '}'", let text,
      String(String.UnicodeScalarView(text)).hasPrefix("{{")
    {
      return YAMLSyntaxProblem.Sentence(
        mark: problem.mark, message: "'{{' is in a text without quotes here",
        hint: "put the whole text in quotes")
    }
    return nil
  }

  /// Often the mistake is in the line above, which then goes on in this one.
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

  /// The column of the first space in a line's indentation that is none for YAML; nil without one.
  private static func wideIndent(of line: String) -> Int? {
    let indent = line.unicodeScalars.prefix { $0 == " " || $0.isWideSpace }
    return indent.firstIndex(where: \.isWideSpace).map {
      indent.distance(from: indent.startIndex, to: $0) + 1
    }
  }
}

/// A line of a crontab in place of a jobs file.
enum CrontabLine {
  static let message = "this is a line of a crontab"
  static let hint = "write it as a job: jobs: {NAME: {cron: \"*/5 * * * *\", run: COMMAND}}"

  /// Whether a text is five fields of times and something to run.
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
