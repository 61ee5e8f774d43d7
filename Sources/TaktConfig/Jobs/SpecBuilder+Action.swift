import TaktCore

extension SpecBuilder {
  /// What a run of the job does; nil when that is missing or wrong.
  func action(of raw: RawJob) -> Action? {
    let (run, use) = (raw.fields[Key.run], raw.fields[Key.use])
    let with = raw.fields[Key.with]
    if let run, let use {
      reporter.report(
        .conflictingKeys, at: max(run.keyMark, use.keyMark),
        "'\(Key.run)' and '\(Key.use)' cannot stand together", hint: "remove one of them",
        owner: raw.owner)
      return nil
    }
    if let with, use == nil, !raw.fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: with.keyMark, "'\(Key.with)' needs '\(Key.use)' beside it",
        hint: "add it, or remove '\(Key.with)'", owner: raw.owner)
    }
    let action = run.flatMap(command) ?? use.flatMap { named($0, with: with) }
    if run == nil, use == nil, !raw.fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: raw.nameMark, "the job does nothing",
        hint: "add '\(Key.run)' or '\(Key.use)'", owner: raw.owner)
    }
    checkShell(beside: action, of: raw)
    warnOfIdleKeys(beside: action, of: raw)
    return action
  }

  private func command(_ field: KeyFields.Field) -> Action? {
    switch field.value {
    case .text(let text): return .shell(text)
    case .list(let items):
      return reporter.arguments(items, of: field.name).map { .argv($0) }
    default: return nil
    }
  }

  /// A shell that the job itself names and never calls is a mistake; one from `defaults` is not.
  private func checkShell(beside action: Action?, of raw: RawJob) {
    guard let shell = raw.fields[Key.shell], shell.value?.isNull == false, let action else {
      return
    }
    if case .shell = action { return }
    reporter.report(
      .conflictingKeys, at: shell.keyMark,
      "'\(Key.shell)' has no use without a '\(Key.run)' that is a text", hint: "remove it",
      owner: raw.owner)
  }

  /// A built-in starts no process: what describes one is heard of, not passed over in silence.
  private func warnOfIdleKeys(beside action: Action?, of raw: RawJob) {
    guard case .use(let name, _) = action else { return }
    for key in [Key.environment, Key.directory, Key.kill] {
      guard let field = raw.fields[key], field.value?.isNull == false else { continue }
      reporter.report(
        .conflictingKeys, severity: .warning, at: field.keyMark,
        "'\(key)' has no effect on the built-in '\(name)'", hint: "remove it", owner: raw.owner)
    }
  }

  private func named(_ use: KeyFields.Field, with: KeyFields.Field?) -> Action? {
    guard let name = use.value?.text else { return nil }
    guard let schemas = actions.parameters(of: name) else {
      reporter.report(
        .unknownAction, at: use.mark, "there is no action '\(name.shortened)'",
        hint: NearestName.of(name, among: actions.names).map { "did you mean '\($0)'?" })
      return nil
    }
    let given = with?.value?.map ?? []
    var parameters: Parameters = [:]
    for field in given {
      guard let schema = schemas.first(where: { $0.name == field.name }) else {
        reporter.report(
          .unknownParameter, at: field.nameMark,
          "the action '\(name)' has no parameter '\(field.name.shortened)'",
          hint: NearestName.of(field.name, among: schemas.lazy.map(\.name)).map {
            "did you mean '\($0)'?"
          })
        continue
      }
      parameters[schema.name] = value(of: field, as: schema)
    }
    for schema in schemas where !given.contains(where: { $0.name == schema.name }) {
      parameters[schema.name] = schema.defaultValue
      // A `with` that is wrong as a whole has been reported.
      if schema.isRequired, with == nil || with?.value != nil {
        reporter.report(
          .missingParameter, at: with?.keyMark ?? use.mark,
          "the action '\(name)' needs the parameter '\(schema.name)'",
          hint: "add it under '\(Key.with)'")
      }
    }
    return .use(name, parameters)
  }

  private func value(
    of field: KeyValue.MapField, as schema: ParameterSchema
  ) -> ParameterValue? {
    guard let text = field.value?.text else { return nil }
    switch schema.kind {
    case .string, .path, .integer, .number, .boolean, .duration, .size, .percent, .list, .map:
      return .string(text)
    case .choice(let words):
      if words.contains(text) { return .string(text) }
      reporter.report(
        .badParameter, at: field.mark,
        "'\(schema.name)' must be \(KeyType.choice(words).phrase), not '\(text.shortened)'",
        hint: NearestName.of(text, among: words).map { "did you mean '\($0)'?" })
      return nil
    }
  }
}
