/// What counts as success of a command.
package struct SuccessRule: Hashable, Sendable {
  /// The exit statuses that are none of failure. Default 0 alone.
  package var exitStatuses: Set<Int32>
  /// It fails when it prints anything on its standard error. Default false.
  package var failsOnStandardError: Bool
  /// It fails when a line of its standard output matches this POSIX extended regular expression.
  package var failurePattern: String?
  /// It fails when it prints nothing on its standard output. Default false.
  package var failsWhenSilent: Bool

  package init(
    exitStatuses: Set<Int32> = [0], failsOnStandardError: Bool = false,
    failurePattern: String? = nil, failsWhenSilent: Bool = false
  ) {
    self.exitStatuses = exitStatuses
    self.failsOnStandardError = failsOnStandardError
    self.failurePattern = failurePattern
    self.failsWhenSilent = failsWhenSilent
  }
}

extension SuccessRule {
  /// Whether a process that exits so has succeeded. Mostly it is one status.
  func accepts(_ status: Int32) -> Bool {
    exitStatuses.count == 1 ? exitStatuses.first == status : exitStatuses.contains(status)
  }

  var words: String? { JobKey.list(exitStatuses.sorted().map { "exit \($0)" }) }

  var failureWords: String? {
    JobKey.list([
      failsOnStandardError ? "stderr any" : nil, failurePattern.map { "stdout \($0)" },
      failsWhenSilent ? "empty" : nil,
    ])
  }
}
