import TaktCore
import TaktSystem

/// Actions with takt's own rights have no place in a job that runs as another user.
extension SpecBuilder {
  /// Reports such actions of the job, its steps, its condition and its hooks; returns true if there
  /// are any.
  func checkRights(of action: Action, _ settled: JobDefaults, of raw: RawJob) -> Bool {
    let identity = settled.execution.identity
    guard !sources.accounts.isOwn(identity) else { return false }
    let errorCount = reporter.errorCount
    let check = RightsCheck(reporter: reporter, actions: sources.actions, raw: raw, identity)
    let steps = raw.fields[.steps]?.value?.list
    check.report(action.steps, at: steps.map(places) ?? [raw.fields[.use]?.mark])
    if let condition = settled.policies.onlyIf?.value {
      let own = raw.fields[.onlyIf]
      if let own {
        check.report([Step(condition.action)], at: [own.value?.object?[.use]?.mark ?? own.mark])
      } else {
        check.reportInherited([Step(condition.action)], by: .onlyIf)
      }
    }
    for (hook, steps) in settled.policies.hooks.sorted(by: { $0.key < $1.key }) {
      let own = raw.hookItems(of: hook)
      // Those of `defaults` come first, if the job adds to them.
      let inherited = steps.prefix(max(0, steps.count - own.count))
      check.report(Array(steps.dropFirst(inherited.count)), at: places(of: own))
      check.reportInherited(Array(inherited), by: hook)
    }
    return reporter.errorCount > errorCount
  }

  /// Only root and the job's user may write the files of a job's environment.
  func checkFileOwners(_ settled: JobDefaults, of raw: RawJob) {
    guard var parties = sources.files.parties else { return }
    parties.jobUser = sources.accounts.otherUser(in: settled.execution.identity)
    for file in settled.environmentFiles {
      let problem = FileTrust.environmentFile.problem(
        ofOwner: file.owner, of: file.path, for: parties)
      guard let problem else { continue }
      reporter.report(
        .unsafePermissions, at: raw.fields[.environmentFile]?.mark ?? raw.nameMark,
        problem.sentence, hint: problem.hint, owner: raw.owner)
    }
  }

  /// Reports a job whose processes takt cannot tell from those of the proxy.
  func warnOfProxyUser(of raw: RawJob, _ settled: JobDefaults) {
    guard let proxyUser, sources.accounts.otherUser(in: settled.execution.identity) == proxyUser
    else { return }
    reporter.report(
      .suspicious, severity: .warning, at: raw.fields[.user]?.mark ?? raw.nameMark,
      "the job runs as the user of '\(Key.proxy)', and so can log in as any user with any right",
      hint: "give the job another '\(JobKey.user)'", owner: raw.owner)
  }

  /// Limits of whole attempts take controllers, which not every system gives to takt.
  func checkGroupLimits(_ settled: JobDefaults, of raw: RawJob) {
    let limits = settled.execution.limits.group
    guard !limits.isEmpty, let problem = sources.groupProblem(limits.controllers) else { return }
    let own = raw.fields[.limits]?.value?.object?.fields.first {
      Self.groupKeys.contains($0.name)
    }
    let names = limits.controllers.map(\.rawValue).sorted().joined(separator: ", ")
    reporter.report(
      .notPermitted, severity: limits.isOptional ? .warning : .error,
      at: own?.mark ?? raw.nameMark,
      "takt cannot limit all processes of job '\(raw.name.shortened)' together (\(names)): "
        + problem,
      hint: limits.isOptional
        ? "the job runs without these limits"
        : "run takt where it may use control groups, or write 'enforce: \(Key.ifPossible)'")
  }

  private static let groupKeys: Set<String> = ["memory_max", "cpu_quota", "tasks_max", "io_weight"]

  /// The effects of a named action on the machine; empty for any other.
  func traits(of action: Action) -> ActionTraits { sources.actions.traits(of: action) }

  private func places(of items: [KeyValue.Located]) -> [YAMLMark?] {
    items.map { $0.value.object?[.use]?.mark }
  }
}

/// Checks the actions of a job against the user who runs it.
private struct RightsCheck {
  let reporter: Reporter
  let actions: ActionTable
  let raw: RawJob
  let key: JobKey
  let whose: String

  init(reporter: Reporter, actions: ActionTable, raw: RawJob, _ identity: UserAndGroup) {
    self.reporter = reporter
    self.actions = actions
    self.raw = raw
    key = identity.user == nil ? .group : .user
    whose = "the \(key) '\((identity.user ?? identity.group ?? "").shortened)'"
  }

  func report(_ steps: [Step], at places: [YAMLMark?]) {
    // With fewer actions than places, a mistake in one of them has been reported.
    guard steps.count == places.count else { return }
    for (step, place) in zip(steps, places) {
      guard let sentence = sentence(on: step.action) else { continue }
      reporter.report(
        .conflictingKeys, at: place ?? raw.nameMark, sentence,
        hint: "use '\(JobKey.run)' instead, or remove '\(key)' from the job", owner: raw.owner)
    }
  }

  func reportInherited(_ steps: [Step], by hook: HookKind) {
    for step in steps {
      guard let sentence = sentence(on: step.action) else { continue }
      reporter.report(
        .conflictingKeys, at: raw.nameMark,
        "'\(hook.rawValue)' of '\(Key.defaults)': \(sentence)",
        hint: "set '\(hook.rawValue)' in the job, to another action or to null", owner: raw.owner)
    }
  }

  private func sentence(on action: Action) -> String? {
    guard case .use(let name, _) = action, actions.traits(of: action).contains(.usesOwnRights)
    else { return nil }
    return "the action '\(name)' would run with takt's own rights, not with those of \(whose)"
  }
}
