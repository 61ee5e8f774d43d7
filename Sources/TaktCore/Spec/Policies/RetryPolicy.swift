import TaktTime

/// The rules for further attempts after a failed one.
package struct RetryPolicy: Hashable, Sendable {
  package enum Cause: String, CaseIterable, Hashable, Sendable {
    /// A wrong exit status, `fails_when`, or a built-in's failure.
    case exit
    /// A signal that takt did not send.
    case signal
    case timeout
    case notStarted = "not_started"
  }

  /// The failures that are retried: those of a cause, and those with an exit status.
  package struct Failures: Hashable, Sendable {
    package var causes: Set<Cause>
    package var exitStatuses: Set<Int32>

    package init(_ causes: Set<Cause>, exitStatuses: Set<Int32> = []) {
      self.causes = causes
      self.exitStatuses = exitStatuses
    }
  }

  /// The end of a run's retries.
  package enum End: String, CaseIterable, Hashable, Sendable {
    /// Until the attempts are used up.
    case exhausted
    /// Until the job's next slot is due, if that comes first.
    case nextSlot = "next_slot"
  }

  /// The most attempts of a run, the first included. Default 1: no retry.
  package var attempts: Int
  /// The first back-off. Default 10 s.
  package var delay: Duration
  /// The ratio of each further back-off to the one before. Default 2.
  package var factor: Double
  /// The longest back-off. Default 1 h.
  package var delayMax: Duration
  /// The largest random extension of a back-off, 0 to 100 percent. Default 0.
  package var jitterPercent: Double
  /// Default everything.
  package var failures: Failures
  /// Default `exhausted`.
  package var end: End
  /// The time limit of all attempts together, from the start of the first; nil (the default) for
  /// none.
  package var within: Duration?

  package init(
    attempts: Int = 1, delay: Duration = .seconds(10), factor: Double = 2,
    delayMax: Duration = .seconds(3600), jitterPercent: Double = 0,
    causes: Set<Cause> = Set(Cause.allCases), exitStatuses: Set<Int32> = [], end: End = .exhausted,
    within: Duration? = nil
  ) {
    self.attempts = attempts
    self.delay = delay
    self.factor = factor
    self.delayMax = delayMax
    self.jitterPercent = jitterPercent
    failures = Failures(causes, exitStatuses: exitStatuses)
    self.end = end
    self.within = within
  }
}

extension RetryPolicy {
  var words: String {
    var words = [
      "attempts \(attempts)", "delay \(DurationText.format(delay))", "factor \(factor)",
      "max \(DurationText.format(delayMax))", "jitter \(jitterPercent)%",
    ]
    // In the order of the key table, which is not that of a set.
    let causes = Cause.allCases.filter(failures.causes.contains)
    if causes != Cause.allCases {
      let on = causes.map(\.rawValue) + failures.exitStatuses.sorted().map(String.init)
      words.append("on \(on.joined(separator: " "))")
    }
    words.append("until \(end.rawValue)")
    if let within { words.append("within \(DurationText.format(within))") }
    return words.joined(separator: ", ")
  }
}
