/// What came of one action of an attempt: handed back when its process, or a built-in's work, has
/// ended.
package struct AttemptReport: Hashable, Sendable {
  /// How it ended.
  package var result: AttemptResult
  /// What it has left behind and what must end before the run can: the living members of its process
  /// group and those who escaped it. `groupEnded` follows when there are any.
  package var descendants: [Descendant]
  /// What it printed.
  package var output: OutputFacts

  /// A report.
  package init(
    _ result: AttemptResult, descendants: [Descendant] = [], output: OutputFacts = OutputFacts()
  ) {
    self.result = result
    self.descendants = descendants
    self.output = output
  }
}

/// A process that an attempt has left behind.
package struct Descendant: Hashable, Sendable, CustomStringConvertible {
  /// Its number.
  package var pid: Int32
  /// The name of its program, as the process table has it.
  package var name: String

  /// A process by its number and name.
  package init(pid: Int32, name: String) {
    self.pid = pid
    self.name = name
  }

  /// `sleep(4711)`
  package var description: String { "\(name)(\(pid))" }
}

/// What an action has printed.
package struct OutputFacts: Hashable, Sendable {
  /// How many bytes on standard output.
  package var stdoutBytes: Int
  /// How many bytes on standard error.
  package var stderrBytes: Int
  /// Whether a line of standard output matches the job's failure pattern.
  package var matchesFailurePattern: Bool
  /// What is kept of both.
  package var kept: KeptOutput

  /// Nothing printed unless told otherwise.
  package init(
    stdoutBytes: Int = 0, stderrBytes: Int = 0, matchesFailurePattern: Bool = false,
    kept: KeptOutput = KeptOutput()
  ) {
    self.stdoutBytes = stdoutBytes
    self.stderrBytes = stderrBytes
    self.matchesFailurePattern = matchesFailurePattern
    self.kept = kept
  }
}
