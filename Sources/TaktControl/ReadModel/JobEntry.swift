package import TaktCore
import TaktTime

/// What is remembered of a job beside what the scheduler knows: how its last runs went.
struct JobHistory {
  static let outcomesMax = 20

  /// Its last run that has ended; hooks do not count.
  var last: StoredRun?
  /// Its last outcomes, a letter each, the newest last.
  private(set) var outcomes: [UInt8] = []
  /// How late its last slot started, and how late it might.
  var lateness: Duration?
  var window: Duration?
  /// When a run of it has last succeeded.
  var succeededAt: WallInstant?

  mutating func add(_ run: StoredRun) {
    last = run
    append(run.end?.outcome)
    if run.end?.outcome == .succeeded { succeededAt = run.endedAt }
  }

  /// Takes a run that ended before those that are known; the newest first.
  mutating func addOlder(_ run: StoredRun) {
    if last == nil { last = run }
    if succeededAt == nil, run.end?.outcome == .succeeded { succeededAt = run.endedAt }
    guard outcomes.count < Self.outcomesMax, let letter = Self.letter(of: run.end?.outcome) else {
      return
    }
    outcomes.insert(letter, at: 0)
  }

  /// Its last outcomes, the newest last.
  var outcomeText: String { String(decoding: outcomes, as: UTF8.self) }

  private mutating func append(_ outcome: Outcome?) {
    guard let letter = Self.letter(of: outcome) else { return }
    if outcomes.count == Self.outcomesMax { outcomes.removeFirst() }
    outcomes.append(letter)
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

  init(_ run: StoredRun, state: RunState.Kind, progress: RunProgress? = nil) {
    self.run = run
    self.state = state
    self.progress = progress
  }

  /// A run that has not ended, with what else is known of it.
  init(_ view: RunView, progress: RunProgress? = nil) {
    self.init(view.run, state: view.state, progress: progress)
  }

  /// A run that the scheduler does not know: it is over, or its end was never written.
  init(_ run: StoredRun) {
    self.init(run, state: run.end != nil ? .ended : run.beganAt == nil ? .queued : .running)
  }
}

/// A job as the API shows it.
package struct JobEntry: Sendable {
  var view: JobView
  var history: JobHistory
  var active: [RunEntry]

  package init(_ view: JobView, in state: ControlState) {
    let name = view.spec.name
    self.view = view
    history = state.jobs[name] ?? JobHistory()
    active = view.active.map { RunEntry($0, progress: state.progress[$0.run.head.run]) }
  }

  var isFailing: Bool { view.failureStreak > 0 }
}
