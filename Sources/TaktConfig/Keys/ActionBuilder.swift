import TaktCore

/// Makes actions from `run`, or from `use` and `with`: in a job, in a step and in a hook.
struct ActionBuilder {
  let reporter: Reporter
  let actions: ActionTable
  /// Absolute, the base of relative paths.
  let folder: String
  var isOfHook = false
  /// The names of the job's secrets; nil in `defaults`, where they are not known yet.
  let secrets: [String]?

  /// The action of one mapping; nil if it is missing or wrong, which is reported unless an unknown
  /// key may be the cause.
  func action(of fields: KeyFields, owner: KeyOwner) -> Action? {
    let (run, use) = (fields[.run], fields[.use])
    let with = fields[.with]
    if let run, let use {
      reporter.reportConflict([run, use], owner: owner)
      return nil
    }
    if let with, use == nil, !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: with.keyMark, "'\(JobKey.with)' needs '\(JobKey.use)'",
        hint: "add it, or remove '\(JobKey.with)'", owner: owner)
    }
    return run.flatMap(command)
      ?? use.flatMap { named($0, with: with, params: fields[.params], owner: owner) }
  }

  /// - Parameter hook: the hook of the actions; nil for steps.
  func steps(of items: [KeyValue.Located], in hook: HookKind? = nil, owner: KeyOwner) -> [Step] {
    items.compactMap { item in
      guard let fields = item.value.object else { return nil }
      if fields[.run] == nil, fields[.use] == nil, !fields.hasUnknownKeys {
        reporter.report(
          .missingKey, at: item.mark, "no action",
          hint: "add '\(JobKey.run)' or '\(JobKey.use)'", owner: owner)
      }
      let continues = fields[Key.continues]?.value
      return action(of: fields, owner: owner).map {
        Step(
          $0, continues: continues?.boolean ?? false,
          isFailureIgnored: continues?.text == Key.ignore,
          rule: hook.map { rule(of: fields, in: $0, owner: owner) } ?? HookRule())
      }
    }
  }

  /// The rule that decides when an action of a hook is called.
  private func rule(of fields: KeyFields, in hook: HookKind, owner: KeyOwner) -> HookRule {
    var rule = HookRule(interval: fields[Key.repeats]?.value?.duration)
    guard let field = fields[Key.when], let when = field.value?.text.flatMap(HookRule.When.init)
    else { return rule }
    rule.when = when
    if !when.hooks.contains(hook) {
      reporter.report(
        .conflictingKeys, at: field.mark,
        "'\(Key.when): \(when.text)' has no meaning in '\(hook.rawValue)'",
        hint: "use it in \(when.hooks.map { "'\($0.rawValue)'" }.joined(separator: " or "))",
        owner: owner)
    }
    return rule
  }

  /// The action for `ping` of a job: `use: ping` with a URL, or with more parameters.
  func ping(_ value: KeyValue, at field: KeyFields.Field, owner: KeyOwner) -> Action? {
    let given: [KeyValue.MapField]
    if let text = value.text {
      let scalar = YAMLScalar(text: text, isPlain: false)
      let node = YAMLNode(mark: field.mark, content: .scalar(scalar))
      given = [
        KeyValue.MapField(name: "url", nameMark: field.mark, value: .node(node), mark: field.mark)
      ]
    } else {
      given = value.map ?? []
    }
    return named("ping", at: field.mark, given: given, givenAt: field.keyMark, owner: owner)
  }

  private func command(_ field: KeyFields.Field) -> Action? {
    switch field.value {
    case .text(let text): return .shell(text)
    case .list(let items):
      return reporter.arguments(items, of: field.name).map { .argv($0) }
    default: return nil
    }
  }

  private func named(
    _ use: KeyFields.Field, with: KeyFields.Field?, params: KeyFields.Field?, owner: KeyOwner
  ) -> Action? {
    guard let name = use.value?.text else { return nil }
    var manifest: PluginManifest?
    if actions.isPlugin(name) {
      // A wrong manifest has been reported in its own file.
      guard let plugin = actions.plugin(named: name) else { return nil }
      manifest = plugin
      if plugin.kind == .notifier, !isOfHook {
        reporter.report(
          .unknownAction, at: use.mark, "the plugin '\(name)' is a notifier",
          hint: "use it in a hook such as '\(HookKind.onFailure.rawValue)'", owner: owner)
        return nil
      }
    }
    guard let schemas = actions.parameters(of: name) else {
      reporter.report(
        .unknownAction, at: use.mark, "there is no built-in or plugin '\(name.shortened)'",
        hint: actions.hint(for: name))
      return nil
    }
    // A `with` that is wrong as a whole has been reported.
    if with != nil, with?.value == nil {
      return manifest.map { .plugin($0, [:]) } ?? .use(name, [:])
    }
    let given = with?.value?.map ?? []
    return named(
      name, at: use.mark, given: given + defaults(of: params, besides: given, owner: owner),
      givenAt: with?.keyMark, schemas, manifest, owner: owner)
  }

  /// The defaults of `params` as values under `with`.
  private func defaults(
    of params: KeyFields.Field?, besides given: [KeyValue.MapField], owner: KeyOwner
  ) -> [KeyValue.MapField] {
    (params?.value?.map ?? []).compactMap { param in
      guard let field = param.value?.object?[Key.defaultValue], let value = field.value else {
        return nil
      }
      if given.contains(where: { $0.name == param.name }) {
        reporter.report(
          .conflictingKeys, at: field.keyMark,
          "'\(param.name.shortened)' has a value under both '\(JobKey.with)' and '\(JobKey.params)'",
          hint: "remove one of them", owner: owner)
        return nil
      }
      return KeyValue.MapField(
        name: param.name, nameMark: param.nameMark, value: value, mark: field.mark)
    }
  }

  private func named(
    _ name: String, at mark: YAMLMark, given: [KeyValue.MapField], givenAt: YAMLMark?,
    _ schemas: [ParameterSchema]? = nil, _ manifest: PluginManifest? = nil, owner: KeyOwner
  ) -> Action? {
    guard let schemas = schemas ?? actions.parameters(of: name) else { return nil }
    let errorCount = reporter.errorCount
    let reader = ParameterReader(
      reporter: reporter, folder: folder, isOfHook: isOfHook, secrets: secrets)
    var parameters: Parameters = [:]
    for field in given {
      guard let schema = schemas.first(where: { $0.name == field.name }) else {
        reporter.report(
          .unknownParameter, at: field.nameMark,
          "the action '\(name)' has no parameter '\(field.name.shortened)'",
          hint: NearestName.of(field.name, among: schemas.lazy.map(\.name)).map {
            "did you mean '\($0)'?"
          })
        // It may be a misspelled password.
        reporter.hideLine(of: field.nameMark)
        continue
      }
      guard case .node(let node) = field.value else { continue }
      parameters[schema.name] =
        schema.isSecret
        ? reporter.concealing(.parameter(schema.name)) {
          reader.value(node, as: schema, owner: owner)
        } : reader.value(node, as: schema, owner: owner)
    }
    let own = parameters
    for schema in schemas where !given.contains(where: { $0.name == schema.name }) {
      if let value = schema.defaultValue { parameters[schema.name] = value }
      if schema.isRequired {
        reporter.report(
          .missingParameter, at: givenAt ?? mark,
          "the action '\(name)' needs the parameter '\(schema.name)'",
          hint: "add it under '\(JobKey.with)'")
      }
    }
    if reporter.errorCount == errorCount {
      for problem in actions.problems(of: name, in: own) {
        let field = given.first { $0.name == problem.parameter }
        reporter.report(
          problem.isDoubt ? .suspicious : .badParameter,
          severity: problem.isDoubt ? .warning : .error, at: field?.mark ?? givenAt ?? mark,
          "the action '\(name)': \(problem.message)")
      }
    }
    return manifest.map { .plugin($0, parameters) } ?? .use(name, parameters)
  }
}

extension Reporter {
  /// Reports keys that exclude each other, at the last of them.
  func reportConflict(_ fields: [KeyFields.Field], owner: KeyOwner) {
    let names = fields.map { "'\($0.name)'" }.joined(separator: " and ")
    report(
      .conflictingKeys, at: fields.map(\.keyMark).max() ?? .wholeFile,
      "\(names) cannot be combined", hint: "remove one of them", owner: owner)
  }
}
