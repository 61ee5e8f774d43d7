import TaktCore
import TaktTime

/// The only maker of job specs: what it hands out has nothing left to check.
struct SpecBuilder {
  let reporter: Reporter
  let sources: LoadSources
  /// Where times without an offset are read.
  let zone: Zone
  /// What holds without any `defaults`.
  let builtIn: JobDefaults
  let defaults: JobDefaults
  /// The names of the concurrency groups that the main file declares.
  let groups: [String]
  let hasNoState: Bool

  /// Takes the keys of `defaults`, of which only those that are right count.
  init(
    reporter: Reporter, sources: LoadSources, settings: SchedulerSettings, folder: String,
    defaults: KeyFields?
  ) {
    self.reporter = reporter
    self.sources = sources
    zone = settings.zone
    groups = Array(settings.concurrency.keys)
    hasNoState = settings.state == StateFolder.none
    builtIn = JobDefaults(folder: folder)
    var settled = builtIn
    if let defaults {
      ExecutionBuilder(
        reporter: reporter, sources: sources, builtIn: builtIn, groups: groups,
        owner: KeyOwner(part: .defaults), secretNames: nil
      ).apply(defaults, to: &settled)
    }
    self.defaults = settled
  }

  /// The job's spec; nil when something is wrong with it, which is then reported.
  func spec(from raw: RawJob) -> JobSpec? {
    let errorCount = reporter.errorCount
    let name = jobName(raw)
    var settled = defaults
    ExecutionBuilder(
      reporter: reporter, sources: sources, builtIn: builtIn, groups: groups, owner: raw.owner,
      secretNames: secretNames(of: raw)
    ).apply(raw.fields, to: &settled)
    settled.execution.environment.merge(settled.fileVariables) { own, _ in own }
    let schedule = schedule(of: raw, settled)
    checkWindow(settled, against: schedule, of: raw)
    let action = action(of: raw)
    checkUses(of: raw, action: action, settled: settled)
    checkSecrets(settled.execution, of: raw)
    checkInheritance(settled.execution, action, of: raw)
    checkFileOwners(settled, of: raw)
    checkDelivery(settled.policies.delivery, of: raw)
    guard let name, let action, reporter.errorCount == errorCount else { return nil }
    if case .plugin(let plugin, _) = action, settled.execution.timeout == nil {
      settled.execution.timeout = plugin.timeout
    }
    var timing = Timing(
      schedule: schedule, leeway: settled.leeway, isEnabled: settled.isEnabled)
    timing.jitter = settled.jitter
    timing.spread = settled.spread.flatMap { rule in
      rule.over == .zero
        ? nil
        : Spread(
          over: rule.over, seed: rule.isByHost ? "\(name.text)@\(sources.hostName)" : name.text)
    }
    var spec = JobSpec(
      name: name, timing: timing, action: action, execution: settled.execution,
      summary: raw.fields[.description]?.value?.text)
    spec.policies = settled.policies
    return spec
  }

  /// What a crash may do to a slot takes a ledger to know of it.
  private func checkDelivery(_ delivery: Delivery, of raw: RawJob) {
    guard delivery != .bestEffort, hasNoState else { return }
    reporter.report(
      .conflictingKeys, at: raw.fields[.delivery]?.mark ?? raw.nameMark,
      "'\(JobKey.delivery): \(delivery.rawValue)' needs a ledger, and '\(Key.state)' is 'none'",
      hint: "give '\(Key.scheduler)' a folder as '\(Key.state)'", owner: raw.owner)
  }

  private func jobName(_ raw: RawJob) -> JobName? {
    if let name = JobName(raw.name) { return name }
    reporter.report(
      .badName, at: raw.nameMark, "'\(raw.name.shortened)' cannot name a job",
      hint: "use 1 to 128 letters, digits, '.', '_' and '-', a letter or digit first")
    return nil
  }

  func secretNames(of raw: RawJob) -> [String] {
    guard let own = raw.fields[.secrets] else { return Array(defaults.execution.secrets.keys) }
    return own.value?.map?.map(\.name) ?? []
  }

  /// A variable cannot hold a secret and a text of `env` both.
  private func checkSecrets(_ execution: Execution, of raw: RawJob) {
    guard !execution.secrets.isEmpty else { return }
    let own = [JobKey.secrets, .environment].flatMap { raw.fields[$0]?.value?.map ?? [] }
    for name in execution.secrets.keys.sorted() where execution.environment[name] != nil {
      reporter.report(
        .conflictingKeys, at: own.first { $0.name == name }?.nameMark ?? raw.nameMark,
        "'\(name)' is a variable of the environment and a secret",
        hint: "give one of them another name", owner: raw.owner)
    }
  }
}

/// A job in the file's own words, each value of its key's type and with its place; nothing is
/// known yet of how they fit together.
struct RawJob {
  var name: String
  var nameMark: YAMLMark
  var fields: KeyFields

  var owner: KeyOwner { KeyOwner(part: .job(name)) }
}
