import TaktCore

final class Reporter {
  let source: SourceText
  private(set) var log = ProblemLog()
  private let showsLines: Bool
  /// Lines that may hold a secret, besides those that the source itself does not show.
  private var hiddenLines: Set<Int> = []
  /// Nothing is shown from this line on: reading stopped within a possible secret.
  private var firstHiddenLine = Int.max
  private(set) var concealment: Concealment?
  private var hintCounts: [Diagnostic.Severity: Int] = [:]

  /// - Parameter showsLines: false if the lines may hold secrets.
  init(_ source: SourceText, showsLines: Bool = true) {
    self.source = source
    self.showsLines = showsLines
  }

  var errorCount: Int { log.errorCount }
  /// The number of diagnostics, repeats included.
  var reportCount: Int { log.reportCount }

  /// Reports a mistake at a place. The message ends with `owner`.
  func report(
    _ code: Diagnostic.Code, severity: Diagnostic.Severity = .error, at mark: YAMLMark,
    _ message: String, hint: @autoclosure () -> String? = nil,
    owner: (any CustomStringConvertible)? = nil
  ) {
    let location = SourceLocation(
      file: source.file, line: Int(mark.line), column: Int(mark.column))
    // A hint and a line take a search each, and a large file can have a million mistakes.
    let said = concealment?.message(of: code) ?? message
    log.add(Diagnostic(severity: severity, code, at: location, said)) { diagnostic in
      let place = source.place(of: mark)
      diagnostic.location = place.location
      diagnostic.sourceLine = isHidden(place.location.line) ? nil : place.line
      diagnostic.hint = concealment.map { $0.hint(of: code) } ?? affordable(hint, of: severity)
      // The name of a job that a line has made is part of the line.
      if let owner, !isOfLine { diagnostic.message += " in \(owner)" }
    }
  }

  private var isOfLine: Bool { if case .line? = concealment { true } else { false } }

  /// A text of the file in quotes for a message; `words` in its place if lines are not shown.
  func quoted(_ text: String, or words: String) -> String {
    showsLines ? "'\(text.shortened)'" : words
  }

  /// The hint, unless there are very many: only a limited number of mistakes is shown, and the
  /// nearest of many names takes long to find.
  private func affordable(_ hint: () -> String?, of severity: Diagnostic.Severity) -> String? {
    guard hintCounts[severity, default: 0] < 2 * ProblemLog.shownBound else { return nil }
    hintCounts[severity, default: 0] += 1
    return hint()
  }

  /// Runs `body` without any text of the file in messages, for values that may be secret.
  ///
  /// - Parameter concealment: nil to change nothing.
  func concealing<Result, Failure>(
    _ concealment: Concealment?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = self.concealment
    self.concealment = concealment ?? outer
    defer { self.concealment = outer }
    return try body()
  }

  /// The character at a place, for a message; nil if it may be part of a secret.
  func character(at mark: YAMLMark) -> Character? {
    let character = source.character(at: mark)
    return character == "\t" || !isHidden(mark) ? character : nil
  }

  /// Nil if there is no such line, or it may hold a secret.
  func line(_ number: Int) -> String? { isHidden(number) ? nil : source.text(ofLine: number) }

  /// True if a place may be part of a secret.
  func isHidden(_ mark: YAMLMark) -> Bool { isHidden(Int(mark.line)) }

  private func isHidden(_ line: Int) -> Bool {
    !showsLines || hiddenLines.contains(line) || line >= firstHiddenLine || source.isSecret(line)
  }

  /// Hides the lines from that of a mark on. Without a last one, if reading stopped in between, the
  /// text of the source determines the end; unless it does not even detect the first one.
  func hideLines(from first: YAMLMark, through last: UInt32?) {
    if let last {
      for line in first.line...max(first.line, last) {
        hideLine(of: YAMLMark(line: line, column: 1))
      }
    } else if !source.isSecret(Int(first.line)) {
      firstHiddenLine = min(firstHiddenLine, Int(first.line))
    }
  }

  /// Hides a line of the file, in earlier and later diagnostics.
  func hideLine(of mark: YAMLMark) {
    let line = Int(mark.line)
    if hiddenLines.insert(line).inserted { log.hideLine(line) }
  }
}

extension Reporter {
  /// Reports the port of a URL if there can be none of this number.
  func hasPossiblePort(_ url: String, at mark: YAMLMark) -> Bool {
    guard let port = url.wrongURLPort else { return true }
    report(
      .badValue, at: mark, "'\(port.shortened)' is not the port of a URL",
      hint: "write a number from 1 to 65535, or none")
    return false
  }
}

extension String {
  /// The text for a message: control and invisible characters made visible, and cut at a length. A
  /// text that may hold a password, as the address of a database does, is not quoted at all.
  var shortened: String {
    if mayHoldPassword { return "…" }
    // Most texts are short and plain.
    if utf8.count <= 60, utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return self }
    let shown = String(unicodeScalars.prefix(61)).printable.unicodeScalars
    let part = shown.count > 60 ? String(shown.prefix(60)) + "…" : String(shown)
    return part.withoutInvisible
  }
}

/// The diagnostics of one load: each once, in the order of their places, within a bound.
struct ProblemLog {
  /// The identity of a diagnostic: a mistake in an anchored mapping is found in every job that uses
  /// it, and reported once.
  private struct Identity: Hashable {
    var location: SourceLocation
    var code: Diagnostic.Code
    var message: String

    // The file and the code are the same in many: they distinguish little, and are slow to hash.
    func hash(into hasher: inout Hasher) {
      hasher.combine(location.line)
      hasher.combine(location.column)
      hasher.combine(message)
    }
  }

  static let shownBound = 100
  /// The most errors, and the most warnings, that are kept until they are sorted.
  private static let keptBound = 2000

  private var diagnostics: [Diagnostic] = []
  private var seen: Set<Identity> = []
  private var kept: [Diagnostic.Severity: Int] = [:]
  private var omittedErrors = 0
  private var omittedWarnings = 0
  /// The number of errors, repeats included.
  private(set) var errorCount = 0
  /// The number of diagnostics, repeats included.
  private(set) var reportCount = 0

  /// Adds a diagnostic. If it is new and will be shown, `complete` fills in the parts outside its
  /// identity.
  mutating func add(_ diagnostic: Diagnostic, complete: (inout Diagnostic) -> Void = { _ in }) {
    reportCount += 1
    if diagnostic.severity == .error { errorCount += 1 }
    let identity = Identity(
      location: diagnostic.location, code: diagnostic.code, message: diagnostic.message)
    guard kept[diagnostic.severity, default: 0] < Self.keptBound else {
      if !seen.contains(identity) { omit(diagnostic) }
      return
    }
    guard seen.insert(identity).inserted else { return }
    kept[diagnostic.severity, default: 0] += 1
    var diagnostic = diagnostic
    complete(&diagnostic)
    diagnostics.append(diagnostic)
  }

  mutating func hideLine(_ line: Int) {
    for index in diagnostics.indices where diagnostics[index].location.line == line {
      diagnostics[index].sourceLine = nil
    }
  }

  mutating func add(_ other: ProblemLog) {
    if reportCount == 0 {
      self = other
      return
    }
    for diagnostic in other.diagnostics { add(diagnostic) }
    errorCount += other.errorCount - other.diagnostics.count { $0.severity == .error }
    omittedErrors += other.omittedErrors
    omittedWarnings += other.omittedWarnings
  }

  /// All diagnostics in order; files in the order in which they were read. Beyond the bound, one
  /// more has the number of omitted ones: warnings are omitted first, because errors are the reason
  /// why a file cannot be used.
  func sorted(files: [String]) -> [Diagnostic] {
    var ranks: [String: Int] = [:]
    for file in files where ranks[file] == nil { ranks[file] = ranks.count }
    let all = diagnostics.enumerated().sorted { left, right in
      let (a, b) = (left.element.location, right.element.location)
      return (ranks[a.file] ?? .max, a.line, a.column, left.offset)
        < (ranks[b.file] ?? .max, b.line, b.column, right.offset)
    }.map(\.element)
    let shownErrors = min(all.count { $0.severity == .error }, Self.shownBound)
    var room = [Diagnostic.Severity.error: shownErrors, .warning: Self.shownBound - shownErrors]
    var shown = all.filter { diagnostic in
      room[diagnostic.severity, default: 0] -= 1
      return room[diagnostic.severity, default: 0] >= 0
    }
    let omitted = all.count - shown.count + omittedErrors + omittedWarnings
    guard omitted > 0 else { return all }
    let errors = omittedErrors + all.count { $0.severity == .error } - shownErrors
    let more = Diagnostic(
      severity: errors > 0 ? .error : .warning, .moreProblems,
      at: SourceLocation(file: files.first ?? ""),
      "\(omitted) more \(omitted == 1 ? "problem is" : "problems are") not shown",
      hint: "fix these first")
    shown.append(more)
    return shown
  }

  private mutating func omit(_ diagnostic: Diagnostic) {
    switch diagnostic.severity {
    case .error: omittedErrors += 1
    case .warning: omittedWarnings += 1
    }
  }
}
