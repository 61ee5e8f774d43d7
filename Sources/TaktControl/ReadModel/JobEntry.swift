import TaktAPI
package import TaktCore
import TaktTime

/// What is remembered of a job beside what the scheduler knows: how its last runs went.
struct JobHistory {
  static let outcomesMax = 20

  /// Its last run that has ended; hooks do not count.
  var last: StoredRun?
  /// Its last outcomes, a letter each, the newest last.
  private(set) var outcomes: [UInt8] = []
  /// How long those runs took, in milliseconds.
  private(set) var durations: [UInt32] = []
  /// What became of its last slots, a letter each, the newest last: those that another machine has, and
  /// those that nobody expects to run, are not among them.
  private(set) var verdicts: [UInt8] = []
  /// How the runs of those slots fare.
  private var slotRuns = SlotRuns()
  /// The newest of those slots that did not run.
  private(set) var passed: (slot: WallInstant, verdict: Verdict)?
  /// When the first of the runs ended that have failed since the last success.
  private(set) var failingSince: WallInstant?
  /// How late its last slot started, and how late it might.
  var lateness: Duration?
  var window: Duration?
  /// When a run of it has last succeeded.
  var succeededAt: WallInstant?
  /// What its runs have used since takt started; nil where they have no processes.
  private(set) var cpu: Duration?
  /// The peak memory of the last run of which it is known.
  private(set) var memoryPeakBytes: Int64?
  /// What has become of its runs and slots since takt started.
  var counts = JobCounts()

  mutating func add(_ run: StoredRun) {
    last = run
    append(run)
    slotRuns.ended(run)
    if let use = run.use {
      cpu = (cpu ?? .zero) + use.cpu
      memoryPeakBytes = use.memoryPeakBytes ?? memoryPeakBytes
    }
    guard let outcome = run.end?.outcome else { return }
    if outcome == .succeeded {
      succeededAt = run.endedAt
      failingSince = nil
    } else if failingSince == nil, RunQuery.failures.contains(outcome) {
      failingSince = run.endedAt
    }
  }

  /// A slot, or several without a gap, got a verdict.
  mutating func decide(_ record: VerdictRecord) {
    guard let letter = Self.letter(of: record.verdict) else { return }
    for _ in 0..<min(record.slots.count, Self.outcomesMax) {
      if verdicts.count == Self.outcomesMax { verdicts.removeFirst() }
      verdicts.append(letter)
      slotRuns.decided(record.run)
    }
    if record.verdict.didNotRun { passed = (record.slots.last, record.verdict) }
  }

  /// Takes a verdict that was given before those that are known; the newest first.
  mutating func decideOlder(_ record: VerdictRecord) {
    guard verdicts.count < Self.outcomesMax, let letter = Self.letter(of: record.verdict) else {
      return
    }
    let count = min(record.slots.count, Self.outcomesMax - verdicts.count)
    if let run = record.run { slotRuns.decidedOlder(run, age: verdicts.count) }
    verdicts.insert(contentsOf: repeatElement(letter, count: count), at: 0)
    if passed == nil, record.verdict.didNotRun { passed = (record.slots.last, record.verdict) }
  }

  /// Takes a run that ended before those that are known; the newest first.
  mutating func addOlder(_ run: StoredRun) {
    if last == nil { last = run }
    slotRuns.endedOlder(run)
    if succeededAt == nil, let outcome = run.end?.outcome {
      if outcome == .succeeded {
        succeededAt = run.endedAt
      } else if RunQuery.failures.contains(outcome) {
        failingSince = run.endedAt
      }
    }
    guard outcomes.count < Self.outcomesMax, let letter = Self.letter(of: run.end?.outcome) else {
      return
    }
    outcomes.insert(letter, at: 0)
    durations.insert(Self.milliseconds(of: run), at: 0)
  }

  /// Whether its slots come and go without a run: the last two, or the last one was missed.
  var isStale: Bool {
    guard let last = verdicts.last else { return false }
    if last == UInt8(ascii: "m") { return true }
    return verdicts.count > 1 && verdicts.suffix(2).allSatisfy(Self.isNotRun)
  }

  /// Whether its last slot started later than its leeway and this allow.
  func isLate(by tolerance: Duration) -> Bool {
    lateness.map { $0 > (window ?? .zero) + tolerance } ?? false
  }

  /// Its last outcomes, the newest last.
  var outcomeText: String { String(decoding: outcomes, as: UTF8.self) }

  /// What became of its last slots, the newest last.
  var verdictText: String { String(decoding: verdicts, as: UTF8.self) }

  /// The same, with what became of their runs.
  var slotText: String {
    if slotRuns.areAllWell { return verdictText }
    let count = verdicts.count
    return String(
      decoding: verdicts.enumerated().map { place, letter in
        letter == UInt8(ascii: "r") ? slotRuns.letter(ofAge: count - 1 - place) : letter
      }, as: UTF8.self)
  }

  /// How many of those slots did not run.
  var notRunCount: Int { verdicts.count(where: Self.isNotRun) }

  /// Whether the letter is that of a verdict with `didNotRun`.
  private static func isNotRun(_ letter: UInt8) -> Bool {
    letter == UInt8(ascii: "s") || letter == UInt8(ascii: "m") || letter == UInt8(ascii: "x")
  }

  private mutating func append(_ run: StoredRun) {
    guard let letter = Self.letter(of: run.end?.outcome) else { return }
    if outcomes.count == Self.outcomesMax {
      outcomes.removeFirst()
      durations.removeFirst()
    }
    outcomes.append(letter)
    durations.append(Self.milliseconds(of: run))
  }

  private static func milliseconds(of run: StoredRun) -> UInt32 {
    UInt32(clamping: (run.duration ?? .zero).milliseconds)
  }

  /// `o` for coalesced and `x` for cancelled; nil for what is no surprise to anybody.
  private static func letter(of verdict: Verdict) -> UInt8? {
    switch verdict {
    case .ran: UInt8(ascii: "r")
    case .coalesced: UInt8(ascii: "o")
    case .missed: UInt8(ascii: "m")
    case .cancelled: UInt8(ascii: "x")
    case .skipped: verdict.didNotRun ? UInt8(ascii: "s") : nil
    }
  }

  private static func letter(of outcome: Outcome?) -> UInt8? { outcome?.rawValue.utf8.first }
}

/// How far a run's plugin is.
struct RunProgress {
  var percent: Int64
  var message: String?
}

/// A run as the API shows it.
struct RunEntry: Sendable {
  var run: StoredRun
  var state: RunState.Kind
  var progress: RunProgress?
  /// What it waits for, for people.
  var waitsFor: String?

  init(_ run: StoredRun, state: RunState.Kind, progress: RunProgress? = nil) {
    self.run = run
    self.state = state
    self.progress = progress
  }

  /// A run that has not ended, with what else is known of it.
  init(_ view: RunView, progress: RunProgress? = nil) {
    self.init(view.run, state: view.state, progress: progress)
    waitsFor = view.waitsFor
  }

  /// A run that the scheduler does not know: it is over, or its end was never written.
  init(_ run: StoredRun) { self.init(run, state: run.stateUnwatched) }
}

extension API.Run {
  init(_ entry: RunEntry) {
    self.init(entry.run, state: entry.state)
    waitsFor = entry.waitsFor
    guard let known = entry.progress else { return }
    var progress = API.Progress()
    progress.percent = known.percent
    progress.message = known.message
    self.progress = progress
  }
}

/// A job as the API shows it.
package struct JobEntry: Sendable {
  var view: JobView
  var history: JobHistory
  var active: [RunEntry]

  /// The state is lent: a copy for each job costs more than the rest. The gate's `status`.
  package init(_ view: JobView, in state: borrowing ControlState) {
    history = state.jobs[view.spec.name] ?? JobHistory()
    let progress = state.progress
    active = view.active.map { RunEntry($0, progress: progress[$0.run.head.run]) }
    self.view = view
  }

  var isFailing: Bool { view.failureStreak > 0 }

  /// Whether no run has succeeded in time, or its slots come and go without a run.
  var isStale: Bool { view.staleSince != nil || (!view.isResting && history.isStale) }

  /// How soon somebody should look at it.
  enum Attention: Int, CaseIterable, Comparable {
    case failing, stale
    /// Its slots run nowhere, or its alarms fail.
    case troubled
    case late
    /// It fails, and is suspended or disabled.
    case failingAtRest
    case none, resting

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  var attention: Attention {
    let isResting = view.isResting
    if isFailing { return isResting ? .failingAtRest : .failing }
    if isResting { return .resting }
    if isStale { return .stale }
    if !view.problems.isEmpty { return .troubled }
    return history.isLate(by: view.spec.lateTolerance) ? .late : .none
  }
}

extension JobView {
  /// Whether it has no slots to serve: it is suspended or disabled, or has run as often as it may.
  var isResting: Bool {
    switch state {
    case .suspended, .disabled, .limit: true
    case .waiting, .running, .queued, .backingOff, .idle: suspension != nil
    }
  }
}

extension API.Job {
  /// - Parameter withDurations: whether the durations of the last runs are in it.
  init(_ job: borrowing JobEntry, withDurations: Bool = true) {
    self.init()
    name = job.view.spec.name.text
    state = job.view.state.rawValue
    timer = job.view.timer.rawValue
    qos = job.view.spec.sharedExecution.value.qos.rawValue
    schedule = job.view.spec.timing.schedule.summary
    displayName = job.view.spec.policies.displayName
    description = job.view.spec.summary
    forEach = job.view.spec.family?.text
    if job.view.spec.machines != .one { machines = job.view.spec.machines.words }
    if job.view.isDrifted { drifted = true }
    tags = job.view.spec.tags
    next = job.view.next.map { API.Slot($0) }
    last = job.history.last.map { API.Run($0, state: .ended) }
    active = job.active.map { API.Run($0) }
    late = job.history.lateness
    window = job.history.window
    streak = job.view.failureStreak
    ran = job.view.ranCount
    outcomes = job.history.outcomeText
    if withDurations { durations = job.history.durations.map { Int($0) } }
    lastSuccess = job.history.succeededAt
    if job.view.failureStreak > 0 { failingSince = job.history.failingSince }
    stale = job.isStale
    staleSince = job.view.staleSince
    waitsForCondition = job.view.checkedSlot
    afterAll = job.view.gatheredEnds.map { AfterAll($0) }
    verdicts = job.history.verdictText
    recent = job.history.slotText
    passed = job.history.passed.map { Passed($0.slot, $0.verdict) }
    let problems = job.view.problems
    if !problems.isEmpty { self.problems = problems.map { API.Job.Problem($0) } }
    if let known = job.view.suspension {
      var suspension = API.Suspension()
      suspension.since = known.since
      suspension.until = known.until
      suspension.reason = known.reason
      self.suspension = suspension
    }
  }
}
