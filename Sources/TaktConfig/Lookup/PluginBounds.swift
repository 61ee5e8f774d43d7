import Glibc
import TaktCore
import TaktTime

/// Checks values against the bounds that a manifest sets besides their types.
enum PluginBounds {
  /// What is out of bounds. A text with placeholders is not judged: what it will be is not known.
  static func problems(
    with values: Parameters, of parameters: [PluginParameter]
  ) -> [ParameterProblem] {
    parameters.compactMap { parameter in
      let name = parameter.schema.name
      guard let value = values[name] else { return nil }
      if let number = measure(value) {
        if let least = parameter.minimum, number < least {
          return ParameterProblem(name, "'\(name)' must be at least \(text(least, like: value))")
        }
        if let most = parameter.maximum, number > most {
          return ParameterProblem(name, "'\(name)' must be at most \(text(most, like: value))")
        }
      }
      if let pattern = parameter.pattern, case .string(let text) = value, !text.contains("{{"),
        !matches(text, pattern)
      {
        return ParameterProblem(name, "'\(name)' must match \(pattern)")
      }
      return nil
    }
  }

  /// What bounds are compared with; nil for what has none.
  static func measure(_ value: ParameterValue) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .duration(let duration): duration / .seconds(1)
    case .string, .boolean, .list, .map: nil
    }
  }

  private static func text(_ bound: Double, like value: ParameterValue) -> String {
    if case .duration = value { return DurationText.format(.milliseconds(Int64(bound * 1000))) }
    return bound == bound.rounded() && abs(bound) < 1e15 ? String(Int64(bound)) : String(bound)
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
