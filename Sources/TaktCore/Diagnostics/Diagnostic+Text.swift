extension Diagnostic {
  /// `jobs.yaml:14:5: error: unknown key 'evry' in job 'backup'; did you mean 'every'?`
  package var headline: String {
    "\(location): \(severity.rawValue): \(message)" + (hint.map { "; \($0)" } ?? "")
  }

  /// The headline, the source line, and a caret under the place.
  package var text: String {
    guard let sourceLine, location.line > 0 else { return headline }
    let (shown, column) = Self.window(of: sourceLine, column: location.column)
    guard column > 0 else { return "\(headline)\n  \(shown)" }
    // A tab in the line is a tab under it, so that the caret stays in its column.
    let indent: [Character] = shown.prefix(column - 1).map { $0 == "\t" ? "\t" : " " }
    return "\(headline)\n  \(shown)\n  \(String(indent))^"
  }

  /// At most 120 characters of the line round the column, with control characters made visible.
  private static func window(of line: String, column: Int) -> (text: String, column: Int) {
    let characters = Array(line)
    let start = column > 100 ? column - 60 : 0
    let shown: [Character] = characters.dropFirst(start).prefix(120).map { character in
      character != "\t" && (character.asciiValue ?? 32) < 32 ? "\u{fffd}" : character
    }
    let lead = start > 0 ? "…" : ""
    return (lead + String(shown), column - start + (start > 0 ? 1 : 0))
  }
}
