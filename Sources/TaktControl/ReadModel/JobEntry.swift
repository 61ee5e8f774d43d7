import TaktAPI
package import TaktCore
import TaktTime

/// The data on a job besides the scheduler's: the results of its last runs.
struct JobHistory {
  static let outcomesMax = 20

  /// The last run that has ended; hooks do not count.
  var last: StoredRun?
  /// A letter for each of the last runs, newest last.
  private(set) var outcomes: [UInt8] = []
  /// The durations of those runs, in milliseconds.
  private(set) var durations: [UInt32] = []
  /// A letter for each of the last slots, newest last, without those of other machines, and those
  /// that nobody expects to run.
  private(set) var verdicts: [UInt8] = []
  private var slotRuns = SlotRuns()
  /// The newest of those slots that did not run.
  private(set) var passed: (slot: WallInstant, verdict: Verdict)?
  /// The end of the first failed run since the last success.
  private(set) var failingSince: WallInstant?
  /// The last slot's delay, and its allowed delay.
  var lateness: Duration?
  var window: Duration?
  /// The end of its last successful run.
  var succeededAt: WallInstant?
  /// The processor time of its runs since takt started; nil without processes.
  private(set) var cpu: Duration?
  /// The peak memory of the last run for which it is known.
  private(set) var memoryPeakBytes: Int64?
  /// The results of its runs and slots since takt started.
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

  /// Takes the verdict of a slot, or of several consecutive ones.
  mutating func decide(_ record: VerdictRecord) {
    guard let letter = Self.letter(of: record.verdict) else { return }
    for _ in 0..<min(record.slots.count, Self.outcomesMax) {
      if verdicts.count == Self.outcomesMax { verdicts.removeFirst() }
      verdicts.append(letter)
      slotRuns.decided(record.run)
    }
    if record.verdict.didNotRun { passed = (record.slots.last, record.verdict) }
  }

  /// Takes a verdict from before those that are known, newest first.
  mutating func decideOlder(_ record: VerdictRecord) {
    guard verdicts.count < Self.outcomesMax, let letter = Self.letter(of: record.verdict) else {
      return
    }
    let count = min(record.slots.count, Self.outcomesMax - verdicts.count)
    if let run = record.run { slotRuns.decidedOlder(run, age: verdicts.count) }
    verdicts.insert(contentsOf: repeatElement(letter, count: count), at: 0)
    if passed == nil, record.verdict.didNotRun { passed = (record.slots.last, record.verdict) }
  }

  /// Takes a run that ended before those that are known, newest first.
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

  /// True if its slots pass without a run: the last two, or the last one was missed.
  var isStale: Bool {
    guard let last = verdicts.last else { return false }
    if last == UInt8(ascii: "m") { return true }
    return verdicts.count > 1 && verdicts.suffix(2).allSatisfy(Self.isNotRun)
  }

  /// True if its last slot started later than its leeway and `tolerance` allow.
  func isLate(by tolerance: Duration) -> Bool {
    lateness.map { $0 > (window ?? .zero) + tolerance } ?? false
  }

  /// Newest last.
  var outcomeText: String { String(decoding: outcomes, as: UTF8.self) }

  /// Newest last.
  var verdictText: String { String(decoding: verdicts, as: UTF8.self) }

  /// The verdicts, with the results of their runs.
  var slotText: String {
    if slotRuns.areAllWell { return verdictText }
    let count = verdicts.count
    return String(
      decoding: verdicts.enumerated().map { place, letter in
        letter == UInt8(ascii: "r") ? slotRuns.letter(ofAge: count - 1 - place) : letter
      }, as: UTF8.self)
  }

  var notRunCount: Int { verdicts.count(where: Self.isNotRun) }

  /// True for the letter of a verdict with `didNotRun`.
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

  /// `o` for coalesced and `x` for cancelled; nil for a verdict that surprises nobody.
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

struct RunProgress {
  var percent: Int64
  var message: String?
}

struct RunEntry: Sendable {
  var run: StoredRun
  var state: RunState.Kind
  var progress: RunProgress?
  /// The reason why it waits, for people.
  var waitsFor: String?

  init(_ run: StoredRun, state: RunState.Kind, progress: RunProgress? = nil) {
    self.run = run
    self.state = state
    self.progress = progress
  }

  /// A run that has not ended, with its progress.
  init(_ view: RunView, progress: RunProgress? = nil) {
    self.init(view.run, state: view.state, progress: progress)
    waitsFor = view.waitsFor
  }

  /// A run unknown to the scheduler: it is over, or its end was never written.
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

package struct JobEntry: Sendable {
  var view: JobView
  var history: JobHistory
  var active: [RunEntry]

  /// Borrows the state: a copy for each job costs more than the rest. Measured by the gate's
  /// `status`.
  package init(_ view: JobView, in state: borrowing ControlState) {
    history = state.jobs[view.spec.name] ?? JobHistory()
    let progress = state.progress
    active = view.active.map { RunEntry($0, progress: progress[$0.run.head.run]) }
    self.view = view
  }

  var isFailing: Bool { view.failureStreak > 0 }

  /// True if no run has succeeded in time, or its slots pass without a run.
  var isStale: Bool { view.staleSince != nil || (!view.isResting && history.isStale) }

  /// The urgency for people to see to it.
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
  /// True if it has no slots to serve: it is suspended or disabled, or has reached its limit.
  var isResting: Bool {
    switch state {
    case .suspended, .disabled, .limit: true
    case .waiting, .running, .queued, .backingOff, .idle: suspension != nil
    }
  }
}

extension API.Job {
  /// - Parameter withDurations: true to include the durations of the last runs.
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
