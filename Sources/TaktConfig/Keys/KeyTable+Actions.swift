import TaktCore

extension KeyTable {
  private static let command = KeyType.oneOf([
    .list(.text(allowsEmpty: true)), .text(allowsEmpty: false),
  ])
  private static let parameters = KeyType.map(.parameter, .anything)

  static let actions: [KeyEntry] = [
    KeyEntry(
      .run, command, "A command: a text goes to the shell, a list is a program and its arguments."),
    KeyEntry(.use, .action, "A built-in or a plugin, instead of `run`."),
    KeyEntry(.with, parameters, "The parameters of the action that `use` names."),
    KeyEntry(
      .steps, .list(.object(step)),
      "Several actions one after the other, instead of `run` and `use`; a failure ends them."),
  ]

  /// The keys of an action of a hook. A hook replaces one of `defaults` as a whole, so that null
  /// means nothing in it.
  package static let hookAction: KeyRows = [
    KeyEntry(.run, command, "A command, as in a job."),
    KeyEntry(.use, .action, "A built-in or a plugin, instead of `run`."),
    KeyEntry(.with, parameters, "The parameters of the action that `use` names."),
  ]

  package static let step = KeyRows(
    hookAction + [
      KeyEntry(
        Key.continues, .boolean, default: "`false`",
        "With `true` the next step is done even when this one fails; the run has failed then all "
          + "the same.")
    ])

  private static func hook(_ kind: HookKind, _ summary: String) -> KeyEntry {
    KeyEntry(
      kind.key, .oneOrMore(.object(hookAction)), summary,
      .set { field, value, builder, settled in
        settled.policies.hooks[kind] = builder.hookActions(value, of: field.name)
      })
  }

  static let hooks: [KeyEntry] = [
    hook(.onFailure, "What is done besides when a run has failed, after its last attempt."),
    hook(.onSuccess, "What is done besides when a run has succeeded."),
    hook(
      .onRecover, "What is done besides when a run has succeeded and the one before had failed."),
    hook(
      .onLate,
      "What is done besides when a run starts later than leeway and `late_tolerance` allow, or "
        + "takes longer than `expected`."),
    KeyEntry(
      .lateTolerance, .duration(least: .zero), default: "1s",
      "How much later than its leeway allows a slot may start before it has passed unserved, which is "
        + "for `missed` to decide; a run that starts so late calls `on_late`.",
      .value(\.policies.lateTolerance) { $0.duration }),
    KeyEntry(
      .expected, .duration(least: .milliseconds(1)), default: "none",
      "How long a run may take before `on_late`; `takt simulate` takes it for how long runs last.",
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
