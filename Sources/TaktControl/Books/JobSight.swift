import TaktCore
import TaktTime

/// What is remembered of a job beside what the scheduler knows: how its last runs went.
struct JobSight {
  /// So many outcomes are remembered.
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

  /// Takes a run that has ended.
  mutating func take(_ run: StoredRun) {
    last = run
    append(run.outcome)
    if run.outcome == Outcome.succeeded.rawValue { succeededAt = run.endedAt }
  }

  /// Takes a run that ended before those that are known; the newest first.
  mutating func takeOlder(_ run: StoredRun) {
    if last == nil { last = run }
    if succeededAt == nil, run.outcome == Outcome.succeeded.rawValue { succeededAt = run.endedAt }
    guard outcomes.count < Self.outcomesMax, let letter = Self.letter(of: run.outcome) else {
      return
    }
    outcomes.insert(letter, at: 0)
  }

  /// Its last outcomes, the newest last.
  var outcomeText: String { String(decoding: outcomes, as: UTF8.self) }

  private mutating func append(_ outcome: String?) {
    guard let letter = Self.letter(of: outcome) else { return }
    if outcomes.count == Self.outcomesMax { outcomes.removeFirst() }
    outcomes.append(letter)
  }

  private static func letter(of outcome: String?) -> UInt8? { outcome?.utf8.first }
}

/// How far a run's plugin is.
struct RunProgress {
  var percent: Int64
  var message: String?
}
