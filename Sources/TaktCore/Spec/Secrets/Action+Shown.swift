extension Action {
  /// The action of a run, for readers of the jobs file: each command and each parameter with its
  /// place, and with secrets masked.
  package var shownParts: [HiddenValue] { [HiddenValue].of(self, under: "") }
}

extension JobSpec {
  /// The paths of all commands that need no shell, as the jobs file has them: of `run` and `steps`, of
  /// `only_if` and of the hooks, in this order.
  ///
  /// - Parameter foresees: as for `directWords`.
  package func directPaths(
    _ foresees: (_ variable: String, _ value: String?) -> Bool
  ) -> [String] {
    func paths(of steps: [Step], under path: String) -> [String] {
      steps.enumerated().flatMap { paths(of: $1.action, under: "\(path)[\($0 + 1)].") }
    }
    func paths(of action: Action, under prefix: String) -> [String] {
      switch action {
      case .shell(let text):
        execution.directWords(of: text, foresees) == nil ? [] : ["\(prefix)run"]
      case .steps(let steps): paths(of: steps, under: "\(prefix)steps")
      case .argv, .use, .plugin: []
      }
    }
    let condition = policies.onlyIf.map { paths(of: $0.value.action, under: "only_if.") } ?? []
    return paths(of: action, under: "") + condition
      + HookKind.allCases.flatMap { paths(of: hooks[$0] ?? [], under: $0.rawValue) }
  }
}
