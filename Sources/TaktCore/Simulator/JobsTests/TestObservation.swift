import TaktTime

/// The parts of a simulation that the expectations of a test need.
package struct TestObservation {
  struct Slot {
    var series: SlotSeries
    var verdict: Verdict
    var lateness: Duration
    var run: RunID?
  }

  struct Run {
    var id: RunID
    var start: WallInstant
    /// Nil while it is active.
    var end: WallInstant?
    var outcome: Outcome?
    var retries = 0
  }

  struct Job {
    fileprivate(set) var counts: [TestCount: Int] = [:]
    fileprivate(set) var longest = Duration.zero
    fileprivate(set) var slots: [Slot] = []
    fileprivate(set) var runs: [Run] = []
    fileprivate var keepsSlots = false
    fileprivate var keepsRuns = false
    fileprivate var groups: [Int] = []
  }

  /// Jobs whose active runs are counted together.
  private struct Group {
    var running = 0
    var most = 0
  }

  private struct Active {
    var job: Int
    var start: WallInstant
    /// Its place among the runs that are kept; -1 for any other.
    var place: Int
  }

  private var places: [JobName: Int] = [:]
  private var jobs: [Job] = []
  private var groups: [Group] = []
  /// The group of each expectation that needs one.
  private var groupOfExpectation: [Int: Int] = [:]
  private var active: [RunID: Active] = [:]
  /// True if every slot and run must be reported; for other expectations the report's counts
  /// suffice.
  package private(set) var needsEvents = false

  package init(_ test: JobsTest) {
    let all = test.snapshot.jobs.map(\.name)
    for (number, expectation) in test.expectations.enumerated() {
      let needs = expectation.check.needs
      guard needs != [] || expectation.isGroupAtOnce else { continue }
      needsEvents = true
      let names = (expectation.jobs ?? all) + expectation.check.others
      for name in names { watch(name, needs) }
      if expectation.isGroupAtOnce {
        groupOfExpectation[number] = groups.count
        for name in expectation.jobs ?? [] {
          if let place = places[name] { jobs[place].groups.append(groups.count) }
        }
        groups.append(Group())
      }
    }
  }

  private mutating func watch(_ name: JobName, _ needs: TestNeeds) {
    let place = places[name] ?? jobs.count
    if place == jobs.count {
      places[name] = place
      jobs.append(Job())
    }
    if needs.contains(.slots) { jobs[place].keepsSlots = true }
    if needs.contains(.runs) { jobs[place].keepsRuns = true }
  }

  func job(_ name: JobName) -> Job { places[name].map { jobs[$0] } ?? Job() }

  /// The most active runs at once of an expectation's jobs; nil if they were not counted.
  func atOnce(of expectation: Int) -> Int? {
    groupOfExpectation[expectation].map { groups[$0].most }
  }

  package mutating func add(_ event: SimulatedEvent) {
    switch event {
    case .verdict(let record, let lateness, _):
      guard let place = places[record.job], jobs[place].keepsSlots else { return }
      jobs[place].slots.append(
        Slot(
          series: record.slots, verdict: record.verdict, lateness: lateness, run: record.run))
    case .began(let name, let run, let at): begin(name, run, at)
    case .ended(_, let run, let end, let at): finish(run, end, at)
    case .retried(_, let run, _):
      guard let open = active[run] else { return }
      jobs[open.job].counts[.retries, default: 0] += 1
      if open.place >= 0 { jobs[open.job].runs[open.place].retries += 1 }
    case .called(let name, let hook, _):
      guard let place = places[name] else { return }
      if let count = TestCount(rawValue: hook.rawValue) {
        jobs[place].counts[count, default: 0] += 1
      }
      if TestCount.alarmHooks.contains(hook) { jobs[place].counts[.alarms, default: 0] += 1 }
    case .wake, .fault: break
    }
  }

  private mutating func begin(_ name: JobName, _ run: RunID, _ at: WallInstant) {
    guard let place = places[name] else { return }
    jobs[place].counts[.runs, default: 0] += 1
    var kept = -1
    if jobs[place].keepsRuns {
      kept = jobs[place].runs.count
      jobs[place].runs.append(Run(id: run, start: at))
    }
    active[run] = Active(job: place, start: at, place: kept)
    for group in jobs[place].groups {
      groups[group].running += 1
      groups[group].most = max(groups[group].most, groups[group].running)
    }
  }

  private mutating func finish(_ run: RunID, _ end: RunEnd, _ at: WallInstant) {
    guard let open = active.removeValue(forKey: run) else { return }
    let place = open.job
    for count in end.outcome.counts { jobs[place].counts[count, default: 0] += 1 }
    jobs[place].longest = max(jobs[place].longest, at - open.start)
    for group in jobs[place].groups { groups[group].running -= 1 }
    guard open.place >= 0 else { return }
    jobs[place].runs[open.place].end = at
    jobs[place].runs[open.place].outcome = end.outcome
  }
}

extension Outcome {
  fileprivate var counts: [TestCount] {
    switch self {
    case .succeeded: [.succeeded]
    case .failed: [.failed]
    case .timedOut: [.failed, .timedOut]
    case .interrupted: [.interrupted]
    case .cancelled: []
    }
  }
}

extension TestExpectation {
  /// True if it expects the most active runs at once of several jobs, but not of all.
  fileprivate var isGroupAtOnce: Bool {
    if case .atOnce = check, let jobs { jobs.count > 1 } else { false }
  }
}

/// The parts to keep of a job.
private struct TestNeeds: OptionSet {
  let rawValue: Int
  static let counts = TestNeeds(rawValue: 1)
  static let slots = TestNeeds(rawValue: 2)
  static let runs = TestNeeds(rawValue: 4)
}

extension TestCheck {
  fileprivate var needs: TestNeeds {
    switch self {
    case .count(let count, _): count.isOfSlots ? [] : .counts
    case .reason, .late, .atOnce, .wakes: []
    case .times: .slots
    case .starts, .neverWith, .order: .runs
    case .lasts: .counts
    case .slot: [.slots, .runs]
    }
  }

  /// Other jobs that it is about.
  var others: [JobName] {
    switch self {
    case .neverWith(let jobs, _): jobs
    case .order(let first, let then, _, _): first + then
    case .count, .reason, .times, .starts, .late, .lasts, .atOnce, .wakes, .slot: []
    }
  }
}
