import TaktCore

/// Where all that reads one file says what is wrong in it.
final class Reporter {
  let source: SourceText
  private(set) var log = ProblemLog()
  private let showsLines: Bool
  /// Lines that may hold a secret, besides those that the source itself does not show.
  private var hiddenLines: Set<Int> = []
  /// From this line on nothing is shown: reading stopped within what may be a secret.
  private var firstHiddenLine = Int.max
  private(set) var concealment: Concealment?
  private var hintCounts: [Diagnostic.Severity: Int] = [:]

  /// Reports on `source`; without its lines where they may hold what is secret.
  init(_ source: SourceText, showsLines: Bool = true) {
    self.source = source
    self.showsLines = showsLines
  }

  var errorCount: Int { log.errorCount }
  /// How many mistakes and doubts were reported, repeats counted.
  var reportCount: Int { log.reportCount }

  /// Reports a mistake at a place. `owner` says whose it is and follows the message.
  func report(
    _ code: Diagnostic.Code, severity: Diagnostic.Severity = .error, at mark: YAMLMark,
    _ message: String, hint: @autoclosure () -> String? = nil,
    owner: (any CustomStringConvertible)? = nil
  ) {
    let location = SourceLocation(
      file: source.file, line: Int(mark.line), column: Int(mark.column))
    // A hint and a line cost a search each, and a large file can hold a million mistakes.
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

  /// A text of the file, as a message quotes it; where its lines are not shown, `words` in its place.
  func quoted(_ text: String, or words: String) -> String {
    showsLines ? "'\(text.shortened)'" : words
  }

  /// A hint, as long as there are not very many: only so many mistakes are shown, and the nearest of
  /// many names takes long to find.
  private func affordable(_ hint: () -> String?, of severity: Diagnostic.Severity) -> String? {
    guard hintCounts[severity, default: 0] < 2 * ProblemLog.shownBound else { return nil }
    hintCounts[severity, default: 0] += 1
    return hint()
  }

  /// Reads what may hold a secret: nothing that is in the file gets into a message meanwhile.
  ///
  /// - Parameter concealment: nil to go on as before.
  func concealing<Result, Failure>(
    _ concealment: Concealment?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = self.concealment
    self.concealment = concealment ?? outer
    defer { self.concealment = outer }
    return try body()
  }

  /// What is at a place, for a message; nil where it may be part of a secret.
  func character(at mark: YAMLMark) -> Character? {
    let character = source.character(at: mark)
    return character == "\t" || !isHidden(mark) ? character : nil
  }

  /// A line of the file; nil where there is none, or it may hold a secret.
  func line(_ number: Int) -> String? { isHidden(number) ? nil : source.text(ofLine: number) }

  /// Whether what is at a place may be part of a secret.
  func isHidden(_ mark: YAMLMark) -> Bool { isHidden(Int(mark.line)) }

  private func isHidden(_ line: Int) -> Bool {
    !showsLines || hiddenLines.contains(line) || line >= firstHiddenLine || source.isSecret(line)
  }

  /// Hides the lines from that of a mark on. Without a last one, where reading stopped in between, the
  /// text of the source says how far they go; unless it does not even know the first one.
  func hideLines(from first: YAMLMark, through last: UInt32?) {
    if let last {
      for line in first.line...max(first.line, last) {
        hideLine(of: YAMLMark(line: line, column: 1))
      }
    } else if !source.isSecret(Int(first.line)) {
      firstHiddenLine = min(firstHiddenLine, Int(first.line))
    }
  }

  /// Hides a line of the file, in diagnostics before and after.
  func hideLine(of mark: YAMLMark) {
    let line = Int(mark.line)
    if hiddenLines.insert(line).inserted { log.hideLine(line) }
  }
}

extension String {
  /// The text as a message quotes it: control and invisible characters made visible, and not too much
  /// of it. What
  /// may hold a password, as the address of a database does, is not quoted at all.
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
  /// What makes two diagnostics one: a mistake in an anchored mapping is met by every job that
  /// uses it, and said once.
  private struct Identity: Hashable {
    var location: SourceLocation
    var code: Diagnostic.Code
    var message: String

    // The file and the code are texts that many have in common: they tell little, and take long.
    func hash(into hasher: inout Hasher) {
      hasher.combine(location.line)
      hasher.combine(location.column)
      hasher.combine(message)
    }
  }

  static let shownBound = 100
  /// The most errors, and the most warnings, that are kept until all are put in order.
  private static let keptBound = 2000

  private var diagnostics: [Diagnostic] = []
  private var seen: Set<Identity> = []
  private var kept: [Diagnostic.Severity: Int] = [:]
  private var omittedErrors = 0
  private var omittedWarnings = 0
  /// How many errors were met, repeats counted.
  private(set) var errorCount = 0
  /// How many diagnostics were taken, repeats counted.
  private(set) var reportCount = 0

  /// Takes a diagnostic. When it is new and will be shown, `complete` adds to it what is not part
  /// of what it is.
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

  /// All in order; files in the order in which they were read. Past the bound one more says how
  /// many are left out: warnings first, because errors are what keeps a file from being used.
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
