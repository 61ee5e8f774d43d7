/// What is wrong in a file that somebody wrote: a value with a place, a code and a hint.
public struct Diagnostic: Error, Hashable, Sendable {
  /// How bad it is.
  public enum Severity: String, Sendable {
    /// The file is not taken.
    case error
    /// The file is taken; somebody should look.
    case warning
  }

  /// What kind of mistake it is: tests match codes, people read sentences.
  public enum Code: String, CaseIterable, Sendable {
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
    case moreProblems
  }

  /// How bad it is.
  public var severity: Severity
  /// What kind of mistake it is.
  public var code: Code
  /// Where it stands.
  public var location: SourceLocation
  /// One sentence without a full stop.
  public var message: String
  /// What to do about it, or nil.
  public var hint: String?
  /// The line of the file it stands in, or nil where the file has no lines.
  public var sourceLine: String?

  /// An error at a place; severity `.error` unless another is given.
  public init(
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
public struct SourceLocation: Hashable, Sendable, Comparable {
  /// The file's path as it was given.
  public var file: String
  /// From 1; 0 for the file as a whole.
  public var line: Int
  /// From 1, in characters; 0 for the line as a whole.
  public var column: Int

  /// A place in a file; without line and column the file as a whole.
  public init(file: String, line: Int = 0, column: Int = 0) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// By file, line and column.
  public static func < (left: Self, right: Self) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}

extension SourceLocation: CustomStringConvertible {
  /// `jobs.yaml:14:5`, or the file's path alone.
  public var description: String {
    line == 0 ? file : column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
  }
}
