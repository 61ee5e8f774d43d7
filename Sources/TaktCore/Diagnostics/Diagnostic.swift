/// A problem in a user's file: a value with a place, a code and a hint.
package struct Diagnostic: Error, Hashable, Sendable {
  package enum Severity: String, Sendable {
    /// The file is refused.
    case error
    /// The file is accepted; a user should check it.
    case warning
  }

  /// The kind of mistake: tests match codes, people read sentences.
  package enum Code: String, CaseIterable, Sendable {
    case unreadable, tooLarge, tooDeep, tooManyNodes, notUTF8, unsafePermissions
    case syntax, manyDocuments, empty
    case unknownKey, duplicateKey, missingKey, conflictingKeys, misplacedKey
    case wrongType, badName, badDuration, badInstant, badChoice, badNumber, badBoolean, badPercent
    case badSize, badRate, badPattern, badValue, outOfRange
    case unknownAlias, badMerge, badTag
    case unknownZone, unknownAction, unknownParameter, missingParameter, badParameter
    case badPlaceholder, unknownGroup, unknownAccount, notPermitted
    case duplicateJob, includeMissing, includeCycle, tooManyIncludes
    case neverRuns, ambiguousTime, badSchedule, suspicious, unknownJob, followingCycle
    case needsRestart
    case moreProblems
  }

  package var severity: Severity
  package var code: Code
  package var location: SourceLocation
  /// One sentence without a full stop.
  package var message: String
  package var hint: String?
  /// Nil for a file without lines.
  package var sourceLine: String?

  package init(
    severity: Severity = .error, _ code: Code, at location: SourceLocation, _ message: String,
    hint: String? = nil, sourceLine: String? = nil
  ) {
    self.severity = severity
    self.code = code
    self.location = location
    self.message = message
    self.hint = hint
    self.sourceLine = sourceLine
  }
}

/// A place in a file.
package struct SourceLocation: Hashable, Sendable, Comparable {
  /// As it was given.
  package var file: String
  /// From 1; 0 for the file as a whole.
  package var line: Int
  /// From 1, in characters; 0 for the line as a whole.
  package var column: Int

  package init(file: String, line: Int = 0, column: Int = 0) {
    self.file = file
    self.line = line
    self.column = column
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}

extension SourceLocation: CustomStringConvertible {
  /// `jobs.yaml:14:5`, or the file's path alone.
  package var description: String {
    line == 0 ? file : column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
  }
}

extension Diagnostic {
  /// `jobs.yaml:14:5: error: unknown key 'evry' in job 'backup'; did you mean 'every'?`
  package var headline: String {
    ("\(location): \(severity.rawValue): \(message)" + (hint.map { "; \($0)" } ?? "")).printable
  }

  /// The headline without the severity, where that is said beside it.
  package var sentence: String {
    ("\(location): \(message)" + (hint.map { "; \($0)" } ?? "")).printable
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

  /// At most 120 characters of the line around the column, with control characters made visible.
  private static func window(of line: String, column: Int) -> (text: String, column: Int) {
    let characters = Array(line)
    let start = column > 100 ? column - 60 : 0
    let shown = String(characters.dropFirst(start).prefix(120)).printableLines
    let lead = start > 0 ? "…" : ""
    return (lead + shown, column - start + (start > 0 ? 1 : 0))
  }
}
