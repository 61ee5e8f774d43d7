/// The end of another job's run, as a trigger.
package struct Following: Hashable, Sendable, Comparable {
  package enum Condition: String, CaseIterable, Hashable, Sendable {
    case success
    /// It has failed or timed out.
    case failure
    case any
  }

  package var job: JobName
  /// Which ends. Default `success`.
  package var condition: Condition

  package init(_ job: JobName, on condition: Condition = .success) {
    self.job = job
    self.condition = condition
  }

  /// By the jobs' names.
  package static func < (left: Self, right: Self) -> Bool {
    (left.job, left.condition.rawValue) < (right.job, right.condition.rawValue)
  }
}

/// A change of a file, or in a folder, as a trigger.
package struct PathWatch: Hashable, Sendable, Comparable {
  /// How long a change may settle before the job is due, so that several make one. Default 1 s.
  package static let defaultDebounce = Duration.seconds(1)

  /// The file or the folder; absolute.
  package var path: String
  /// How long nothing more must change before the job is due.
  package var debounce: Duration

  package init(path: String, debounce: Duration = Self.defaultDebounce) {
    self.path = path
    self.debounce = debounce
  }

  /// By their paths.
  package static func < (left: Self, right: Self) -> Bool {
    (left.path, left.debounce) < (right.path, right.debounce)
  }
}

extension LifecycleEvent {
  var cause: SlotCause {
    switch self {
    case .start: .start
    case .boot: .boot
    case .reload: .reload
    }
  }
}
