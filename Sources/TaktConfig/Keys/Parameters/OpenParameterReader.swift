import TaktCore

/// Reads `params`: the parameters that a job opens to triggers.
struct OpenParameterReader {
  static let types = ["string", "integer", "number", "boolean", "duration", "size", "percent"]

  let reporter: Reporter
  /// Absolute, the base of relative paths.
  let folder: String
  let owner: KeyOwner

  /// Returns nil for a wrong parameter, which is reported.
  ///
  /// - Parameter schemas: the parameters of the action; nil for commands, which accept any as
  ///   variables.
  func parameter(
    _ entry: KeyValue.MapField, of action: Action, among schemas: [ParameterSchema]?
  ) -> BoundedParameter? {
    guard let fields = entry.value?.object else { return nil }
    let errorCount = reporter.errorCount
    guard
      let schema = schemas.map({ own(entry, fields, of: action, $0) }) ?? variable(entry, fields)
    else { return nil }
    var parameter = BoundedParameter(schema)
    let item = if case .list(let item) = schema.kind { item } else { schema.kind }
    bounds.setRange(
      of: &parameter, item, minimum: fields[Key.minimum], maximum: fields[Key.maximum])
    for key in [Key.maxLength, Key.pattern] {
      guard let field = fields[key], item != .string else { continue }
      reporter.report(
        .conflictingKeys, at: field.keyMark, "only a 'string' can have '\(key)'",
        hint: "remove it", owner: owner)
    }
    parameter.lengthMax = fields[Key.maxLength]?.value?.integer
    parameter.pattern = fields[Key.pattern]?.value?.text
    if let choices = fields[Key.choices]?.value?.list {
      parameter.choices = choices.compactMap { choice in
        guard case .node(let node) = choice.value else { return nil }
        return bounds.value(node, as: item, of: schema)
      }
    }
    check(fields[Key.defaultValue], of: &parameter, item, isVariable: schemas == nil)
    return reporter.errorCount == errorCount ? parameter : nil
  }

  /// The default of a command's parameter, as it is in the file; nil for none.
  func defaultText(of entry: KeyValue.MapField) -> String? {
    guard case .node(let node)? = entry.value?.object?[Key.defaultValue]?.value,
      case .scalar(let scalar) = node.content
    else { return nil }
    return scalar.text
  }

  /// A parameter of a built-in or a plugin.
  private func own(
    _ entry: KeyValue.MapField, _ fields: KeyFields, of action: Action,
    _ schemas: [ParameterSchema]
  ) -> ParameterSchema? {
    guard var schema = schemas.first(where: { $0.name == entry.name }) else {
      reporter.report(
        .unknownParameter, at: entry.nameMark,
        "the action '\(action.useName)' has no parameter '\(entry.name.shortened)'",
        hint: NearestName.of(entry.name, among: schemas.lazy.map(\.name)).map {
          "did you mean '\($0)'?"
        })
      return nil
    }
    guard schema.mayBeOpened else {
      reportReach(of: schema, of: action, at: entry.nameMark)
      return nil
    }
    if let field = fields[Key.type], let word = field.value?.text,
      word != BoundedParameter(schema).typeName
    {
      reporter.report(
        .badParameter, at: field.mark,
        "'\(schema.name)' of '\(action.useName)' is of the type "
          + "'\(BoundedParameter(schema).typeName)'",
        hint: "write that, or leave '\(Key.type)' out")
      return nil
    }
    if let text = fields[Key.description]?.value?.text { schema.summary = text }
    schema.defaultValue = action.givenParameters[schema.name]
    return schema
  }

  private func reportReach(of schema: ParameterSchema, of action: Action, at mark: YAMLMark) {
    let subject = "'\(schema.name)' of '\(action.useName)'"
    let message: String
    let hint: String
    switch schema.effectiveReach {
    case nil:
      message = "the plugin does not say what \(subject) reaches, so it cannot be set over TCP"
      hint =
        "if it is neither a path nor a program, address, host, user, header or file, add "
        + "'reaches: nothing' to it in the plugin's manifest"
    case .nothing?:
      message = "\(subject) is a mapping, which a trigger cannot set"
      hint = "remove it"
    case let reach?:
      message = "\(subject) reaches \(reach.phrase), so it cannot be set over TCP"
      hint =
        "write a job for each value; 'takt trigger' on the daemon's machine can set it without "
        + "'\(JobKey.params)'"
    }
    reporter.report(.badParameter, at: mark, message, hint: hint)
  }

  /// A parameter of a command, which receives it as a variable.
  private func variable(_ entry: KeyValue.MapField, _ fields: KeyFields) -> ParameterSchema? {
    let isName =
      !entry.name.isEmpty && entry.name.utf8.count <= 64
      && entry.name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || (48...57).contains(byte) || (65...90).contains(byte)
          || (97...122).contains(byte)
      }
    guard isName else {
      reporter.report(
        .badName, at: entry.nameMark,
        "'\(entry.name.shortened)' cannot be a parameter of a command",
        hint: "use 1 to 64 letters, digits and underscores", owner: owner)
      return nil
    }
    // A wrong type has been reported.
    if let type = fields[Key.type], type.value == nil { return nil }
    return ParameterSchema(
      entry.name, ParameterBoundReader.kind(fields[Key.type]?.value?.text), reaches: .nothing,
      isRequired: false, summary: fields[Key.description]?.value?.text ?? "")
  }

  private var bounds: ParameterBoundReader {
    ParameterBoundReader(reporter: reporter, folder: folder, owner: owner)
  }

  /// Checks a default against the bounds. That of an action's parameter has been read with the
  /// action.
  private func check(
    _ field: KeyFields.Field?, of parameter: inout BoundedParameter,
    _ kind: ParameterSchema.Kind, isVariable: Bool
  ) {
    guard let field, case .node(let node) = field.value else { return }
    if isVariable {
      parameter.schema.defaultValue = bounds.value(node, as: kind, of: parameter.schema)
    }
    guard let value = parameter.schema.defaultValue,
      let problem = ParameterBounds.problems(
        with: [parameter.schema.name: value], of: [parameter]
      ).first
    else { return }
    reporter.report(.badParameter, at: field.mark, problem.message, owner: owner)
  }
}

extension Action {
  fileprivate var useName: String {
    switch self {
    case .use(let name, _): name
    case .plugin(let manifest, _): manifest.name
    case .shell, .argv, .steps: ""
    }
  }

  fileprivate var givenParameters: Parameters {
    switch self {
    case .use(_, let parameters), .plugin(_, let parameters): parameters
    case .shell, .argv, .steps: [:]
    }
  }
}
