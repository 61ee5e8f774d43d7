import TaktTime

/// A valid job: its entry in a jobs file, after defaults, with nothing left to check.
///
/// Two specs are equal when they mean the same; a comment or another order of keys changes nothing.
///
/// Copies share everything, and specs of one load share the parts in which they are equal: only the
/// name, the action and the summary are a job's own. Values of `_read` are not copied, for the
/// gate's `load`, `plan` and `slots`.
package struct JobSpec: Hashable, Sendable {
  /// `SpecPool` compares all of them.
  private struct Fields: Hashable, Sendable {
    var name: JobName
    var timing: Timing
    var action: Action
    var execution: Shared<Execution>
    var policies: Shared<JobPolicies>
    var summary: String?
  }

  private var fields: Shared<Fields>

  package var name: JobName {
    _read { yield fields.value.name }
    set { fields.change { $0.name = newValue } }
  }
  /// Its schedule and its leeway.
  package var timing: Timing {
    _read { yield fields.value.timing }
    set { fields.change { $0.timing = newValue } }
  }
  package var action: Action {
    _read { yield fields.value.action }
    set { fields.change { $0.action = newValue } }
  }
  package var execution: Execution {
    _read { yield fields.value.execution.value }
    set { fields.change { $0.execution = Shared(newValue) } }
  }
  package var policies: JobPolicies {
    _read { yield fields.value.policies.value }
    set { fields.change { $0.policies = Shared(newValue) } }
  }
  /// A sentence for people; nil when none was written.
  package var summary: String? {
    _read { yield fields.value.summary }
    set { fields.change { $0.summary = newValue } }
  }

  package init(
    name: JobName, timing: Timing, action: Action, execution: Execution = Execution(),
    overlap: Overlap = .skip, summary: String? = nil
  ) {
    var policies = JobPolicies()
    policies.overlap = overlap
    self.init(
      name: name, timing: timing, action: action, execution: Shared(execution),
      policies: Shared(policies), summary: summary)
  }

  /// True if both are copies of one, and so equal without a comparison.
  package func isCopy(of other: JobSpec) -> Bool { fields.isCopy(of: other.fields) }

  /// A job that differs in these alone.
  package func renamed(_ name: JobName, action: Action, summary: String?) -> JobSpec {
    JobSpec(
      name: name, timing: timing, action: action, execution: sharedExecution,
      policies: fields.value.policies, summary: summary)
  }

  /// `execution`, cheap to copy.
  package var sharedExecution: Shared<Execution> { fields.value.execution }

  /// `policies`, cheap to copy.
  var sharedPolicies: Shared<JobPolicies> { fields.value.policies }

  /// A spec of parts that it may have in common with others.
  package init(
    name: JobName, timing: Timing, action: Action, execution: Shared<Execution>,
    policies: Shared<JobPolicies>, summary: String?
  ) {
    fields = Shared(
      Fields(
        name: name, timing: timing, action: action, execution: execution, policies: policies,
        summary: summary))
  }
}

extension JobSpec {
  package var overlap: Overlap {
    get { fields.value.policies.value.overlap }
    set { policies.overlap = newValue }
  }
  package var concurrencyGroup: String? {
    _read { yield fields.value.policies.value.concurrencyGroup }
    set { policies.concurrencyGroup = newValue }
  }
  package var hooks: Hooks {
    _read { yield fields.value.policies.value.hooks }
    set { policies.hooks = newValue }
  }
  package var pings: [Step] {
    _read { yield fields.value.policies.value.pings }
    set { policies.pings = newValue }
  }
  @inline(__always) var hasCondition: Bool { fields.value.policies.value.onlyIf != nil }
  package var freshFor: Duration? {
    get { fields.value.policies.value.freshFor }
    set { policies.freshFor = newValue }
  }
  /// True if any hook has an action.
  var hasHooks: Bool { !hooks.isEmpty || !pings.isEmpty }
  package var lateTolerance: Duration {
    get { fields.value.policies.value.lateTolerance }
    set { policies.lateTolerance = newValue }
  }
  package var expectedDuration: Duration? {
    get { fields.value.policies.value.expectedDuration }
    set { policies.expectedDuration = newValue }
  }
  package var delivery: Delivery {
    get { fields.value.policies.value.delivery }
    set { policies.delivery = newValue }
  }
  package var missed: MissedPolicy {
    get { fields.value.policies.value.missed }
    set { policies.missed = newValue }
  }
  package var removal: Removal {
    get { fields.value.policies.value.removal }
    set { policies.removal = newValue }
  }
  package var machines: JobMachines {
    get { fields.value.policies.value.machines }
    set { policies.machines = newValue }
  }
  package var onPartition: PartitionPolicy {
    get { fields.value.policies.value.onPartition }
    set { policies.onPartition = newValue }
  }
  package var onLeaseLost: LeaseLostPolicy {
    get { fields.value.policies.value.onLeaseLost }
    set { policies.onLeaseLost = newValue }
  }
  package var shownName: String { fields.value.policies.value.displayName ?? name.text }
  package var family: JobName? { fields.value.policies.value.family }
  package var tags: [String] {
    _read { yield fields.value.policies.value.tags }
    set { policies.tags = newValue }
  }
}

/// takt's rules for the slots and the runs of a job.
package struct JobPolicies: Hashable, Sendable {
  /// The treatment of a slot that is due while a run is active. Default `skip`.
  package var overlap = Overlap.skip
  /// The group of `scheduler.concurrency` whose bound its runs share; nil (the default) for none.
  package var concurrencyGroup: String?
  /// The actions that follow the outcomes of a run. Default none.
  package var hooks: Hooks = [:]
  /// The pings at the start and the end of each run. Default none.
  package var pings: [Step] = []
  /// The condition of a slot's run; nil (the default) for none. Boxed: few jobs have one.
  package var onlyIf: Shared<Condition>?
  /// The greatest age of the last success; nil (the default) for any.
  package var freshFor: Duration?
  /// The extra time after the leeway before a slot counts as missed. Default 1 s.
  package var lateTolerance = Duration.seconds(1)
  /// The usual upper limit of a run's time; nil (the default) if unknown.
  package var expectedDuration: Duration?
  /// The effect that a crash of takt may have on a slot that has started. Default `best_effort`.
  package var delivery = Delivery.bestEffort
  /// The treatment of slots that passed while takt was not running. Default: the newest runs late.
  package var missed = MissedPolicy()
  /// The treatment of its runs when a reload removes the job. Default `drain`.
  package var removal = Removal.drain
  /// The machines of a cluster on which it runs. Default one for each slot.
  package var machines = JobMachines.one
  /// The treatment of its slots while the cluster's engine cannot be reached. Default `wait`.
  package var onPartition = PartitionPolicy.wait
  /// The treatment of its runs after the machine has lost its lease. Default `stop`.
  package var onLeaseLost = LeaseLostPolicy.stop
  /// Words to find the job by, in order and each once. Default none.
  package var tags: [String] = []
  /// The name shown to people; nil (the default) for the job's own.
  package var displayName: String?
  /// The parameters that triggers may set, in the file's order. Default none.
  package var params: [BoundedParameter] = []
  /// The definition with `for_each` that makes the job among others; nil (the default) for none.
  package var family: JobName?

  package init() {}

  /// Hashes the fields in which most jobs differ: the gate's `load`.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(hooks)
    hasher.combine(tags)
    hasher.combine(displayName)
    hasher.combine(concurrencyGroup)
    hasher.combine(expectedDuration)
    hasher.combine(lateTolerance)
    hasher.combine(pings)
    hasher.combine(freshFor)
    hasher.combine(family)
    hasher.combine(onlyIf)
    hasher.combine(params)
  }
}

extension JobPolicies {
  /// The actions other than the job's own: its hooks, and its condition.
  package var besides: [Step] {
    let conditions = onlyIf.map { [Step($0.value.action)] } ?? []
    return Array(hooks.values.joined()) + conditions
  }

  static let keys: [JobKey] =
    [
      .params, .lateTolerance, .expected, .delivery, .missed, .onRemoved, .machines, .onPartition,
      .onLeaseLost, .displayName, .tags, .ping, .expectSuccessWithin, .forEach, .onlyIf,
    ]
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
  package static let machines = JobKey("machines") { $0.machines.words }
  package static let onPartition = JobKey("on_partition") { $0.onPartition.rawValue }
  package static let onLeaseLost = JobKey("on_lease_lost") { $0.onLeaseLost.rawValue }
  package static let expectSuccessWithin = JobKey("expect_success_within") {
    $0.policies.freshFor.map(DurationText.format)
  }
  package static let ping = JobKey(
    "ping", hidden: { [HiddenValue].of($0.policies.pings, under: "ping") },
    differs: { $0.policies.pings != $1.policies.pings })
  package static let params = JobKey(
    "params",
    hidden: { spec in
      spec.policies.params.map {
        HiddenValue("params.\($0.schema.name)", $0.phrase, isSecret: false)
      }
    }, differs: { $0.policies.params != $1.policies.params })
  package static let forEach = JobKey("for_each") { $0.family?.text }
  package static let memberName = JobKey(partOfAnother: "name")
  package static let displayName = JobKey("display_name") { $0.policies.displayName }
  package static let tags = JobKey("tags") { list($0.tags) }
  package static let description = JobKey("description") { $0.summary }
}

extension HookKind {
  package var key: JobKey {
    switch self {
    case .onStart: .onStart
    case .onFailure: .onFailure
    case .onSuccess: .onSuccess
    case .onRecover: .onRecover
    case .onLate: .onLate
    case .onStale: .onStale
    case .onAlarmFailed: .onAlarmFailed
    case .onlyIf: .onlyIf
    }
  }
}

extension JobKey {
  private convenience init(_ hook: HookKind) {
    self.init(
      hook.rawValue,
      hidden: { [HiddenValue].of($0.hooks[hook] ?? [], under: hook.rawValue) },
      differs: { $0.hooks[hook] != $1.hooks[hook] })
  }

  package static let onStart = JobKey(.onStart)
  package static let onStale = JobKey(.onStale)
  package static let onAlarmFailed = JobKey(.onAlarmFailed)
  package static let onFailure = JobKey(.onFailure)
  package static let onSuccess = JobKey(.onSuccess)
  package static let onRecover = JobKey(.onRecover)
  package static let onLate = JobKey(.onLate)
}

extension Array<JobSpec> {
  /// The different executions of these jobs. Those that specs of one load share occur once.
  package var executions: [Execution] {
    var found: [Shared<Execution>] = []
    for spec in self {
      let execution = spec.sharedExecution
      if let last = found.last, last.isCopy(of: execution) { continue }
      found.append(execution)
    }
    var known: Set<ObjectIdentifier> = []
    return found.filter { known.insert($0.identity).inserted }.map(\.value)
  }
}

extension JobSpec {
  /// The plugins that the job and its hooks use.
  package var plugins: [PluginManifest] {
    (action.steps + policies.besides).compactMap { step in
      if case .plugin(let manifest, _) = step.action { manifest } else { nil }
    }
  }
}
