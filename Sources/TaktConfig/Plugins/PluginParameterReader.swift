import TaktCore

/// Makes parameters of a plugin of what its manifest says of them.
struct PluginParameterReader {
  let reporter: Reporter
  /// The absolute folder of the plugin.
  let folder: String

  /// One parameter; nil when something is wrong with it, which is then reported.
  func parameter(_ entry: KeyValue.MapField) -> BoundedParameter? {
    guard let fields = entry.value?.object else { return nil }
    guard let type = fields[PluginKey.type] else {
      reporter.report(
        .missingKey, at: entry.nameMark, "the parameter '\(entry.name.shortened)' has no 'type'",
        hint: "add one of \(KeyTable.pluginTypes.joined(separator: ", "))")
      return nil
    }
    guard let word = type.value?.text, let kind = kind(word, fields, entry) else { return nil }
    let isRequired = fields[PluginKey.required]?.value?.boolean ?? false
    var schema = ParameterSchema(
      entry.name, kind, reaches: fields[PluginKey.reaches]?.value?.choice(), isRequired: isRequired,
      isSecret: fields[PluginKey.secret]?.value?.boolean ?? false,
      summary: fields[PluginKey.summary]?.value?.text ?? "")
    if let field = fields[PluginKey.defaultValue] {
      if isRequired {
        reporter.report(
          .conflictingKeys, at: field.keyMark, "a required parameter cannot have a default",
          hint: "remove 'default' or 'required'")
      }
      schema.defaultValue = value(field, schema)
    }
    var parameter = BoundedParameter(schema)
    parameter.minimum = bound(fields[PluginKey.minimum], schema)
    parameter.maximum = bound(fields[PluginKey.maximum], schema)
    if let minimum = parameter.minimum, let maximum = parameter.maximum, minimum > maximum {
      reporter.report(
        .outOfRange, at: fields[PluginKey.maximum]?.mark ?? entry.mark,
        "'maximum' is less than 'minimum'")
    }
    if let pattern = fields[PluginKey.pattern] {
      if kind == .string {
        parameter.pattern = pattern.value?.text
      } else {
        reporter.report(
          .conflictingKeys, at: pattern.keyMark, "only a 'string' can have a 'pattern'",
          hint: "remove it")
      }
    }
    for problem in ParameterBounds.problems(
      with: [entry.name: schema.defaultValue].compactMapValues(\.self), of: [parameter])
    {
      reporter.report(
        .badValue, at: fields[PluginKey.defaultValue]?.mark ?? entry.mark, problem.message)
    }
    return parameter
  }

  private func kind(
    _ word: String, _ fields: KeyFields, _ entry: KeyValue.MapField
  ) -> ParameterSchema.Kind? {
    if word != "list", word != "map", let of = fields[PluginKey.of] {
      reporter.report(
        .conflictingKeys, at: of.keyMark, "only a 'list' or a 'map' can have 'of'",
        hint: "remove it")
    }
    if word != "enum", let values = fields[PluginKey.values] {
      reporter.report(
        .conflictingKeys, at: values.keyMark, "only an 'enum' can have 'values'", hint: "remove it")
    }
    switch word {
    case "enum":
      if let values = fields[PluginKey.values] {
        return values.value?.list.map { .choice($0.compactMap(\.value.text)) }
      }
      reporter.report(
        .missingKey, at: entry.nameMark, "the enum '\(entry.name.shortened)' has no 'values'",
        hint: "add the list of its values")
      return nil
    case "list": return .list(Self.plain(fields[PluginKey.of]?.value?.text ?? "string"))
    case "map": return .map(Self.plain(fields[PluginKey.of]?.value?.text ?? "string"))
    default: return Self.plain(word)
    }
  }

  private static func plain(_ word: String) -> ParameterSchema.Kind {
    switch word {
    case "integer": .integer(Int.min...Int.max)
    case "number": .number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
    case "boolean": .boolean
    case "duration": .duration(least: .zero)
    case "size": .size
    case "percent": .percent
    case "path": .path
    default: .string
    }
  }

  private func value(_ field: KeyFields.Field, _ schema: ParameterSchema) -> ParameterValue? {
    guard case .node(let node) = field.value else { return nil }
    return ParameterReader(reporter: reporter, folder: folder, isOfHook: true, secrets: nil)
      .value(node, as: schema, owner: KeyOwner(part: .file))
  }

  private func bound(_ field: KeyFields.Field?, _ schema: ParameterSchema) -> Double? {
    guard let field else { return nil }
    switch schema.kind {
    case .integer, .number, .duration, .size, .percent:
      return value(field, schema).flatMap(ParameterBounds.measure)
    case .string, .url, .choice, .path, .boolean, .list, .map:
      reporter.report(
        .conflictingKeys, at: field.keyMark, "a parameter of this type cannot have '\(field.name)'",
        hint: "remove it")
      return nil
    }
  }
}
