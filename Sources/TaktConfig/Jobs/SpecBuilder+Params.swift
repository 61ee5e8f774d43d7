import TaktCore

extension SpecBuilder {
  /// Sets the parameters that the job opens to triggers, with the defaults for a run without any.
  func openParameters(of raw: RawJob, _ action: Action?, in settled: inout JobDefaults) {
    guard let field = raw.fields[.params], let entries = field.value?.map, let action else {
      return
    }
    let reader = OpenParameterReader(
      reporter: reporter, folder: folder, owner: KeyOwner(raw.owner, .params))
    var variables: [String: String] = [:]
    for entry in entries {
      guard let parameter = reader.parameter(entry, of: action, among: schemas(of: action)) else {
        continue
      }
      settled.policies.params.append(parameter)
      guard action.isOfCommands else { continue }
      let variable = BoundedParameter.variable(of: entry.name)
      if variables.updateValue(entry.name, forKey: variable) != nil {
        reporter.report(
          .badName, at: entry.nameMark, "two parameters become \(variable)",
          hint: "rename one of them", owner: raw.owner)
      }
      if let text = reader.defaultText(of: entry), settled.execution.environment[variable] == nil {
        settled.execution.environment[variable] = text
      }
    }
  }

  /// The parameters of the action; nil for commands.
  private func schemas(of action: Action) -> [ParameterSchema]? {
    switch action {
    case .use(let name, _): sources.actions.parameters(of: name)
    case .plugin(let manifest, _): manifest.parameters.map(\.schema)
    case .shell, .argv, .steps: nil
    }
  }
}

extension Action {
  /// True if it receives the values from triggers as variables.
  fileprivate var isOfCommands: Bool {
    switch self {
    case .shell, .argv, .steps: true
    case .use, .plugin: false
    }
  }
}
