import TaktCore

/// The parser's last words: its own text and both of its places.
struct YAMLSyntaxProblem: Equatable {
  var problem: String
  var mark: YAMLMark
  var context: String
  var contextMark: YAMLMark
  /// The text that was read directly before; nil for none, and for a block.
  var text: Text?

  /// A text that is not empty, quoted or not.
  struct Text: Equatable {
    var start: YAMLMark
    /// After its last character.
    var end: YAMLMark
    var isPlain: Bool
  }
}

extension YAMLSyntaxProblem {
  /// The bracket that was expected, besides a comma; nil outside brackets.
  var closing: Character? { "]}".first { problem.hasSuffix("or '\($0)'") } }

  /// True if a value had ended before something that does not follow one.
  var isBehindValue: Bool {
    closing != nil
      || ["while parsing a block mapping", "while parsing a block collection"].contains(context)
  }

  /// The place of text that may have been meant to continue the value before it on its line; nil
  /// within brackets.
  var follower: YAMLMark? {
    switch context {
    case "while scanning a block scalar", "while scanning an alias", "while scanning an anchor":
      contextMark
    default: isBehindValue && closing == nil ? mark : nil
    }
  }

  /// The sentence for people in place of the parser's words.
  struct Sentence: Equatable {
    var code: Diagnostic.Code = .syntax
    var mark: YAMLMark
    var message: String
    var hint: String?
  }

  /// The parser's words as a sentence with advice. `character` is the one at `mark`, nil if it may
  /// be part of a secret.
  func sentence(character: Character?) -> Sentence {
    if problem.contains("tab character") || isBadStart && character == "\t" {
      return Sentence(
        mark: mark, message: "a tab cannot indent a line", hint: "use spaces")
    }
    if let sign = Self.signs[context], problem == Self.badSignName {
      return Sentence(
        mark: contextMark, message: "'\(sign.character)' starts a YAML \(sign.word) here",
        hint: sign.hint)
    }
    if isBadStart {
      return Sentence(
        mark: mark,
        message: "a value cannot start with \(character.map { "'\($0)'" } ?? "this character")",
        hint: "put the text in quotes")
    }
    if problem == "found unexpected end of stream" {
      return Sentence(
        mark: contextMark, message: "this quote is never closed",
        hint: "close it, or use the other kind of quotes")
    }
    if problem == "found undefined tag handle" {
      return Sentence(code: .badTag, mark: mark, message: "unknown tag", hint: "remove it")
    }
    for row in Self.sentences where problem == row.problem {
      if let context = row.context, context != self.context { continue }
      return Sentence(
        mark: row.atContext ? contextMark : mark, message: row.message, hint: row.hint)
    }
    let words = context.isEmpty ? problem : "\(problem), \(context)"
    return Sentence(mark: mark, message: "invalid YAML: \(words)")
  }

  /// The signs that start a name in YAML and a text elsewhere, by the context in libyaml.
  private static let signs: [String: (character: Character, word: String, hint: String)] = [
    "while scanning an alias": ("*", "alias", "quote the text, such as cron: \"* * * * *\""),
    "while scanning an anchor": ("&", "anchor", "put the text in quotes"),
  ]
  private static let badSignName = "did not find expected alphabetic or numeric character"

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
      message: "unexpected ':'",
      hint: "check the indentation, or quote a text that contains ': '"),
    Row(
      problem: "did not find expected key", context: "while parsing a block mapping",
      message: "this line is not part of the mapping above it",
      hint: "indent all keys of a mapping equally"),
    Row(
      problem: "did not find expected '-' indicator",
      message: "this line is not part of the list above it",
      hint: "start each item with '-' in the same column"),
    Row(
      problem: "could not find expected ':'", atContext: true,
      message: "missing ':' after this key", hint: "write 'key: value'"),
    Row(
      problem: "did not find expected ',' or ']'", atContext: true,
      message: "this list is not closed",
      hint: "put ',' between its items and ']' at its end"),
    Row(
      problem: "did not find expected ',' or '}'", atContext: true,
      message: "this mapping is not closed",
      hint: "put ',' between its keys and '}' at its end"),
    Row(
      problem: "mapping keys are not allowed in this context",
      message: "'?' starts a YAML key here", hint: "put the text in quotes"),
    Row(
      problem: "did not find expected node content", message: "missing value",
      hint: "write one, or remove the character before it"),
    Row(
      problem: "found unknown escape character",
      message: "unknown escape in double quotes",
      hint: "write \\\\ for a backslash, or use single quotes"),
    Row(
      problem: "block sequence entries are not allowed in this context",
      message: "a list cannot start here", hint: "put the '-' on its own line"),
    Row(
      problem: "did not find expected <document start>",
      message: "unexpected text after the end of the file's mapping",
      hint: "indent all keys of a mapping equally"),
    Row(
      problem: "did not find expected comment or line break",
      message: "only a comment can follow '|' or '>' on its line",
      hint: "start the text on the next line"),
    Row(
      problem: "found incompatible YAML document", message: "unknown version of YAML",
      hint: "remove the %YAML line"),
  ]
}
