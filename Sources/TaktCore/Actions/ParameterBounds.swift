import Glibc
import TaktTime

/// Checks values against the bounds that a manifest, or a job, sets in addition to their types.
package enum ParameterBounds {
  /// Values out of bounds. A text of a file with placeholders is not checked, since its value is
  /// not known yet.
  ///
  /// - Parameter isLiteral: true if texts count as they are, as those of a trigger do.
  package static func problems(
    with values: Parameters, of parameters: [BoundedParameter], isLiteral: Bool = false
  ) -> [ParameterProblem] {
    parameters.compactMap { parameter in
      guard let value = values[parameter.schema.name] else { return nil }
      let items = if case .list(let items) = value { items } else { [value] }
      return items.lazy.compactMap { problem(with: $0, parameter, isLiteral) }.first
    }
  }

  private static func problem(
    with value: ParameterValue, _ parameter: BoundedParameter, _ isLiteral: Bool
  ) -> ParameterProblem? {
    let schema = parameter.schema
    let name = schema.name
    if let number = measure(value) {
      if let least = parameter.minimum, number < least {
        return ParameterProblem(
          name, "'\(name)' must be at least \(text(least, of: schema.kind))")
      }
      if let most = parameter.maximum, number > most {
        return ParameterProblem(name, "'\(name)' must be at most \(text(most, of: schema.kind))")
      }
    }
    if case .string(let text) = value, !isLiteral, text.contains("{{") { return nil }
    if let choices = parameter.choices, !choices.contains(value) {
      let words = choices.map { $0.shown(as: schema.kind) }.joined(separator: ", ")
      return ParameterProblem(name, "'\(name)' must be one of \(words)")
    }
    guard case .string(let text) = value else { return nil }
    if let most = parameter.lengthMax, text.unicodeScalars.count > most {
      return ParameterProblem(name, "'\(name)' must have at most \(most) characters")
    }
    if let pattern = parameter.pattern, !matches(text, pattern) {
      return ParameterProblem(name, "'\(name)' must match \(pattern)")
    }
    return nil
  }

  /// The number that bounds are compared with; nil for a value without one.
  package static func measure(_ value: ParameterValue) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .duration(let duration): duration / .seconds(1)
    case .string, .boolean, .list, .map: nil
    }
  }

  static func text(_ bound: Double, of kind: ParameterSchema.Kind) -> String {
    switch kind {
    case .duration: DurationText.format(.milliseconds(Int64(bound * 1000)))
    case .size: number(bound) + "B"
    case .percent: number(bound) + "%"
    case .list(let item): text(bound, of: item)
    case .string, .url, .choice, .path, .integer, .number, .boolean, .map: number(bound)
    }
  }

  private static func number(_ bound: Double) -> String {
    bound == bound.rounded() && abs(bound) < 1e15 ? String(Int64(bound)) : String(bound)
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    var compiled = regex_t()
    guard !text.utf8.contains(0),
      regcomp(&compiled, "^(\(pattern))$", REG_EXTENDED | REG_NOSUB) == 0
    else { return false }
    defer { regfree(&compiled) }
    return regexec(&compiled, text, 0, nil, 0) == 0
  }
}
