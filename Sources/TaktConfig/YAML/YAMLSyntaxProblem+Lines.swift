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
    if let comment = cuttingComment(of: problem) { return comment }
    guard problem.problem.hasPrefix("did not find expected ',' or"),
      let scalars = line(Int(problem.mark.line))?.unicodeScalars
    else { return nil }
    let place = Int(problem.mark.column) - 1
    let before = String(String.UnicodeScalarView(scalars.prefix(place)))
    let rest = String(String.UnicodeScalarView(scalars.dropFirst(place)))
    if rest.hasPrefix("{{") {
      return YAMLSyntaxProblem.Sentence(
        mark: problem.mark, message: "'{{' is in a text without quotes here",
        hint: "put the whole text in quotes")
    }
    // Without another one before it, a bracket of a line above is not closed.
    if rest.hasPrefix(":"), before.contains(": ") {
      return YAMLSyntaxProblem.Sentence(
        mark: problem.mark, message: "unexpected ':'",
        hint: "put a text that contains ': ' in quotes")
    }
    return nil
  }

  /// A comment in the line above, which ends a text that was meant to go on in this line.
  private func cuttingComment(of problem: YAMLSyntaxProblem) -> YAMLSyntaxProblem.Sentence? {
    let number = Int(problem.mark.line)
    guard
      ["did not find expected key", "could not find expected ':'"].contains(problem.problem),
      let own = line(number), let above = line(number - 1),
      let value = above.range(ofValue: ()),
      own.prefix(while: \.isWhitespace).count > above.prefix(while: \.isWhitespace).count,
      let comment = PlainText.comment(
        in: above, from: above.unicodeScalars.distance(from: above.startIndex, to: value))
    else { return nil }
    return YAMLSyntaxProblem.Sentence(
      mark: YAMLMark(line: UInt32(number - 1), column: UInt32(comment + 1)),
      message: PlainText.commentMessage, hint: PlainText.commentHint)
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

/// A text without quotes, as it stands in a file: YAML ends it where a comment starts.
enum PlainText {
  static let commentMessage = "'#' starts a comment here, which ends the text before it"
  static let commentHint = "put the whole text in quotes"

  /// Where a comment starts behind a place of a line, both counted in code points from 0; nil without
  /// one, and where the text at the place is quoted or a block.
  static func comment(in line: String, from start: Int) -> Int? {
    let scalars = Array(line.unicodeScalars)
    guard start < scalars.count, !"\"'|>&*!#".unicodeScalars.contains(scalars[start]) else {
      return nil
    }
    return scalars.indices.dropFirst(start + 1).first { index in
      scalars[index] == "#" && [" ", "\t"].contains(scalars[index - 1])
    }
  }
}

extension String {
  /// Where the value of a `key: value` starts; nil where the line is none.
  fileprivate func range(ofValue _: Void) -> Index? {
    var rest = self[...]
    guard let colon = rest.firstIndex(of: ":") else { return nil }
    rest = rest[index(after: colon)...]
    guard rest.first == " " else { return nil }
    let value = rest.drop { $0 == " " }
    return value.isEmpty ? nil : value.startIndex
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
