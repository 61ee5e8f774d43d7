/// A job as the scheduler knows it at one moment.
public struct JobView: Sendable {
  /// Where a job stands, in one word.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// It waits for its next slot.
    case waiting
    /// At least one run of it is in progress.
    case running
    /// A run of it waits for a place.
    case queued
    /// A run of it waits for its next attempt.
    case backingOff = "backing_off"
    /// Somebody has put it to rest.
    case suspended
    /// Its file says so.
    case disabled
    /// It has run as often as it may.
    case limit
    /// Nothing is due, or only when something happens.
    case idle
  }

  /// The job.
  public var spec: JobSpec
  /// Where it stands.
  public var state: State
  /// The slot that its timer waits for; nil without one.
  public var next: Slot?
  /// Whether its timer is armed, for a slot or for the end of its rest.
  public var isArmed: Bool
  /// Its runs that have not ended, the oldest first; hooks are not among them.
  public var active: [RunView]
  /// How many runs in a row have failed.
  public var failureStreak: Int
  /// How many slots have run since the anchor.
  public var ranCount: Int
  /// Why it rests; nil when it does not.
  public var suspension: Suspension?
}

/// A run that has not ended, as the scheduler knows it.
public struct RunView: Hashable, Sendable {
  /// Its number.
  public var run: RunID
  /// Whose run it is.
  public var job: JobName
  /// The instant that it is told.
  public var slot: WallInstant
  /// What it is for.
  public var kind: RunBeginning.Kind
  /// Of a hook which one.
  public var hook: HookKind?
  /// Of a hook or a resumed run: the other one.
  public var parent: RunID?
  /// Where it stands.
  public var state: RunState.Kind
  /// How many attempts have begun.
  public var attempts: Int
  /// How long ago its first attempt started; nil before that.
  public var age: Duration?
}

/// The scheduler at one moment.
public struct SchedulerView: Hashable, Sendable {
  /// What it is about.
  public var phase: SchedulerPhase
  /// How many jobs there are.
  public var jobs: Int
  /// How many of them somebody has put to rest.
  public var suspended: Int
  /// How many are disabled.
  public var disabled: Int
  /// Of how many the last runs have failed.
  public var failing: Int
  /// How many runs have a place.
  public var running: Int
  /// How many runs wait for a place.
  public var queued: Int
  /// What holds for it.
  public var settings: SchedulerSettings
}

/// What the scheduler is about.
public enum SchedulerPhase: String, CaseIterable, Hashable, Sendable {
  /// The jobs are not loaded yet.
  case starting
  /// It serves slots.
  case running
  /// No new runs; it waits for those in progress.
  case draining
  /// It stops those in progress.
  case stopping
  /// All is over.
  case finished
}
