import Testing

@testable import TaktConfig
import TaktCore

struct YAMLSyntaxProblemTests {
  @Test(arguments: [
    "a:\n\tb: c => a tab cannot indent a line; use spaces",
    "a: |\n  x\n\ty => a tab cannot indent a line; use spaces",
    "a: @b => '@' cannot begin a value; put the text in quotes",
    "a: `b` => '`' cannot begin a value; put the text in quotes",
    "a: %b => '%' cannot begin a value; put the text in quotes",
    "a: 'b => the quote that opens here is never closed; "
      + "close it, or put the text in the other kind of quotes",
    "a: !x!y b => this tag is unknown; remove it",
    "a: b: c => a ':' stands where no value can follow; "
      + "check the indentation, or put a text that contains ': ' in quotes",
    "a:\n  b: c\n d: e => this line does not fit the mapping above it; "
      + "give the keys of one mapping the same indentation",
    "- a\nb: c => this line does not fit the list above it; "
      + "begin each item with '-' in the same column",
    "a: b\nc\nd: e => this key has no ':' after it; write 'key: value'",
    "a: [b => the list that opens here is not closed; put ',' between its items and ']' at its end",
    "a: {b => the mapping that opens here is not closed; "
      + "put ',' between its keys and '}' at its end",
    "a: \"\\q\" => a text in double quotes knows no such escape; "
      + "write \\\\ for a backslash, or put the text in single quotes",
    "a: - b => a list cannot begin here; put the '-' on a line of its own",
    "{a: b}\nc: d => nothing may follow the end of the file's mapping; "
      + "give the keys of one mapping the same indentation",
    "a: | b\n => nothing but a comment may follow '|' or '>' on its line; "
      + "begin the text on the next line",
    "%YAML 3.0\n---\na: b => this version of YAML is unknown; remove the %YAML line",
    "a: & b => this is no YAML: did not find expected alphabetic or numeric character, "
      + "while scanning an anchor",
  ])
  func `the parser's words become a sentence`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    let diagnostic = try #require(load(parts[0]).diagnostics.last)
    #expect(diagnostic.message + (diagnostic.hint.map { "; \($0)" } ?? "") == parts[1])
  }
}
