import TaktCore

/// Makes parameters of a plugin from its manifest.
struct PluginParameterReader {
  let reporter: Reporter
  /// The absolute folder of the plugin.
  let folder: String

  /// Returns nil for a wrong parameter, which is reported.
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
      if case .node(let node) = field.value {
        schema.defaultValue = bounds.value(node, as: kind, of: schema)
      }
    }
    var parameter = BoundedParameter(schema)
    bounds.setRange(
      of: &parameter, kind, minimum: fields[PluginKey.minimum],
      maximum: fields[PluginKey.maximum])
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
    case "list": return .list(ParameterBoundReader.kind(fields[PluginKey.of]?.value?.text))
    case "map": return .map(ParameterBoundReader.kind(fields[PluginKey.of]?.value?.text))
    default: return ParameterBoundReader.kind(word)
    }
  }

  private var bounds: ParameterBoundReader {
    ParameterBoundReader(reporter: reporter, folder: folder)
  }
}
