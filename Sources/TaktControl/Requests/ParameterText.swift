import TaktCore
import TaktTime

struct ParameterText {
  let catalogue: any ActionCatalogue
  /// The way of the request: over TCP, a built-in or a plugin takes only parameters that the job
  /// opens.
  let way: RequestWay

  /// The most bytes of a variable, and of a text over TCP.
  private static let bytesMax = 65_536

  /// Values for a built-in or a plugin, variables for a command.
  func parameters(_ texts: [String: String], for spec: JobSpec) throws -> RunParameters {
    if texts.isEmpty { return RunParameters() }
    let open = spec.policies.params
    switch spec.action {
    case .use(let name, let given):
      return try values(
        texts, (catalogue.parameters(of: name) ?? []).map(BoundedParameter.init), open, of: name,
        given)
    case .plugin(let manifest, let given):
      return try values(texts, manifest.parameters, open, of: manifest.name, given)
    case .shell, .argv, .steps: return try variables(texts, open)
    }
  }

  /// A variable is data from any client: it needs no declaration, but follows one that exists.
  private func variables(
    _ texts: [String: String], _ declared: [BoundedParameter]
  ) throws -> RunParameters {
    var variables: [String: String] = [:]
    for (name, text) in texts {
      let isName =
        !name.isEmpty && name.count <= 64
        && name.utf8.allSatisfy {
          $0 == UInt8(ascii: "_") || (48...57).contains($0) || (65...90).contains($0)
            || (97...122).contains($0)
        }
      guard isName, !text.utf8.contains(0), text.utf8.count <= Self.bytesMax else {
        throw Problem(
          .badRequest, "'\(name.prefix(50))' cannot be a parameter of a command",
          detail:
            "Names contain letters, digits and underscores; values at most 64 KiB and no zero byte."
        )
      }
      let variable = BoundedParameter.variable(of: name)
      if let parameter = declared.first(where: {
        BoundedParameter.variable(of: $0.schema.name) == variable
      }) {
        _ = try value(text, parameter, of: "the job")
      }
      guard variables.updateValue(text, forKey: variable) == nil else {
        throw Problem(.badRequest, "two parameters become \(variable)")
      }
    }
    return RunParameters(environment: variables, shown: ShownParameters(texts))
  }

  private func values(
    _ texts: [String: String], _ own: [BoundedParameter], _ open: [BoundedParameter],
    of action: String, _ given: Parameters
  ) throws -> RunParameters {
    var values: Parameters = [:]
    for (name, text) in texts {
      if way == .network {
        try checkOpen(name, open, of: action)
        guard text.utf8.count <= Self.bytesMax else {
          throw Problem(.badRequest, "'\(name)' of '\(action)' has more than 64 KiB")
        }
      }
      guard let parameter = own.first(where: { $0.schema.name == name }) else {
        let nearest = NearestName.of(name, among: own.map(\.schema.name))
        throw Problem(
          .badRequest, "'\(action)' takes no parameter '\(name.prefix(50))'",
          detail: nearest.map { "Did you mean '\($0)'?" })
      }
      values[name] = try value(text, parameter, of: "'\(action)'").escaped
      guard way == .network else { continue }
      for bounds in open where bounds.schema.name == name {
        _ = try value(text, bounds, of: "'\(action)'")
      }
    }
    // Nobody chose a default, so it is no reason to complain.
    let wished = given.filter { name, value in
      own.first { $0.schema.name == name }?.schema.defaultValue != value
    }
    if let problem = catalogue.problems(
      of: action, in: wished.merging(values) { $1 }
    ).first(where: { !$0.isDoubt }) {
      let name = problem.parameter.map { "'\($0)' of " } ?? ""
      throw Problem(.badRequest, "\(name)'\(action)': \(problem.message)")
    }
    let secrets = own.filter(\.schema.isSecret).map(\.schema.name)
    return RunParameters(values: values, shown: ShownParameters(texts, secrets: Set(secrets)))
  }

  /// Refuses parameters that the job does not open. The reach of open ones was checked when the
  /// jobs file was read, and is checked again at no cost.
  private func checkOpen(_ name: String, _ open: [BoundedParameter], of action: String) throws {
    if open.contains(where: { $0.schema.name == name && $0.schema.mayBeOpened }) { return }
    let names = open.map { "'\($0.schema.name)'" }.joined(separator: ", ")
    throw Problem(
      .badRequest, "'\(name.prefix(50))' of '\(action)' is not open to triggers over TCP",
      detail: names.isEmpty
        ? "The job opens none. Declare it under 'params' of the job, or run 'takt trigger' on the daemon's machine."
        : "The job opens \(names) with 'params'.")
  }

  /// A value within the bounds of its parameter, before it is escaped.
  private func value(
    _ text: String, _ parameter: BoundedParameter, of owner: String
  ) throws -> ParameterValue {
    let schema = parameter.schema
    guard let value = Self.value(text, schema.kind) else {
      let given = schema.isSecret ? "this value" : "'\(text.prefix(100))'"
      throw Problem(
        .badRequest, "'\(schema.name)' of \(owner) cannot be \(given)",
        detail: "It takes: \(parameter.phrase).")
    }
    let problem = ParameterBounds.problems(
      with: [schema.name: value], of: [parameter], isLiteral: true
    ).first
    if let problem { throw Problem(.badRequest, "\(problem.message), in \(owner)") }
    return value
  }

  private static func value(_ text: String, _ kind: ParameterSchema.Kind) -> ParameterValue? {
    switch kind {
    case .string, .url: return .string(text)
    case .choice(let words): return words.contains(text) ? .string(text) : nil
    case .path: return text.hasPrefix("/") && !text.utf8.contains(0) ? .string(text) : nil
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

extension ParameterValue {
  /// Escapes texts, so that nothing in them is a placeholder.
  fileprivate var escaped: ParameterValue {
    switch self {
    case .string(let text): .string(text.replacing("{{", with: "{{{{"))
    case .list(let items): .list(items.map(\.escaped))
    case .integer, .number, .boolean, .duration, .map: self
    }
  }
}
