/// The conditions of a command's success.
package struct SuccessRule: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var exitStatuses: Set<Int32> = [0]
    var failsOnStandardError = false
    var failurePattern: String?
    var failsWhenSilent = false
  }

  /// Nil for the defaults, which nearly all jobs have: each attempt is checked against them.
  private var fields: Shared<Fields>?

  private var values: Fields {
    get { fields?.value ?? Fields() }
    set { fields = newValue == Fields() ? nil : Shared(newValue) }
  }

  /// The exit statuses of success. Default 0 alone.
  package var exitStatuses: Set<Int32> {
    get { values.exitStatuses }
    set { values.exitStatuses = newValue }
  }
  /// It fails when it prints anything on its standard error. Default false.
  package var failsOnStandardError: Bool {
    get { fields?.value.failsOnStandardError ?? false }
    set { values.failsOnStandardError = newValue }
  }
  /// It fails when a line of its standard output matches this POSIX extended regular expression.
  package var failurePattern: String? {
    get { fields?.value.failurePattern }
    set { values.failurePattern = newValue }
  }
  /// It fails when it prints nothing on its standard output. Default false.
  package var failsWhenSilent: Bool {
    get { fields?.value.failsWhenSilent ?? false }
    set { values.failsWhenSilent = newValue }
  }

  /// True if it checks one stream of the two.
  package var asksForStream: Bool {
    failsOnStandardError || failurePattern != nil || failsWhenSilent
  }

  package init(
    exitStatuses: Set<Int32> = [0], failsOnStandardError: Bool = false,
    failurePattern: String? = nil, failsWhenSilent: Bool = false
  ) {
    values = Fields(
      exitStatuses: exitStatuses, failsOnStandardError: failsOnStandardError,
      failurePattern: failurePattern, failsWhenSilent: failsWhenSilent)
  }

  package init() {}

  /// An exit status of a failure.
  var failure: Int32 { (1...255).first { !accepts($0) } ?? 256 }

  /// True if a process with this exit status has succeeded.
  func accepts(_ status: Int32) -> Bool {
    fields?.value.exitStatuses.contains(status) ?? (status == 0)
  }
}

extension SuccessRule {
  var words: String? { JobKey.list(exitStatuses.sorted().map { "exit \($0)" }) }

  var failureWords: String? {
    JobKey.list([
      failsOnStandardError ? "stderr any" : nil, failurePattern.map { "stdout \($0)" },
      failsWhenSilent ? "empty" : nil,
    ])
  }
}
