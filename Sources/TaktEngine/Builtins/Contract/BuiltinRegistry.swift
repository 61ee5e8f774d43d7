package import TaktCore
import TaktTime

/// The built-ins, by name: the catalogue for checking a jobs file.
///
/// Safe from any thread.
package struct BuiltinRegistry: ActionCatalogue {
  private let builtins: [String: any Builtin]

  /// - Parameter builtins: with distinct names.
  init(_ builtins: [any Builtin]) {
    self.builtins = Dictionary(builtins.map { ($0.name, $0) }) { first, _ in first }
  }

  package static let standard = BuiltinRegistry([
    LogBuiltin(), HTTPBuiltin(), MailBuiltin(), PruneBuiltin(), TouchBuiltin(), SignalBuiltin(),
    PingBuiltin(), NotifyBuiltin(), ContainerBuiltin(),
  ])

  package var actionNames: [String] { Array(builtins.keys) }

  package func parameters(of action: String) -> [ParameterSchema]? {
    builtins[action]?.parameters
  }

  package func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] {
    builtins[action]?.problems(in: parameters) ?? []
  }

  package func traits(of action: String, with parameters: Parameters) -> ActionTraits {
    builtins[action]?.traits(with: parameters) ?? []
  }

  func builtin(named name: String) -> (any Builtin)? { builtins[name] }

  var sorted: [any Builtin] { builtins.values.sorted { $0.name < $1.name } }
}

extension BuiltinRegistry {
  /// The reference of all built-ins as Markdown: the part between the markers in
  /// `docs/reference/builtins.md`.
  package var reference: String {
    sorted.map(Self.section).joined()
  }

  private static func section(_ builtin: any Builtin) -> String {
    var text = "\n## `\(builtin.name)`\n\n\(sentence(builtin.summary))\n\n"
    text +=
      row(["parameter", "value", "default", "reaches", "meaning"])
      + row(Array(repeating: "---", count: 5))
    for schema in builtin.parameters {
      text += row([
        "`\(schema.name)`", phrase(schema.kind),
        schema.defaultValue.map(show) ?? (schema.isRequired ? "required" : ""),
        schema.effectiveReach?.phrase ?? "unknown",
        sentence(schema.summary) + (schema.isSecret ? " Never shown." : ""),
      ])
    }
    guard !builtin.reasons.isEmpty else { return text + "\nIt does not fail.\n" }
    text += "\n" + row(["reason", "when"]) + row(["---", "---"])
    for reason in builtin.reasons { text += row(["`\(reason.text)`", sentence(reason.meaning)]) }
    return text
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
  }

  private static func phrase(_ kind: ParameterSchema.Kind) -> String {
    switch kind {
    case .string: "text"
    case .url: "URL"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .path: "path"
    case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .number(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .boolean: "`true`, `false`"
    case .duration(let least):
      least == .zero ? "duration" : "duration, at least \(DurationText.format(least))"
    case .size: "size"
    case .percent: "`0%` to `100%`"
    case .list(let item): "list: \(phrase(item))"
    case .map(let item): "map: \(phrase(item)) by name"
    }
  }

  private static func show(_ value: ParameterValue) -> String {
    switch value {
    case .string(let text): "`\(text)`"
    case .integer(let number): number >= 1024 ? "`\(SizeText.format(number))`" : "`\(number)`"
    case .number(let number): "`\(number)`"
    case .boolean(let flag): "`\(flag)`"
    case .duration(let duration): "`\(DurationText.format(duration))`"
    case .list(let items): items.map(show).joined(separator: ", ")
    case .map: ""
    }
  }
}
