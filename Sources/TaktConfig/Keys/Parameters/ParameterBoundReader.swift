import TaktCore

/// Reads the type and the bounds of a parameter, in a plugin's manifest and under a job's `params`.
struct ParameterBoundReader {
  let reporter: Reporter
  /// Absolute, the base of relative paths.
  let folder: String
  /// The owner of the parameter; nil for a manifest.
  var owner: KeyOwner?

  /// The type for a name; a string by default.
  static func kind(_ word: String?) -> ParameterSchema.Kind {
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

  /// Returns nil for a wrong value, which is reported.
  func value(
    _ node: YAMLNode, as kind: ParameterSchema.Kind, of schema: ParameterSchema
  ) -> ParameterValue? {
    var item = schema
    item.kind = kind
    return ParameterReader(reporter: reporter, folder: folder, isOfHook: true, secrets: nil)
      .value(node, as: item, owner: owner ?? KeyOwner(part: .file))
  }

  /// Sets the bounds of a parameter, or of the items of a list.
  func setRange(
    of parameter: inout BoundedParameter, _ kind: ParameterSchema.Kind,
    minimum: KeyFields.Field?, maximum: KeyFields.Field?
  ) {
    parameter.minimum = bound(minimum, kind, parameter.schema)
    parameter.maximum = bound(maximum, kind, parameter.schema)
    guard let least = parameter.minimum, let most = parameter.maximum, let maximum, least > most
    else { return }
    reporter.report(
      .outOfRange, at: maximum.mark, "'\(maximum.name)' is less than '\(minimum?.name ?? "")'",
      owner: owner)
  }

  private func bound(
    _ field: KeyFields.Field?, _ kind: ParameterSchema.Kind, _ schema: ParameterSchema
  ) -> Double? {
    guard let field else { return nil }
    switch kind {
    case .integer, .number, .duration, .size, .percent:
      guard case .node(let node) = field.value else { return nil }
      return value(node, as: kind, of: schema).flatMap(ParameterBounds.measure)
    case .string, .url, .choice, .path, .boolean, .list, .map:
      reporter.report(
        .conflictingKeys, at: field.keyMark,
        "a parameter of this type cannot have '\(field.name)'", hint: "remove it", owner: owner)
      return nil
    }
  }
}
