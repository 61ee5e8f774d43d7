import TaktCore

extension KeyTable {
  private static let command = KeyType.oneOf([
    .list(.text(allowsEmpty: true)), .text(allowsEmpty: false),
  ])
  private static let parameters = KeyType.map(.parameter, .anything)

  static let actions: [KeyEntry] = [
    KeyEntry(
      .run, command, "The command: a text for the shell, or a list of a program and its arguments."),
    KeyEntry(.use, .action, "A built-in or a plugin, instead of `run`."),
    KeyEntry(.with, parameters, "The parameters of the action in `use`."),
    KeyEntry(
      .steps, .list(.object(step)),
      "Several actions in sequence, instead of `run` or `use`. A failure ends the sequence."),
  ]

  /// The keys of an action of a hook. A hook replaces one of `defaults` as a whole, so that null
  /// means nothing in it.
  package static let hookAction: KeyRows = [
    KeyEntry(.run, command, "A command, as in a job."),
    KeyEntry(.use, .action, "A built-in or a plugin, instead of `run`."),
    KeyEntry(.with, parameters, "The parameters of the action in `use`."),
  ]

  package static let step = KeyRows(
    hookAction + [
      KeyEntry(
        Key.continues, .boolean, default: "`false`",
        "With `true`, the next step runs even if this one fails. The run still counts as failed.")
    ])

  private static func hook(_ kind: HookKind, _ summary: String) -> KeyEntry {
    KeyEntry(
      kind.key, .oneOrMore(.object(hookAction)), summary,
      .set { field, value, builder, settled in
        settled.policies.hooks[kind] = builder.hookActions(value, of: field.name)
      })
  }

  static let hooks: [KeyEntry] = [
    hook(.onFailure, "Runs after the last attempt of a failed run."),
    hook(.onSuccess, "Runs after a successful run."),
    hook(
      .onRecover, "Runs after a successful run that follows a failed one."),
    hook(
      .onLate,
      "Runs when a run starts later than `leeway` and `late_tolerance` allow, or takes longer than "
        + "`expected`."),
    KeyEntry(
      .lateTolerance, .duration(least: .zero), default: "1s",
      "Extra time after the leeway before a slot counts as missed. A run that starts even later "
        + "calls `on_late`.",
      .value(\.policies.lateTolerance) { $0.duration }),
    KeyEntry(
      .expected, .duration(least: .milliseconds(1)), default: "none",
      "The expected length of a run. A longer run calls `on_late`; `takt simulate` uses it as the length of runs.",
      .value(\.policies.expectedDuration) { $0.duration }),
  ]
}

extension ExecutionBuilder {
  fileprivate func hookActions(_ value: KeyValue, of key: String) -> [Step]? {
    guard let items = value.list else { return nil }
    let builder = ActionBuilder(
      reporter: reporter, actions: sources.actions, folder: folder, isOfHook: true,
      secrets: secretNames)
    return builder.steps(of: items, owner: KeyOwner(owner, key))
  }
}
