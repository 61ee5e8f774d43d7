import TaktCore

/// Where all that reads one file says what is wrong in it.
final class Reporter {
  let source: SourceText
  private(set) var log = ProblemLog()
  private let showsLines: Bool

  /// Reports on `source`; without its lines where they may hold what is secret.
  init(_ source: SourceText, showsLines: Bool = true) {
    self.source = source
    self.showsLines = showsLines
  }

  /// How many errors were reported so far, repeats counted.
  var errorCount: Int { log.errorCount }

  /// Reports a mistake at a place. `owner` says whose it is and follows the message.
  func report(
    _ code: Diagnostic.Code, severity: Diagnostic.Severity = .error, at mark: YAMLMark,
    _ message: String, hint: @autoclosure () -> String? = nil, owner: KeyOwner? = nil
  ) {
    let location = SourceLocation(
      file: source.file, line: Int(mark.line), column: Int(mark.column))
    // A hint and a line cost a search each, and a large file can hold a million mistakes.
    log.add(Diagnostic(severity: severity, code, at: location, message)) { diagnostic in
      let place = source.place(of: mark)
      diagnostic.location = place.location
      diagnostic.sourceLine = showsLines ? place.line : nil
      diagnostic.hint = hint()
      if let owner { diagnostic.message += " in \(owner)" }
    }
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
