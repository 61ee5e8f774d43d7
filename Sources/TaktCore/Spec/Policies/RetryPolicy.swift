import TaktTime

/// Whether, and when, an attempt that failed is followed by another.
package struct RetryPolicy: Hashable, Sendable {
  /// What an attempt can fail by.
  package enum Cause: String, CaseIterable, Hashable, Sendable {
    /// A wrong exit status, `fails_when`, or a built-in's failure.
    case exit
    /// A signal that takt did not send.
    case signal
    case timeout
    case notStarted = "not_started"
  }

  /// Which failures are tried again: those of a cause, and those with an exit status.
  package struct Failures: Hashable, Sendable {
    package var causes: Set<Cause>
    package var exitStatuses: Set<Int32>

    package init(_ causes: Set<Cause>, exitStatuses: Set<Int32> = []) {
      self.causes = causes
      self.exitStatuses = exitStatuses
    }
  }

  /// How long a run goes on trying.
  package enum End: String, CaseIterable, Hashable, Sendable {
    /// Until the attempts are used up.
    case exhausted
    /// Until the job's next slot is due, if that comes first.
    case nextSlot = "next_slot"
  }

  /// How many attempts a run has, the first among them. Default 1: no retry.
  package var attempts: Int
  /// How long the first back-off lasts. Default 10 s.
  package var delay: Duration
  /// By how much each further back-off is longer. Default 2.
  package var factor: Double
  /// How long a back-off lasts at most. Default 1 h.
  package var delayMax: Duration
  /// By what share, 0 to 100 percent, a back-off may be longer, by chance. Default 0.
  package var jitterPercent: Double
  /// What is tried again. Default everything.
  package var failures: Failures
  /// How long a run goes on trying. Default `exhausted`.
  package var end: End
  /// How long all attempts may take together, from the start of the first; nil (the default) for any
  /// time.
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
