/// A parameter with bounds that schemas do not have: one of a plugin, or one that a job opens to
/// triggers.
package struct BoundedParameter: Hashable, Sendable {
  package var schema: ParameterSchema
  /// The least value of a duration in seconds, of a size in bytes, of a percentage; nil for any.
  package var minimum: Double?
  /// The greatest value, as `minimum`.
  package var maximum: Double?
  /// A POSIX extended regular expression that all of a text must match; nil for any.
  package var pattern: String?
  /// In characters; nil for any.
  package var lengthMax: Int?
  /// The only values; nil for any.
  package var choices: [ParameterValue]?

  /// The variable in which a process finds the parameter.
  package static func variable(of name: String) -> String {
    "TAKT_PARAM_"
      + String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  package init(_ schema: ParameterSchema) { self.schema = schema }
}

extension BoundedParameter {
  private var kind: ParameterSchema.Kind {
    if case .list(let item) = schema.kind { item } else { schema.kind }
  }

  /// The word for its type in a jobs file; of a list that of its items.
  package var typeName: String {
    if case .choice = kind { "string" } else { kind.word }
  }

  /// Its only values as a jobs file writes them; nil for any.
  package var choiceTexts: [String]? {
    if let choices { return choices.map { $0.shown(as: kind) } }
    return if case .choice(let words) = kind { words } else { nil }
  }

  package var minimumText: String? { minimum.map { ParameterBounds.text($0, of: kind) } }

  package var maximumText: String? { maximum.map { ParameterBounds.text($0, of: kind) } }

  /// Its type and bounds for people: `integer, 1 to 30`.
  package var phrase: String {
    var parts = [choiceTexts?.joined(separator: " | ") ?? typeName]
    switch (minimumText, maximumText) {
    case (let least?, let most?): parts.append("\(least) to \(most)")
    case (let least?, nil): parts.append("at least \(least)")
    case (nil, let most?): parts.append("at most \(most)")
    case (nil, nil): break
    }
    if let lengthMax { parts.append("up to \(lengthMax) characters") }
    if let pattern { parts.append("matching \(pattern)") }
    return parts.joined(separator: ", ")
  }
}
