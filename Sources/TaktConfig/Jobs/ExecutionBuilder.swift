import TaktCore

/// Applies the keys that may stand in a job and in `defaults` alike.
struct ExecutionBuilder {
  let reporter: Reporter
  let sources: LoadSources
  /// What `null` goes back to.
  let builtIn: JobDefaults
  /// The names of the concurrency groups that the main file declares.
  let groups: [String]
  /// Whose keys are applied.
  let owner: KeyOwner
  /// The names of the job's secrets; nil in `defaults`, where they are not known yet.
  let secretNames: [String]?

  /// The folder of the file, which paths are seen from.
  var folder: String { builtIn.execution.directory }

  /// Puts what `fields` say over `settled`.
  func apply(_ fields: KeyFields, to settled: inout JobDefaults) {
    // First, because a null in `env` may take away what it gives.
    if let files = fields[Key.environmentFile], let value = files.value {
      settled.fileVariables = fileVariables(value)
      settled.environmentFiles = (value.list ?? []).compactMap { item in
        item.value.text.map(path).flatMap { path in
          sources.environmentFiles.owner(of: path).map { (path, $0) }
        }
      }
    }
    for field in fields.fields {
      guard let value = field.value else { continue }
      if let hook = HookKind(rawValue: field.name) {
        settled.hooks[hook] = hookActions(value, of: field.name)
      } else if !applyJob(field, value, to: &settled) {
        applyExecution(field, value, to: &settled.execution)
      }
    }
  }

  /// Keys of the job itself; false for any other.
  private func applyJob(
    _ field: KeyFields.Field, _ value: KeyValue, to settled: inout JobDefaults
  ) -> Bool {
    switch field.name {
    case Key.leeway: settled.leeway = leeway(value)
    case Key.spread: settled.spread = spread(value, at: field.mark)
    case Key.jitter: settled.jitter = value.duration ?? builtIn.jitter
    case Key.except: settled.exceptions = exceptions(value)
    case Key.overlap: settled.overlap = choice(value) ?? builtIn.overlap
    case Key.enabled: settled.isEnabled = value.boolean ?? builtIn.isEnabled
    case Key.concurrency: settled.concurrencyGroup = group(value, at: field.mark)
    case Key.lateTolerance: settled.lateTolerance = value.duration ?? builtIn.lateTolerance
    case Key.expected: settled.expectedDuration = value.duration
    case Key.timezone:
      settled.zone = value.text.flatMap { sources.zones.zone(named: $0, at: field.mark, reporter) }
    case Key.days: settled.days = choice(value) ?? builtIn.days
    case Key.dst: applyClockChanges(value, to: &settled)
    case Key.delivery: settled.delivery = choice(value) ?? builtIn.delivery
    case Key.missed: apply(value, to: &settled.missed)
    case Key.onRemoved: settled.removal = choice(value) ?? builtIn.removal
    case Key.environment: apply(value, to: &settled)
    case Key.tags: settled.tags = Set(texts(value)).sorted()
    default: return false
    }
    return true
  }

  private func applyExecution(
    _ field: KeyFields.Field, _ value: KeyValue, to execution: inout Execution
  ) {
    switch field.name {
    case Key.qos: execution.qos = choice(value) ?? builtIn.execution.qos
    case Key.timeout: execution.timeout = value.duration
    case Key.shell: execution.shell = shell(value, of: field.name)
    case Key.directory: execution.directory = value.text.map(path) ?? folder
    case Key.inheritance: execution.inheritance = inheritance(value)
    case Key.secrets: execution.secrets = secrets(value)
    case Key.user:
      execution.identity.user = value.text
      value.text.map { sources.accounts.checkUser($0, at: field.mark, reporter: reporter) }
    case Key.group:
      execution.identity.group = value.text
      value.text.map { sources.accounts.checkGroup($0, at: field.mark, reporter: reporter) }
    case Key.umask: execution.umask = value.integer.map { UInt16($0) }
    case Key.stdin: execution.stdin = value.text
    case Key.limits: apply(value, to: &execution.limits)
    case Key.kill: apply(value, to: &execution.stop)
    case Key.retry: apply(value, to: &execution.retry)
    case Key.output: apply(value, at: field.mark, to: &execution.output)
    case Key.success: execution.success.exitStatuses = exitStatuses(value)
    case Key.failsWhen: applyFailures(value, to: &execution.success)
    default: break
    }
  }

  // MARK: Single values

  func choice<Choice: RawRepresentable<String>>(_ value: KeyValue) -> Choice? {
    value.text.flatMap(Choice.init)
  }

  func texts(_ value: KeyValue) -> [String] { value.list?.compactMap(\.value.text) ?? [] }

  func path(_ text: String) -> String { FilePath.absolute(FilePath.join(folder, text)) }

  private func leeway(_ value: KeyValue) -> Leeway {
    switch value {
    case .percent(let percent): .percent(percent)
    case .duration(let duration): .duration(duration)
    default: builtIn.leeway
    }
  }

  private func shell(_ value: KeyValue, of key: String) -> [String] {
    switch value {
    case .text(let program): [program, "-c"]
    case .list(let items): reporter.arguments(items, of: key) ?? []
    default: builtIn.execution.shell
    }
  }

  private func inheritance(_ value: KeyValue) -> EnvironmentInheritance {
    switch value {
    case .boolean(let inherits): inherits ? .all : .none
    case .list: .only(Set(texts(value)).sorted())
    default: builtIn.execution.inheritance
    }
  }

  private func group(_ value: KeyValue, at mark: YAMLMark) -> String? {
    guard let name = value.text else { return nil }
    if groups.contains(name) { return name }
    reporter.report(
      .unknownGroup, at: mark, "there is no concurrency group '\(name.shortened)'",
      hint: NearestName.of(name, among: groups).map { "did you mean '\($0)'?" }
        ?? "declare it under '\(Key.scheduler)': {\(Key.concurrency): {\(name.shortened): 1}}")
    return nil
  }

  private func fileVariables(_ value: KeyValue) -> [String: String] {
    var variables: [String: String] = [:]
    for item in value.list ?? [] {
      guard let text = item.value.text else { continue }
      let shown = FilePath.join(FilePath.folder(of: reporter.source.file), text)
      let found = sources.environmentFiles.variables(
        of: path(text), shown: shown, at: item.mark, reporter: reporter)
      variables.merge(found) { _, later in later }
    }
    return variables
  }

  private func exitStatuses(_ value: KeyValue) -> Set<Int32> {
    let items = value.object?[Key.exit]?.value?.list ?? []
    let statuses = items.compactMap { $0.value.integer.map(Int32.init) }
    return statuses.isEmpty ? builtIn.execution.success.exitStatuses : Set(statuses)
  }

  private func hookActions(_ value: KeyValue, of key: String) -> [Step]? {
    guard let items = value.list else { return nil }
    let builder = ActionBuilder(
      reporter: reporter, actions: sources.actions, folder: folder, isOfHook: true,
      secrets: secretNames)
    return builder.steps(of: items, owner: KeyOwner(owner, key))
  }
}

extension Reporter {
  /// A program and its arguments; nil when the program's name is empty, which is then reported.
  func arguments(_ items: [KeyValue.Located], of key: String) -> [String]? {
    let texts = items.compactMap(\.value.text)
    if let program = texts.first, !program.isEmpty { return texts }
    report(
      .badValue, at: items.first?.mark ?? .wholeFile, "the first item of '\(key)' is empty",
      hint: "name a program")
    return nil
  }
}
