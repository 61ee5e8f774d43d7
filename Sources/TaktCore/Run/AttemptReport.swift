/// What came of one action of an attempt: handed back when its process, or a built-in's work, has
/// ended.
public struct AttemptReport: Hashable, Sendable {
  /// How it ended.
  public var result: AttemptResult
  /// What it has left behind and what must end before the run can: the living members of its process
  /// group and those who escaped it. `groupEnded` follows when there are any.
  public var descendants: [Descendant]
  /// What it printed.
  public var output: OutputFacts

  /// A report.
  public init(
    _ result: AttemptResult, descendants: [Descendant] = [], output: OutputFacts = OutputFacts()
  ) {
    self.result = result
    self.descendants = descendants
    self.output = output
  }
}

/// A process that an attempt has left behind.
public struct Descendant: Hashable, Sendable, CustomStringConvertible {
  /// Its number.
  public var pid: Int32
  /// The name of its program, as the process table has it.
  public var name: String

  /// A process by its number and name.
  public init(pid: Int32, name: String) {
    self.pid = pid
    self.name = name
  }

  /// `sleep(4711)`
  public var description: String { "\(name)(\(pid))" }
}

/// What an action has printed.
public struct OutputFacts: Hashable, Sendable {
  /// How many bytes on standard output.
  public var stdoutBytes: Int
  /// How many bytes on standard error.
  public var stderrBytes: Int
  /// Whether a line of standard output matches the job's failure pattern.
  public var matchesFailurePattern: Bool
  /// What is kept of both.
  public var kept: KeptOutput

  /// Nothing printed unless told otherwise.
  public init(
    stdoutBytes: Int = 0, stderrBytes: Int = 0, matchesFailurePattern: Bool = false,
    kept: KeptOutput = KeptOutput()
  ) {
    self.stdoutBytes = stdoutBytes
    self.stderrBytes = stderrBytes
    self.matchesFailurePattern = matchesFailurePattern
    self.kept = kept
  }
}
