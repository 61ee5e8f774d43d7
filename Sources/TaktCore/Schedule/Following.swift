/// The end of another job's run, as a trigger.
package struct Following: Hashable, Sendable, Comparable {
  /// Which ends count.
  package enum Condition: String, CaseIterable, Hashable, Sendable {
    /// It has succeeded.
    case success
    /// It has failed or timed out.
    case failure
    /// It has ended, in whatever way.
    case any
  }

  /// Whose run.
  package var job: JobName
  /// Which ends. Default `success`.
  package var condition: Condition

  /// The end of a run of `job`.
  package init(_ job: JobName, on condition: Condition = .success) {
    self.job = job
    self.condition = condition
  }

  /// By the jobs' names.
  package static func < (left: Self, right: Self) -> Bool {
    (left.job, left.condition.rawValue) < (right.job, right.condition.rawValue)
  }

  /// Whether a run that has ended in this way is one of them.
  func isMet(by end: RunEnd) -> Bool {
    switch (condition, end.outcome) {
    case (.any, _), (.success, .succeeded), (.failure, .failed), (.failure, .timedOut): true
    case (.success, _), (.failure, _): false
    }
  }
}
