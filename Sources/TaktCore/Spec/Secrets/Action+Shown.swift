extension Action {
  /// What a run does, for those who may read the jobs file: each command and each parameter with its
  /// place, and with secrets masked.
  package var shownParts: [HiddenValue] { [HiddenValue].of(self, under: "") }
}

extension JobSpec {
  /// The paths, among those of `shownParts`, of the commands that need no shell, in their order.
  ///
  /// - Parameter foresees: as for `directWords`.
  package func directPaths(
    _ foresees: (_ variable: String, _ value: String?) -> Bool
  ) -> [String] {
    let isList = if case .steps = action { true } else { false }
    return action.steps.enumerated().compactMap { place, step in
      guard case .shell(let text) = step.action, execution.directWords(of: text, foresees) != nil
      else { return nil }
      return isList ? "steps[\(place + 1)].run" : "run"
    }
  }
}
