import TaktTime

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
    var policies: JobPolicies
    var summary: String?
  }

  private var fields: Shared<Fields>

  package var name: JobName {
    get { fields.value.name }
    set { fields.change { $0.name = newValue } }
  }
  /// When it is due, and how late it may start.
  package var timing: Timing {
    get { fields.value.timing }
    set { fields.change { $0.timing = newValue } }
  }
  package var action: Action {
    get { fields.value.action }
    set { fields.change { $0.action = newValue } }
  }
  package var execution: Execution {
    get { fields.value.execution }
    set { fields.change { $0.execution = newValue } }
  }
  package var policies: JobPolicies {
    get { fields.value.policies }
    set { fields.change { $0.policies = newValue } }
  }
  package var overlap: Overlap {
    get { fields.value.policies.overlap }
    set { fields.change { $0.policies.overlap = newValue } }
  }
  package var concurrencyGroup: String? {
    get { fields.value.policies.concurrencyGroup }
    set { fields.change { $0.policies.concurrencyGroup = newValue } }
  }
  package var hooks: Hooks {
    get { fields.value.policies.hooks }
    set { fields.change { $0.policies.hooks = newValue } }
  }
  package var lateTolerance: Duration {
    get { fields.value.policies.lateTolerance }
    set { fields.change { $0.policies.lateTolerance = newValue } }
  }
  package var expectedDuration: Duration? {
    get { fields.value.policies.expectedDuration }
    set { fields.change { $0.policies.expectedDuration = newValue } }
  }
  package var delivery: Delivery {
    get { fields.value.policies.delivery }
    set { fields.change { $0.policies.delivery = newValue } }
  }
  package var missed: MissedPolicy {
    get { fields.value.policies.missed }
    set { fields.change { $0.policies.missed = newValue } }
  }
  package var removal: Removal {
    get { fields.value.policies.removal }
    set { fields.change { $0.policies.removal = newValue } }
  }
  package var tags: [String] {
    get { fields.value.policies.tags }
    set { fields.change { $0.policies.tags = newValue } }
  }
  /// A sentence for people; nil when none was written.
  package var summary: String? {
    get { fields.value.summary }
    set { fields.change { $0.summary = newValue } }
  }

  package init(
    name: JobName, timing: Timing, action: Action, execution: Execution = Execution(),
    overlap: Overlap = .skip, summary: String? = nil
  ) {
    var policies = JobPolicies()
    policies.overlap = overlap
    fields = Shared(
      Fields(
        name: name, timing: timing, action: action, execution: execution, policies: policies,
        summary: summary))
  }
}

/// What takt does with the slots and the runs of a job.
package struct JobPolicies: Hashable, Sendable {
  /// What happens to a slot that comes due while a run is active. Default `skip`.
  package var overlap = Overlap.skip
  /// The group of `scheduler.concurrency` whose bound its runs share; nil (the default) for none.
  package var concurrencyGroup: String?
  /// What is done besides when a run has come to something. Default nothing.
  package var hooks: Hooks = [:]
  /// How much later than its leeway allows a slot may start before it counts as passed. Default 1 s.
  package var lateTolerance = Duration.seconds(1)
  /// How long a run takes at most when all is well; nil (the default) when nobody says.
  package var expectedDuration: Duration?
  /// What a crash of takt may do to a slot that has begun. Default `best_effort`.
  package var delivery = Delivery.bestEffort
  /// What becomes of slots that passed while takt was not there. Default: the newest runs late.
  package var missed = MissedPolicy()
  /// What becomes of its runs when a reload removes the job. Default `drain`.
  package var removal = Removal.drain
  /// Words to find the job by, in order and each once. Default none.
  package var tags: [String] = []

  package init() {}
}

extension JobPolicies {
  static let keys: [JobKey] =
    [.lateTolerance, .expected, .delivery, .missed, .onRemoved, .tags]
    + HookKind.allCases.map(\.key)
}

extension JobKey {
  package static let overlap = JobKey("overlap") { $0.overlap.rawValue }
  package static let concurrency = JobKey("concurrency") { $0.concurrencyGroup }
  package static let lateTolerance = JobKey("late_tolerance") {
    DurationText.format($0.lateTolerance)
  }
  package static let expected = JobKey("expected") {
    $0.expectedDuration.map(DurationText.format)
  }
  package static let delivery = JobKey("delivery") { $0.delivery.rawValue }
  package static let missed = JobKey("missed") { $0.missed.words }
  package static let onRemoved = JobKey("on_removed") { $0.removal.rawValue }
  package static let tags = JobKey("tags") { list($0.tags) }
  package static let description = JobKey("description") { $0.summary }
}

extension HookKind {
  package var key: JobKey { JobKey(rawValue, hidden: { $0.hooks[self] != $1.hooks[self] }) }
}

extension JobSpec {
  /// The plugins that the job and its hooks use.
  package var plugins: [PluginManifest] {
    (action.steps + hooks.values.joined()).compactMap { step in
      if case .plugin(let manifest, _) = step.action { manifest } else { nil }
    }
  }
}
