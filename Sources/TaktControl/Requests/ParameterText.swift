import TaktCore
import TaktTime

/// Parameters that somebody gives a run as texts.
struct ParameterText {
  let catalogue: any ActionCatalogue

  /// What the job's action makes of them: values for a built-in or plugin, variables for a command.
  func parameters(_ texts: [String: String], for spec: JobSpec) throws -> RunParameters {
    if texts.isEmpty { return RunParameters() }
    switch spec.action {
    case .use(let name, let given):
      return try values(texts, catalogue.parameters(of: name) ?? [], of: name, given)
    case .plugin(let manifest, let given):
      return try values(texts, manifest.parameters.map(\.schema), of: manifest.name, given)
    case .shell, .argv, .steps: return RunParameters(environment: try variables(texts))
    }
  }

  private func variables(_ texts: [String: String]) throws -> [String: String] {
    var variables: [String: String] = [:]
    for (name, text) in texts {
      let isName =
        !name.isEmpty && name.count <= 64
        && name.utf8.allSatisfy {
          $0 == UInt8(ascii: "_") || (48...57).contains($0) || (65...90).contains($0)
            || (97...122).contains($0)
        }
      guard isName, !text.utf8.contains(0), text.utf8.count <= 65_536 else {
        throw Problem(
          .badRequest, "'\(name.prefix(50))' cannot be a parameter of a command",
          detail:
            "Names contain letters, digits and underscores; values at most 64 KiB and no zero byte."
        )
      }
      variables["TAKT_PARAM_\(name.uppercased())"] = text
    }
    return variables
  }

  private func values(
    _ texts: [String: String], _ schemas: [ParameterSchema], of action: String,
    _ given: Parameters
  ) throws -> RunParameters {
    var values: Parameters = [:]
    for (name, text) in texts {
      guard let schema = schemas.first(where: { $0.name == name }) else {
        let nearest = NearestName.of(name, among: schemas.map(\.name))
        throw Problem(
          .badRequest, "'\(action)' takes no parameter '\(name.prefix(50))'",
          detail: nearest.map { "Did you mean '\($0)'?" })
      }
      guard let value = Self.value(text, schema.kind) else {
        let given = schema.isSecret ? "this value" : "'\(text.prefix(100))'"
        throw Problem(.badRequest, "'\(name)' of '\(action)' cannot be \(given)")
      }
      values[name] = value
    }
    // What is there by default is no one's wish, and nothing to complain of.
    let wished = given.filter { name, value in
      schemas.first { $0.name == name }?.defaultValue != value
    }
    if let problem = catalogue.problems(
      of: action, in: wished.merging(values) { $1 }
    ).first {
      let name = problem.parameter.map { "'\($0)' of " } ?? ""
      throw Problem(.badRequest, "\(name)'\(action)': \(problem.message)")
    }
    return RunParameters(values: values)
  }

  /// Texts count as they are: what looks like a placeholder is none.
  private static func value(_ text: String, _ kind: ParameterSchema.Kind) -> ParameterValue? {
    switch kind {
    case .string: return .string(text.replacing("{{", with: "{{{{"))
    case .choice(let words): return words.contains(text) ? .string(text) : nil
    case .path:
      return text.hasPrefix("/") && !text.utf8.contains(0)
        ? .string(text.replacing("{{", with: "{{{{")) : nil
    case .integer(let range): return Int(text).flatMap { range.contains($0) ? .integer($0) : nil }
    case .number(let range):
      return Double(text).flatMap { range.contains($0) ? .number($0) : nil }
    case .boolean: return text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
    case .duration(let least):
      return (try? DurationText.parse(text)).flatMap { $0 >= least ? .duration($0) : nil }
    case .size: return (try? SizeText.parse(text)).map { .integer($0) }
    case .percent:
      guard text.hasSuffix("%"), let value = Double(text.dropLast()), (0...100).contains(value)
      else { return nil }
      return .number(value)
    case .list(let item): return value(text, item).map { .list([$0]) }
    case .map: return nil
    }
  }
}
