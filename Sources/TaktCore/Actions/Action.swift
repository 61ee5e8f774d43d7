/// The work of a run.
package enum Action: Hashable, Sendable {
  /// A text for the job's shell.
  case shell(String)
  /// A program and its arguments; never empty.
  case argv([String])
  /// A named action of the catalogue with checked parameters.
  case use(String, Parameters)
  /// A plugin, with its manifest as of the load of the file and checked parameters.
  ///
  /// Indirect, because a manifest is large and most actions have none.
  indirect case plugin(PluginManifest, Parameters)
  /// Several of the above, one after the other; never empty, and without steps of their own.
  case steps([Step])
}

/// One of several actions of a run.
package struct Step: Hashable, Sendable {
  package var action: Action
  /// True to continue with the next step after a failure; the run fails all the same. Default
  /// false.
  package var continues: Bool

  /// True to ignore a failure: the next step is executed, and the run may still succeed. Default
  /// false.
  package var isFailureIgnored: Bool

  /// In a hook: the condition of a call. Default each time.
  package var rule: HookRule

  package init(
    _ action: Action, continues: Bool = false, isFailureIgnored: Bool = false,
    rule: HookRule = HookRule()
  ) {
    self.action = action
    self.rule = rule
    self.continues = continues || isFailureIgnored
    self.isFailureIgnored = isFailureIgnored
  }
}

extension Action {
  package var steps: [Step] {
    if case .steps(let steps) = self { steps } else { [Step(self)] }
  }

  /// The built-in or the plugin that it uses; nil for commands and steps.
  var usedName: String? {
    switch self {
    case .use(let name, _): name
    case .plugin(let manifest, _): manifest.name
    case .shell, .argv, .steps: nil
    }
  }

  /// True if takt performs it in its own process.
  var isInternal: Bool {
    switch self {
    case .use: true
    case .plugin(let manifest, _): manifest.request != nil
    case .shell, .argv, .steps: false
    }
  }

  /// At least one.
  package var stepCount: Int { if case .steps(let steps) = self { steps.count } else { 1 } }

  /// Counted from 0.
  func action(ofStep step: Int) -> Action {
    if case .steps(let steps) = self { steps[step].action } else { self }
  }
}
