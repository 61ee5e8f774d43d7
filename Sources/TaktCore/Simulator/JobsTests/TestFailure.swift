package import TaktTime

/// An expectation that was not met.
package struct TestFailure: Sendable {
  package var expectation: TestExpectation
  /// The count or measure, as it is written: `ran`.
  package var key: String
  package var expected: String
  package var actual: String
  /// The time to look at; nil for the test as a whole.
  package var at: WallInstant?
  /// The verdict of the slots to look at; nil for any.
  package var kind: Verdict.Kind?
  /// The jobs to look at; nil for all.
  package var jobs: [JobName]?

  init(
    _ expectation: TestExpectation, _ key: String, expected: String, actual: String,
    at: WallInstant? = nil, kind: Verdict.Kind? = nil
  ) {
    self.expectation = expectation
    self.key = key
    self.expected = expected
    self.actual = actual
    self.at = at
    self.kind = kind
    jobs = expectation.jobs.map { $0 + expectation.check.others }
  }

  /// `backup: ran: expected 2, got 1`
  package var sentence: String {
    "\(expectation.subject): \(key): expected \(expected), got \(actual)"
  }
}
