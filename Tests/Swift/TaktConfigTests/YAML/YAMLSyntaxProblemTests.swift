import Testing

@testable import TaktConfig
import TaktCore

struct YAMLSyntaxProblemTests {
  @Test(arguments: [
    "a:\n\tb: c => a tab cannot indent a line; use spaces",
    "a: |\n  x\n\ty => a tab cannot indent a line; use spaces",
    "a: @b => a value cannot start with '@'; put the text in quotes",
    "a: `b` => a value cannot start with '`'; put the text in quotes",
    "a: %b => a value cannot start with '%'; put the text in quotes",
    "a: 'b => this quote is never closed; "
      + "close it, or use the other kind of quotes",
    "a: !x!y b => unknown tag; remove it",
    "a: b: c => unexpected ':'; "
      + "check the indentation, or quote a text that contains ': '",
    "a:\n  b: c\n d: e => this line is not part of the mapping above it; "
      + "indent all keys of a mapping equally",
    "- a\nb: c => this line is not part of the list above it; "
      + "start each item with '-' in the same column",
    "a: b\nc\nd: e => missing ':' after this key; write 'key: value'",
    "a: [b => this list is not closed; put ',' between its items and ']' at its end",
    "a: {b => this mapping is not closed; "
      + "put ',' between its keys and '}' at its end",
    "a: \"\\q\" => unknown escape in double quotes; "
      + "write \\\\ for a backslash, or use single quotes",
    "a: - b => a list cannot start here; put the '-' on its own line",
    "{a: b}\nc: d => unexpected text after the end of the file's mapping; "
      + "indent all keys of a mapping equally",
    "a: | b\n => only a comment can follow '|' or '>' on its line; "
      + "start the text on the next line",
    "%YAML 3.0\n---\na: b => unknown version of YAML; remove the %YAML line",
    "a: & b => '&' starts a YAML anchor here; put the text in quotes",
    "a: ? b => '?' starts a YAML key here; put the text in quotes",
    "a: {b} c => '{' starts a mapping here; put the whole text in quotes",
    "a: [b] ; c => '[' starts a list here; put the whole text in quotes",
    "a: \"b\" c => a text that starts with a quote ends at the next one; "
      + "put the whole text in the other kind of quotes",
    "a: {b: c {d}} => '{' is in a text without quotes here; put the whole text in quotes",
    "a: {b: c #d} => '#' starts a comment here, which ends the text before it; "
      + "put the whole text in quotes",
    // Something is missing, or indented wrongly, and no text was meant to go on.
    "a: {b: \"c\" d: e} => this mapping is not closed; put ',' between its keys and '}' at its end",
    "a: [\"b\" \"c\"] => this list is not closed; put ',' between its items and ']' at its end",
    "a: [b # c\n  d] => this list is not closed; put ',' between its items and ']' at its end",
    "a: {b: c # d => this mapping is not closed; put ',' between its keys and '}' at its end",
    "a:\n  b: c # d\n    e: f => this line is not part of the mapping above it; "
      + "indent all keys of a mapping equally",
    "a:\n  - \"b\"\n    - c => this line is not part of the list above it; "
      + "start each item with '-' in the same column",
  ])
  func `the parser's words become a sentence`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    let diagnostic = try #require(load(parts[0]).diagnostics.last)
    #expect(diagnostic.message + (diagnostic.hint.map { "; \($0)" } ?? "") == parts[1])
  }
}
