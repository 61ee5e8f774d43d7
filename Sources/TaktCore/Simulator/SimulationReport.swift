package import TaktTime

/// The counts of a simulation.
package struct SimulationReport: Sendable {
  package struct Job: Sendable {
    package let name: JobName
    package var verdictCounts = VerdictCounts()
    /// The slots that did not run, by the words of their verdicts: `skipped(overlap)`.
    package var reasons: [String: Int] = [:]
    /// The largest delay of a slot that ran.
    package var latest = Duration.zero
    /// The most runs in progress at once.
    package var runningMax = 0
    fileprivate var running = 0

    package init(_ name: JobName) { self.name = name }
  }

  /// The jobs that have had slots or runs, in no order.
  package private(set) var jobs: [Job] = []
  private var places: [JobName: Int] = [:]
  /// The place of the last counted job by number, mostly the same one the next time.
  private var lastPlaces: [Int] = []
  package private(set) var wakes = 0
  /// The number of timers that these wakes handled.
  package private(set) var served = 0
  /// The most runs in progress at once.
  package private(set) var runningMax = 0
  /// The first time of `runningMax`; nil without runs.
  package private(set) var busiest: WallInstant?
  private var running = 0

  /// The slots of all jobs.
  package var verdictCounts: VerdictCounts {
    jobs.reduce(into: VerdictCounts()) { $0.add($1.verdictCounts) }
  }

  /// The counts of a job, empty for one that has had neither slots nor runs.
  package func job(_ name: JobName) -> Job { places[name].map { jobs[$0] } ?? Job(name) }

  // The number is the scheduler's number of the job, or of the job of the event; nil if neither is
  // known. Mostly it is the job's own, and its name need not be looked up.

  mutating func count(_ record: VerdictRecord, lateness: Duration, _ number: JobID?) {
    jobs[place(of: record.job, number)].count(record, lateness)
  }

  /// A run that is no hook has started.
  mutating func countStart(of job: JobName, at instant: WallInstant, _ number: JobID?) {
    running += 1
    if running > runningMax { (runningMax, busiest) = (running, instant) }
    jobs[place(of: job, number)].change(by: 1)
  }

  /// A run that had started has ended.
  mutating func countEnd(of job: JobName, _ number: JobID?) {
    running -= 1
    jobs[place(of: job, number)].change(by: -1)
  }

  mutating func countWake(served count: Int) {
    wakes += 1
    served += count
  }

  private mutating func place(of name: JobName, _ number: JobID?) -> Int {
    guard let number else { return place(of: name) }
    let index = Int(number.index)
    if index < lastPlaces.count, case let last = lastPlaces[index], last < jobs.count,
      jobs[last].name == name
    {
      return last
    }
    let place = place(of: name)
    while lastPlaces.count <= index { lastPlaces.append(0) }
    lastPlaces[index] = place
    return place
  }

  private mutating func place(of name: JobName) -> Int {
    if let place = places[name] { return place }
    let place = jobs.count
    places[name] = place
    jobs.append(Job(name))
    return place
  }
}

extension SimulationReport.Job {
  fileprivate mutating func count(_ record: VerdictRecord, _ lateness: Duration) {
    verdictCounts.add(record)
    switch record.verdict {
    case .ran: if lateness > latest { latest = lateness }
    case .coalesced: reasons["coalesced", default: 0] += record.slots.count
    case .skipped, .missed, .cancelled:
      reasons["\(record.verdict)", default: 0] += record.slots.count
    }
  }

  fileprivate mutating func change(by count: Int) {
    running += count
    if running > runningMax { runningMax = running }
  }
}
