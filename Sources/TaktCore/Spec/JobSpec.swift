/// A valid job: what a jobs file says of it, after defaults, with nothing left to check.
///
/// Two specs are equal when they mean the same; a comment or another order of keys changes nothing.
///
/// It is copied in many places for each slot; all copies share their parts until one is changed.
package struct JobSpec: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var name: JobName
    var timing: Timing
    var action: Action
    var execution: Execution
    var overlap: Overlap
    var concurrencyGroup: String?
    var hooks: Hooks = [:]
    var lateTolerance = Duration.seconds(1)
    var expectedDuration: Duration?
    var delivery = Delivery.bestEffort
    var missed = MissedPolicy()
    var removal = Removal.drain
    var tags: [String] = []
    var summary: String?
  }

  private var fields: Shared<Fields>

  /// The job's identity.
  package var name: JobName {
    get { fields.value.name }
    set { fields.change { $0.name = newValue } }
  }
  /// When it is due, and how late it may start.
  package var timing: Timing {
    get { fields.value.timing }
    set { fields.change { $0.timing = newValue } }
  }
  /// What a run does.
  package var action: Action {
    get { fields.value.action }
    set { fields.change { $0.action = newValue } }
  }
  /// How a run is done.
  package var execution: Execution {
    get { fields.value.execution }
    set { fields.change { $0.execution = newValue } }
  }
  /// What happens to a slot that comes due while a run is active. Default `skip`.
  package var overlap: Overlap {
    get { fields.value.overlap }
    set { fields.change { $0.overlap = newValue } }
  }
  /// The group of `scheduler.concurrency` whose bound its runs share; nil (the default) for none.
  package var concurrencyGroup: String? {
    get { fields.value.concurrencyGroup }
    set { fields.change { $0.concurrencyGroup = newValue } }
  }
  /// What is done besides when a run has come to something. Default nothing.
  package var hooks: Hooks {
    get { fields.value.hooks }
    set { fields.change { $0.hooks = newValue } }
  }
  /// How much later than its leeway allows a slot may start before it counts as passed. Default 1 s.
  package var lateTolerance: Duration {
    get { fields.value.lateTolerance }
    set { fields.change { $0.lateTolerance = newValue } }
  }
  /// How long a run takes at most when all is well; nil (the default) when nobody says.
  package var expectedDuration: Duration? {
    get { fields.value.expectedDuration }
    set { fields.change { $0.expectedDuration = newValue } }
  }
  /// What a crash of takt may do to a slot that has begun. Default `best_effort`.
  package var delivery: Delivery {
    get { fields.value.delivery }
    set { fields.change { $0.delivery = newValue } }
  }
  /// What becomes of slots that passed while takt was not there. Default: the newest runs late.
  package var missed: MissedPolicy {
    get { fields.value.missed }
    set { fields.change { $0.missed = newValue } }
  }
  /// What becomes of its runs when a reload removes the job. Default `drain`.
  package var removal: Removal {
    get { fields.value.removal }
    set { fields.change { $0.removal = newValue } }
  }
  /// Words to find the job by, in order and each once. Default none.
  package var tags: [String] {
    get { fields.value.tags }
    set { fields.change { $0.tags = newValue } }
  }
  /// A sentence for people; nil when none was written.
  package var summary: String? {
    get { fields.value.summary }
    set { fields.change { $0.summary = newValue } }
  }

  /// A job with the given parts.
  package init(
    name: JobName, timing: Timing, action: Action, execution: Execution = Execution(),
    overlap: Overlap = .skip, summary: String? = nil
  ) {
    fields = Shared(
      Fields(
        name: name, timing: timing, action: action, execution: execution, overlap: overlap,
        summary: summary))
  }
}

extension JobSpec {
  /// The plugins that the job and its hooks use.
  package var plugins: [PluginManifest] {
    (action.steps + hooks.values.joined()).compactMap { step in
      if case .plugin(let manifest, _) = step.action { manifest } else { nil }
    }
  }
}
