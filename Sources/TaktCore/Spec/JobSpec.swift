/// A valid job: what a jobs file says of it, after defaults, with nothing left to check.
///
/// Two specs are equal when they mean the same; a comment or another order of keys changes nothing.
public struct JobSpec: Hashable, Sendable {
  /// The job's identity.
  public var name: JobName
  /// When it is due, and how late it may start.
  public var timing: Timing
  /// What a run does.
  public var action: Action
  /// How a run is done.
  public var execution: Execution
  /// What happens to a slot that comes due while a run is active. Default `skip`.
  public var overlap: Overlap
  /// The group of `scheduler.concurrency` whose bound its runs share; nil (the default) for none.
  public var concurrencyGroup: String?
  /// What is done besides when a run has come to something. Default nothing.
  public var hooks: Hooks = [:]
  /// How much later than its leeway allows a run may start before `on_late`. Default 1 s.
  public var lateTolerance = Duration.seconds(1)
  /// How long a run takes at most when all is well; nil (the default) when nobody says.
  public var expectedDuration: Duration?
  /// What becomes of its runs when a reload removes the job. Default `drain`.
  public var removal = Removal.drain
  /// Words to find the job by, in order and each once. Default none.
  public var tags: [String] = []
  /// A sentence for people; nil when none was written.
  public var summary: String?

  /// A job with the given parts.
  public init(
    name: JobName, timing: Timing, action: Action, execution: Execution = Execution(),
    overlap: Overlap = .skip, summary: String? = nil
  ) {
    self.name = name
    self.timing = timing
    self.action = action
    self.execution = execution
    self.overlap = overlap
    self.summary = summary
  }
}

/// The part of a job that its timer follows: when this changes, a reload arms the timer anew.
public struct Timing: Hashable, Sendable {
  /// When the job is due.
  public var schedule: Schedule
  /// How late a slot may start, so that one wake serves many. Default none.
  public var leeway: Leeway
  /// False: nothing is armed, and slots that pass are recorded as skipped. Default true.
  public var isEnabled: Bool

  /// When a job is due.
  public init(schedule: Schedule, leeway: Leeway = .none, isEnabled: Bool = true) {
    self.schedule = schedule
    self.leeway = leeway
    self.isEnabled = isEnabled
  }
}

/// How late a slot may start, measured from its due instant.
public enum Leeway: Hashable, Sendable {
  /// A fixed time. `.zero` is none.
  case duration(Duration)
  /// A share of the gap to the next nominal instant, 0 to 100.
  case percent(Double)

  /// No leeway: start at once.
  public static let none = Leeway.duration(.zero)
}

/// What happens to a slot that comes due while a run of the same job is active.
public enum Overlap: String, CaseIterable, Hashable, Sendable {
  /// The slot is decided as `skipped(overlap)`.
  case skip
  /// The slot's run waits until the others have ended.
  case queue
  /// The others are stopped, and the slot's run starts when they have ended.
  case replace
  /// The slot's run starts beside the others.
  case allow
}

/// What becomes of the runs of a job that a reload removes.
public enum Removal: String, CaseIterable, Hashable, Sendable {
  /// An attempt in progress may end; no further one starts.
  case drain
  /// They are stopped.
  case kill
}
