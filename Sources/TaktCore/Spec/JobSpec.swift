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
  /// What a crash of takt may do to a slot that has begun. Default `best_effort`.
  public var delivery = Delivery.bestEffort
  /// What becomes of slots that passed while takt was not there. Default: the newest runs late.
  public var missed = MissedPolicy()
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
