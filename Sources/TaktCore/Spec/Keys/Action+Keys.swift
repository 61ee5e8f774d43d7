/// The keys of a run's action; for a plugin its manifest as well, which is no key.
private enum ActionKey: String {
  case run, use, plugin, with, steps

  var key: JobKey {
    JobKey(
      rawValue,
      hidden: { spec in
        [HiddenValue].of(spec.action, under: "").filter {
          $0.path.prefix { $0 != "." && $0 != "[" } == rawValue
        }
      },
      differs: { Self.differing(from: $0.action, to: $1.action).contains(self) })
  }

  private static func differing(from old: Action, to new: Action) -> [Self] {
    if old == new { return [] }
    switch (old, new) {
    case (.use(let before, _), .use(let after, _)): return before == after ? [.with] : [.use]
    case (.plugin(let before, let given), .plugin(let after, let wanted)):
      if before.name != after.name { return [.use] }
      return (before == after ? [] : [.plugin]) + (given == wanted ? [] : [.with])
    case (.use, .plugin), (.plugin, .use): return [.use]
    case (.steps, _), (_, .steps): return [.steps]
    case (.use, _), (.plugin, _), (_, .use), (_, .plugin): return [.run, .use]
    case (.shell, _), (.argv, _): return [.run]
    }
  }
}

extension Action {
  static let keys: [JobKey] = [.run, .use, .plugin, .with, .steps]
}

extension JobKey {
  package static let run = ActionKey.run.key
  package static let use = ActionKey.use.key
  fileprivate static let plugin = ActionKey.plugin.key
  package static let with = ActionKey.with.key
  package static let steps = ActionKey.steps.key
}
