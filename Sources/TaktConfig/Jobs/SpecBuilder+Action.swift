import TaktCore

extension SpecBuilder {
  /// The action of the job; nil if it is missing or wrong.
  func action(of raw: RawJob) -> Action? {
    let builder = ActionBuilder(
      reporter: reporter, actions: sources.actions, folder: folder,
      secrets: secretNames(of: raw))
    if let steps = raw.fields[.steps] {
      let others = [JobKey.run, JobKey.use].compactMap { raw.fields[$0] }
      for other in others { reporter.reportConflict([other, steps], owner: raw.owner) }
      if !others.isEmpty { return nil }
      let owner = KeyOwner(part: raw.owner.part, key: JobKey.steps.name)
      _ = builder.action(of: raw.fields, owner: raw.owner)
      return steps.value?.list.map { .steps(builder.steps(of: $0, owner: owner)) }
    }
    if !raw.fields.has(.run), !raw.fields.has(.use), !raw.fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: raw.nameMark, "no action",
        hint: "add '\(JobKey.run)', '\(JobKey.use)' or '\(JobKey.steps)'", owner: raw.owner)
    }
    return builder.action(of: raw.fields, owner: raw.owner)
  }

  /// Reports keys of the job that nothing in it uses.
  func checkUses(of raw: RawJob, action: Action?, settled: JobDefaults) {
    checkRetry(settled, action, of: raw)
    guard let action else { return }
    let hasForeignRights = checkRights(of: action, settled, of: raw)
    // A text for a shell uses every key of a command, and so does a list, except for those of a
    // shell.
    if !action.isForShell, !action.isList || raw.fields.has(.shell) || raw.fields.has(.direct) {
      let all = action.steps.map(\.action) + settled.policies.besides.map(\.action)
      checkShell(beside: all, of: raw)
      warnOfIdleKeys(beside: all, of: raw, except: hasForeignRights ? [.user, .group] : [])
    }
    checkInheritedHooks(settled, of: raw)
  }

  /// A shell that the job itself sets but never uses is a mistake; one from `defaults` is not.
  private func checkShell(beside actions: [Action], of raw: RawJob) {
    guard !actions.contains(where: \.isForShell) else { return }
    for key in [JobKey.shell, .direct] {
      guard let field = raw.fields[key], field.value?.isNull == false else { continue }
      reporter.report(
        .conflictingKeys, at: field.keyMark,
        "'\(key)' has no effect, because no '\(JobKey.run)' is a shell command",
        hint: "remove it",
        owner: raw.owner)
    }
  }

  /// A built-in starts no process, so keys that describe one get a warning.
  private func warnOfIdleKeys(beside actions: [Action], of raw: RawJob, except reported: [JobKey]) {
    let names = actions.compactMap { if case .use(let name, _) = $0 { name } else { nil } }
    guard names.count == actions.count, let name = names.first else { return }
    let subject =
      Set(names).count == 1 ? "the built-in '\(name)'" : "built-ins; the job runs no command"
    let hasStatus = actions.contains { traits(of: $0).contains(.hasExitStatus) }
    for field in raw.fields.fields where field.entry.isOfProcesses && field.value?.isNull == false {
      if let key = field.entry.key, reported.contains(key) { continue }
      if hasStatus, [.success, .failsWhen].contains(field.entry.key) { continue }
      reporter.report(
        .conflictingKeys, severity: .warning, at: field.keyMark,
        "'\(field.name)' has no effect on \(subject)", hint: "remove it", owner: raw.owner)
    }
    // The grace applies to built-ins, too, and KILL means none; another signal is for commands.
    guard let kill = raw.fields[.kill]?.value?.object,
      !actions.contains(where: { traits(of: $0).contains(.isCommand) })
    else { return }
    for field in kill.fields where field.entry.isOfProcesses {
      guard let word = field.value?.text, word != StopSignal.kill.rawValue else { continue }
      reporter.report(
        .conflictingKeys, severity: .warning, at: field.keyMark,
        "'\(field.name)' has no effect on \(subject)", hint: "remove it",
        owner: KeyOwner(raw.owner, .kill))
    }
  }

  /// A hook of `defaults` may refer to a secret that some jobs lack.
  private func checkInheritedHooks(_ settled: JobDefaults, of raw: RawJob) {
    let common = defaults.policies
    if common.hooks.isEmpty, common.pings.isEmpty, common.onlyIf == nil { return }
    var inherited = HookKind.allCases.filter { raw.inherits($0.key) }.map {
      ($0.rawValue, defaults.policies.hooks[$0] ?? [])
    }
    if !raw.fields.has(.onlyIf), let condition = defaults.policies.onlyIf?.value {
      inherited.append((JobKey.onlyIf.name, [Step(condition.action)]))
    }
    if !raw.fields.has(.ping) { inherited.append((JobKey.ping.name, defaults.policies.pings)) }
    for (hook, steps) in inherited where !steps.isEmpty {
      let named = steps.flatMap { step -> [String] in
        guard let parameters = step.action.parameters else { return [] }
        return parameters.values.flatMap(Placeholders.secrets)
      }
      for name in Set(named).sorted() where settled.execution.secrets[name] == nil {
        reporter.report(
          .badPlaceholder, at: raw.nameMark,
          "'\(hook)' of '\(Key.defaults)' refers to the secret '\(name.shortened)', which "
            + "the job '\(raw.name.shortened)' does not have",
          hint: "add it to '\(JobKey.secrets)', or set '\(hook)' in the job")
      }
    }
  }
}

extension Action {
  fileprivate var parameters: Parameters? {
    switch self {
    case .use(_, let parameters), .plugin(_, let parameters): parameters
    case .shell, .argv, .steps: nil
    }
  }

  fileprivate var isForShell: Bool { if case .shell = self { true } else { false } }

  fileprivate var isList: Bool { if case .argv = self { true } else { false } }
}
