import TaktCore

/// The catalogue's answers, asked for once a name however many jobs use it.
final class ActionTable {
  private let catalogue: any ActionCatalogue
  private var answers: [String: [ParameterSchema]?] = [:]

  init(_ catalogue: any ActionCatalogue) {
    self.catalogue = catalogue
  }

  var names: [String] { catalogue.actionNames }

  /// What is wrong with the parameters that are given, each of which is of its kind.
  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] {
    catalogue.problems(of: action, in: parameters)
  }

  /// What an action of the catalogue does to the machine; nothing of any other action.
  func traits(of action: Action) -> ActionTraits {
    guard case .use(let name, let parameters) = action else { return [] }
    return catalogue.traits(of: name, with: parameters)
  }

  /// What the named action takes; nil when there is none of the name.
  func parameters(of action: String) -> [ParameterSchema]? {
    if let answer = answers[action] { return answer }
    let answer = catalogue.parameters(of: action)
    answers[action] = .some(answer)
    return answer
  }
}
