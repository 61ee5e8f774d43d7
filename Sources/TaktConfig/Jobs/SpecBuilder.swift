import TaktCore
import TaktTime

/// The only maker of job specs: its results need no more checks.
final class SpecBuilder {
  let file: FileContext
  /// The zone for times without an offset.
  let zone: Zone
  let defaults: JobDefaults
  let hasNoState: Bool
  let isInCluster: Bool
  /// The number of the user whose processes may log in as any user of the API; nil for none.
  let proxyUser: UInt32?
  let defaultsFields: KeyFields?
  /// Each `run` of `defaults`, with the key to which it belongs.
  let inheritedCommands: [(key: JobKey, run: KeyFields.Field)]

  var reporter: Reporter { file.reporter }
  var sources: LoadSources { file.sources }
  var folder: String { file.folder }

  /// - Parameter defaults: the keys of `defaults`, of which only the correct ones count.
  init(
    reporter: Reporter, sources: LoadSources, settings: SchedulerSettings, folder: String,
    defaults: KeyFields?, calendars: [String: SharedCalendar] = [:]
  ) {
    file = FileContext(
      reporter: reporter, sources: sources, folder: folder,
      groups: Array(settings.concurrency.keys), calendars: calendars)
    zone = settings.zone
    hasNoState = settings.state == StateFolder.none
    isInCluster = settings.cluster != nil
    proxyUser = settings.http?.proxy?.user
    defaultsFields = defaults
    var commands: [(key: JobKey, run: KeyFields.Field)] = []
    if let defaults { SpecBuilder.eachCommand(in: defaults) { commands.append(($0, $1)) } }
    inheritedCommands = commands
    var settled = file.builtIn
    if let defaults {
      ExecutionBuilder(file: file, owner: KeyOwner(part: .defaults), secretNames: nil)
        .apply(defaults, to: &settled)
    }
    self.defaults = settled
    if let defaults { checkClusterKeys(defaults, owner: KeyOwner(part: .defaults)) }
  }

  /// Returns nil for a wrong job, which is reported.
  func spec(from raw: RawJob) -> JobSpec? {
    let errorCount = reporter.errorCount
    let name = jobName(raw)
    var settled = settled(of: raw)
    setLateTimes(of: raw, in: &settled)
    let schedule = schedule(of: raw, settled)
    checkWindow(settled, against: schedule, of: raw)
    let action = action(of: raw)
    openParameters(of: raw, action, in: &settled)
    checkUses(of: raw, action: action, settled: settled)
    checkSecrets(settled, of: raw)
    checkFileOwners(settled, of: raw)
    checkGroupLimits(settled, of: raw)
    checkDelivery(settled.policies.delivery, of: raw)
    checkStreams(settled.execution, of: raw)
    checkMemberName(of: raw)
    checkCondition(settled, of: raw)
    checkClusterKeys(raw.fields, owner: raw.owner)
    checkClusterPolicies(settled, of: raw)
    guard let name, let action, reporter.errorCount == errorCount else { return nil }
    warn(of: raw, settled, schedule: schedule, action: action)
    let timing = Timing(
      schedule: schedule, leeway: settled.leeway, spread: spread(settled.spread, of: name),
      jitter: settled.jitter, isEnabled: settled.isEnabled)
    return JobSpec(
      name: name,
      // A spread by the job's name is no other job's.
      timing: timing.spread == nil ? sources.pool.common(timing) : timing,
      action: sources.pool.common(action), execution: execution(settled, of: action),
      policies: common(settled.sharedPolicies),
      summary: raw.fields[.description]?.value?.text)
  }

  /// The combination of `defaults` and the job's own keys.
  private func settled(of raw: RawJob) -> JobDefaults {
    var settled = defaults
    if raw.fields.fields.contains(where: { $0.entry.use != nil }) {
      ExecutionBuilder(file: file, owner: raw.owner, secretNames: secretNames(of: raw))
        .apply(raw.fields, to: &settled)
    }
    if let family = raw.family { settled.policies.family = family }
    if let title = displayName(of: raw) { settled.policies.displayName = title }
    if !settled.fileVariables.isEmpty {
      settled.execution.environment.merge(settled.fileVariables) { own, _ in own }
    }
    return settled
  }

  private func spread(_ rule: JobDefaults.SpreadRule?, of name: JobName) -> Spread? {
    guard let rule, rule.over != .zero else { return nil }
    return Spread(
      over: rule.over, seed: rule.isByHost ? "\(name.text)@\(sources.hostName)" : name.text)
  }

  private func execution(_ settled: JobDefaults, of action: Action) -> Shared<Execution> {
    if case .plugin(let plugin, _) = action, settled.execution.timeout == nil {
      var execution = settled.execution
      execution.timeout = plugin.timeout
      return sources.pool.common(Shared(execution))
    }
    let execution = settled.sharedExecution
    return execution.isCopy(of: defaults.sharedExecution)
      ? execution : sources.pool.common(execution)
  }

  private func common(_ policies: Shared<JobPolicies>) -> Shared<JobPolicies> {
    if policies.isCopy(of: defaults.sharedPolicies) { return policies }
    return sources.pool.common(policies)
  }

  /// Only a ledger knows of slots that a crash interrupts.
  private func checkDelivery(_ delivery: Delivery, of raw: RawJob) {
    guard delivery != .bestEffort, hasNoState else { return }
    reporter.report(
      .conflictingKeys, at: raw.fields[.delivery]?.mark ?? raw.nameMark,
      "'\(JobKey.delivery): \(delivery.rawValue)' needs a ledger, and '\(Key.state)' is 'none'",
      hint: "set '\(Key.state)' under '\(Key.scheduler)' to a folder", owner: raw.owner)
  }

  /// Merged streams cannot be matched separately.
  private func checkStreams(_ execution: Execution, of raw: RawJob) {
    guard execution.success.asksForStream, execution.output.isMerged || execution.terminal != nil
    else { return }
    let isMerged = execution.output.isMerged
    let merge = isMerged ? raw.fields[.output]?.value?.object?[Key.merge] : raw.fields[.terminal]
    let cause =
      isMerged ? "'\(JobKey.output): {\(Key.merge): true}' makes" : "'\(JobKey.terminal)' makes"
    let rule = raw.fields[.failsWhen]
    reporter.report(
      .conflictingKeys, at: rule?.keyMark ?? merge?.keyMark ?? raw.nameMark,
      "'\(JobKey.failsWhen)' asks for one of the two streams, and \(cause) them one",
      hint: "remove one of them, or check the output in the command itself", owner: raw.owner)
  }

  private func jobName(_ raw: RawJob) -> JobName? {
    if let name = JobName(raw.name) { return name }
    // It may look like an allowed letter.
    let foreign = raw.name.unicodeScalars.first { !$0.isASCII }.map { ": it has \($0.code)" }
    reporter.report(
      .badName, at: raw.nameMark,
      "'\(raw.name.shortened)' is not a valid job name\(foreign ?? "")", hint: KeyReader.nameHint)
    return nil
  }

  private static let displayNameMax = (characters: 100, bytes: 400)

  /// For titles and table cells: one line without hidden characters.
  private func displayName(of raw: RawJob) -> String? {
    guard let field = raw.fields[.displayName], let text = field.value?.text else { return nil }
    let most = Self.displayNameMax
    let problem: (message: String, hint: String?)? =
      if let scalar = text.unicodeScalars.first(where: \.steersTerminal) {
        ("has the control character \(scalar.code)", "write one line of plain text")
      } else if text.unicodeScalars.allSatisfy(\.isInvisible) {
        ("is blank", "write a name, or remove the key")
      } else if text.count > most.characters || text.utf8.count > most.bytes {
        (
          "has \(text.count) characters in \(text.utf8.count) bytes; the most is "
            + "\(most.characters) in \(most.bytes)",
          "write the rest under '\(JobKey.description)'"
        )
      } else {
        nil
      }
    guard let problem else { return text }
    reporter.report(
      .badValue, at: field.mark, "'\(JobKey.displayName)' \(problem.message)",
      hint: problem.hint, owner: raw.owner)
    return nil
  }

  /// A single job has its key for a name.
  private func checkMemberName(of raw: RawJob) {
    guard let field = raw.fields[.memberName] else { return }
    reporter.report(
      .missingKey, at: field.keyMark, "'\(JobKey.memberName)' needs '\(JobKey.forEach)'",
      hint: "remove it: the job's name is the key before its colon", owner: raw.owner)
  }

  func secretNames(of raw: RawJob) -> [String] {
    guard let own = raw.fields[.secrets] else { return Array(defaults.execution.secrets.keys) }
    return own.value?.map?.map(\.name) ?? []
  }

  /// A variable cannot hold both a secret and a text of `env`.
  private func checkSecrets(_ settled: JobDefaults, of raw: RawJob) {
    guard !settled.execution.secrets.isEmpty else { return }
    let execution = settled.execution
    let own = [JobKey.secrets, .environment].flatMap { raw.fields[$0]?.value?.map ?? [] }
    for name in execution.secrets.keys.sorted() where execution.environment[name] != nil {
      reporter.report(
        .conflictingKeys, at: own.first { $0.name == name }?.nameMark ?? raw.nameMark,
        "'\(name)' is set under both '\(JobKey.environment)' and '\(JobKey.secrets)'",
        hint: "give one of them another name", owner: raw.owner)
    }
  }
}

/// A job in the file's own words, each value with its place and the type of its key; keys are not
/// checked against each other yet.
struct RawJob {
  var name: String
  var nameMark: YAMLMark
  var fields: KeyFields
  /// The definition with `for_each` that makes it; nil for a job of its own.
  var family: JobName?

  var owner: KeyOwner { KeyOwner(part: .job(name)) }

  /// The job's own actions of a hook.
  func hookItems(of hook: HookKind) -> [KeyValue.Located] {
    let items = fields[hook.key]?.value?.list ?? []
    return items.first?.value.object?[Key.add]?.value?.list ?? items
  }

  /// True if the job uses the hook or the condition of `defaults`.
  func inherits(_ key: JobKey) -> Bool {
    guard let field = fields[key] else { return true }
    return field.value?.list?.first?.value.object?[Key.add] != nil
  }
}
