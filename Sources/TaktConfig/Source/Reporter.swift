import TaktCore

/// Where all that reads one file says what is wrong in it.
final class Reporter {
  let source: SourceText
  private(set) var log = ProblemLog()

  /// Reports on `source`.
  init(_ source: SourceText) {
    self.source = source
  }

  /// How many errors were reported so far, repeats counted.
  var errorCount: Int { log.errorCount }

  /// Reports a mistake at a place. `owner` says whose it is and follows the message.
  func report(
    _ code: Diagnostic.Code, severity: Diagnostic.Severity = .error, at mark: YAMLMark,
    _ message: String, hint: String? = nil, owner: KeyOwner? = nil
  ) {
    // Past the bound only the count matters, and a place costs a search for its line.
    let (location, line) =
      log.isFull ? (SourceLocation(file: source.file), nil) : source.place(of: mark)
    log.add(
      Diagnostic(
        severity: severity, code, at: location, message, hint: hint, sourceLine: line),
      owner: owner?.description)
  }
}

extension String {
  /// The text as a message quotes it: control characters made visible, and not too much of it.
  var shortened: String {
    var shown = String.UnicodeScalarView()
    for scalar in unicodeScalars.prefix(61) {
      shown.append(scalar.value < 0x20 || scalar.value == 0x7f ? "\u{fffd}" : scalar)
    }
    guard shown.count > 60 else { return String(shown) }
    return String(String.UnicodeScalarView(shown.prefix(60))) + "…"
  }
}
