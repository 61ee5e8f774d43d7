import TaktTime

extension ParameterSchema.Kind {
  /// The type as a manifest names it.
  package var word: String {
    switch self {
    case .string, .url: "string"
    case .choice(let words): words.joined(separator: " | ")
    case .path: "path"
    case .integer: "integer"
    case .number: "number"
    case .boolean: "boolean"
    case .duration: "duration"
    case .size: "size"
    case .percent: "percent"
    case .list(let kind): "list of \(kind.word)"
    case .map(let kind): "map of \(kind.word)"
    }
  }
}

extension ParameterValue {
  package func shown(as kind: ParameterSchema.Kind) -> String {
    switch self {
    case .string(let text): text.isEmpty ? "''" : text
    case .integer(let number): if case .size = kind { "\(number)B" } else { "\(number)" }
    case .number(let number):
      (number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)")
        + (kind == .percent ? "%" : "")
    case .boolean(let flag): "\(flag)"
    case .duration(let duration): DurationText.format(duration)
    case .list(let items):
      "[" + items.map { $0.shown(as: .string) }.joined(separator: ", ") + "]"
    case .map(let entries):
      "{"
        + entries.sorted { $0.key < $1.key }
        .map { "\($0.key): \($0.value.shown(as: .string))" }.joined(separator: ", ") + "}"
    }
  }
}
