import TaktCore

/// What the parser said when it gave up: its own words and both of its places.
struct YAMLSyntaxProblem: Equatable {
  var problem: String
  var mark: YAMLMark
  var context: String
  var contextMark: YAMLMark
}

extension YAMLSyntaxProblem {
  /// What a person reads instead of the parser's words.
  struct Sentence: Equatable {
    var code: Diagnostic.Code = .syntax
    var mark: YAMLMark
    var message: String
    var hint: String?
  }

  /// The parser's words as a sentence that says what to do. `character` is what stands at `mark`.
  func sentence(character: Character?) -> Sentence {
    if problem.contains("tab character") || isBadStart && character == "\t" {
      return Sentence(
        mark: mark, message: "a tab cannot indent a line", hint: "use spaces")
    }
    if isBadStart, let character {
      return Sentence(
        mark: mark, message: "'\(character)' cannot begin a value",
        hint: "put the text in quotes")
    }
    if problem == "found unexpected end of stream" {
      return Sentence(
        mark: contextMark, message: "the quote that opens here is never closed",
        hint: "close it, or put the text in the other kind of quotes")
    }
    if problem == "found undefined tag handle" {
      return Sentence(code: .badTag, mark: mark, message: "this tag is unknown", hint: "remove it")
    }
    for row in Self.sentences where problem == row.problem {
      if let context = row.context, context != self.context { continue }
      return Sentence(
        mark: row.atContext ? contextMark : mark, message: row.message, hint: row.hint)
    }
    let words = context.isEmpty ? problem : "\(problem), \(context)"
    return Sentence(mark: mark, message: "this is no YAML: \(words)")
  }

  private var isBadStart: Bool { problem == "found character that cannot start any token" }

  private struct Row {
    var problem: String
    var context: String?
    var atContext = false
    var message: String
    var hint: String
  }

  private static let sentences: [Row] = [
    Row(
      problem: "mapping values are not allowed in this context",
      message: "a ':' stands where no value can follow",
      hint: "check the indentation, or put a text that contains ': ' in quotes"),
    Row(
      problem: "did not find expected key", context: "while parsing a block mapping",
      message: "this line does not fit the mapping above it",
      hint: "give the keys of one mapping the same indentation"),
    Row(
      problem: "did not find expected '-' indicator",
      message: "this line does not fit the list above it",
      hint: "begin each item with '-' in the same column"),
    Row(
      problem: "could not find expected ':'", atContext: true,
      message: "this key has no ':' after it", hint: "write 'key: value'"),
    Row(
      problem: "did not find expected ',' or ']'", atContext: true,
      message: "the list that opens here is not closed",
      hint: "put ',' between its items and ']' at its end"),
    Row(
      problem: "did not find expected ',' or '}'", atContext: true,
      message: "the mapping that opens here is not closed",
      hint: "put ',' between its keys and '}' at its end"),
    Row(
      problem: "did not find expected node content", message: "a value is missing here",
      hint: "write one, or remove the sign before it"),
    Row(
      problem: "found unknown escape character",
      message: "a text in double quotes knows no such escape",
      hint: "write \\\\ for a backslash, or put the text in single quotes"),
    Row(
      problem: "block sequence entries are not allowed in this context",
      message: "a list cannot begin here", hint: "put the '-' on a line of its own"),
    Row(
      problem: "did not find expected <document start>",
      message: "nothing may follow the end of the file's mapping",
      hint: "give the keys of one mapping the same indentation"),
    Row(
      problem: "did not find expected comment or line break",
      message: "nothing but a comment may follow '|' or '>' on its line",
      hint: "begin the text on the next line"),
    Row(
      problem: "found incompatible YAML document", message: "this version of YAML is unknown",
      hint: "remove the %YAML line"),
  ]
}
