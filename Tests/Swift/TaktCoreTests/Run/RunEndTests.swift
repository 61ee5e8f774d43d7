import TaktCore
import Testing

@Suite struct RunEndTests {
  private let strict: SuccessRule = {
    SuccessRule(
      exitStatuses: [0, 3], failsOnStandardError: true, failurePattern: "ERROR",
      failsWhenSilent: true)
  }()

  @Test(arguments: [
    (0, OutputFacts(stdoutBytes: 1), "succeeded exit(0)"),
    (3, OutputFacts(stdoutBytes: 1), "succeeded exit(3)"),
    (1, OutputFacts(stdoutBytes: 1, stderrBytes: 1), "failed exit(1)"),
    (0, OutputFacts(stdoutBytes: 1, stderrBytes: 1), "failed fails_when(stderr)"),
    (3, OutputFacts(stdoutBytes: 5, matchesFailurePattern: true), "failed fails_when(stdout)"),
    (0, OutputFacts(), "failed fails_when(empty)"),
  ])
  func `a command is judged by its status, then by what it printed`(
    status: Int32, output: OutputFacts, end: String
  ) {
    let actual = AttemptReport(.exited(status), output: output).runEnd(by: strict)
    #expect("\(actual.outcome) \(actual.reason)" == end)
  }

  @Test func `without a rule only the status counts`() {
    let output = OutputFacts(stderrBytes: 9, matchesFailurePattern: true)
    #expect(
      AttemptReport(.exited(0), output: output).runEnd(by: SuccessRule())
        == RunEnd(.succeeded, .exit(0)))
    #expect(
      AttemptReport(.exited(0)).runEnd(by: SuccessRule(exitStatuses: [1]))
        == RunEnd(.failed, .exit(0)))
  }

  @Test func `the rule is not for signals, built-ins and what never started`() {
    #expect(AttemptReport(.signalled(9)).runEnd(by: strict) == RunEnd(.failed, .signal(9)))
    #expect(AttemptReport(.done).runEnd(by: strict) == RunEnd(.succeeded, .done))
    #expect(
      AttemptReport(.notStarted(.exec, errno: 2)).runEnd(by: strict)
        == RunEnd(.failed, .notStarted(.exec, errno: 2)))
  }
}
