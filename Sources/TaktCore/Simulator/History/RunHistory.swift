package import TaktTime

/// The runs of one job in a ledger: exact counts, and a bounded sample of the runs themselves.
///
/// The newest runs are all kept, so that a job that has changed is noticed. The earlier ones are a
/// reservoir: each of them is in it with the same chance. The same runs give the same sample.
package struct JobRunHistory: Sendable {
  package static let earlierMax = 1024
  package static let newestMax = 32

  private var earlier: [PastRun] = []
  private var ring: [PastRun] = []
  private var ringStart = 0
  private var earlierCount = 0
  private var numbers: SeededNumbers

  /// All runs of the ledger, those outside the sample too.
  package private(set) var count = 0
  package private(set) var failures = 0
  package private(set) var timeouts = 0
  /// Runs of several attempts, and those of them that succeeded in the end.
  package private(set) var retried = 0
  package private(set) var rescued = 0
  /// Of all runs.
  package private(set) var longest = Duration.zero
  /// The longest last attempt of all runs.
  package private(set) var longestAttempt = Duration.zero
  /// The runs whose memory was measured, and the most that any of them used.
  package private(set) var measured = 0
  package private(set) var memoryMax: Int64?

  package init(of job: String) { numbers = SeededNumbers(seed: StableHash.of(job)) }

  /// Takes the next run, in the order of their starts.
  package mutating func add(_ run: PastRun) {
    count += 1
    if run.end != .succeeded { failures += 1 }
    if run.end == .timedOut { timeouts += 1 }
    if run.attempts > 1 {
      retried += 1
      if run.end == .succeeded { rescued += 1 }
    }
    longest = max(longest, run.duration)
    longestAttempt = max(longestAttempt, run.attempt)
    if run.memoryBytes >= 0 {
      measured += 1
      memoryMax = max(memoryMax ?? 0, run.memoryBytes)
    }
    guard ring.count == Self.newestMax else { return ring.append(run) }
    keepEarlier(ring[ringStart])
    ring[ringStart] = run
    ringStart = (ringStart + 1) % Self.newestMax
  }

  private mutating func keepEarlier(_ run: PastRun) {
    earlierCount += 1
    if earlier.count < Self.earlierMax { return earlier.append(run) }
    let place = numbers.place(below: earlierCount)
    if place < Self.earlierMax { earlier[place] = run }
  }

  /// The runs before the newest ones, and the newest ones in their order: a quarter of the sample,
  /// at least eight and at most `newestMax`.
  var parts: (earlier: [PastRun], newest: [PastRun]) {
    let ordered = Array(ring[ringStart...] + ring[..<ringStart])
    let newest = min(Self.newestMax, max(8, (earlier.count + ring.count) / 4))
    let cut = max(0, ordered.count - newest)
    return (earlier + ordered[..<cut], Array(ordered[cut...]))
  }

  /// The sample.
  package var runs: [PastRun] { earlier + ring }

  /// The kept runs that succeeded, from the shortest to the longest.
  package var durations: Ranked<Duration> {
    Ranked(runs.filter { $0.end == .succeeded }.map(\.duration))
  }

  /// Their last attempts: without failed ones, and without the pauses between.
  package var attemptDurations: Ranked<Duration> {
    Ranked(runs.filter { $0.end == .succeeded }.map(\.attempt))
  }
}

/// Values by their rank.
package struct Ranked<Value: Comparable> {
  private let values: [Value]

  package init(_ values: [Value]) { self.values = values.sorted() }

  package var count: Int { values.count }

  /// The value that so many percent do not exceed; nil of none.
  package subscript(percent: Int) -> Value? {
    guard !values.isEmpty else { return nil }
    return values[max(0, (values.count * percent + 99) / 100 - 1)]
  }
}

/// The runs of all jobs in the ledger.
package struct RunHistory: Sendable {
  package private(set) var jobs: [JobName: JobRunHistory]
  /// The starts of the first and the last run; nil without any.
  package let range: ClosedRange<WallInstant>?

  package init(_ jobs: [JobName: JobRunHistory], range: ClosedRange<WallInstant>? = nil) {
    self.jobs = jobs
    self.range = range
  }

  package var count: Int { jobs.values.reduce(0) { $0 + $1.count } }
}
