import TaktCore

extension KeyTable {
  private static let command = KeyType.oneOf([
    .list(.text(allowsEmpty: true)), .text(allowsEmpty: false),
  ])
  private static let parameters = KeyType.map(.parameter, .anything)

  static let actions: [KeyEntry] = [
    KeyEntry(
      Key.run, command, reload: .updates,
      "A command: a text goes to the shell, a list is a program and its arguments."),
    KeyEntry(
      Key.use, .action, reload: .updates, "A built-in or a plugin, instead of `run`."),
    KeyEntry(
      Key.with, parameters, reload: .updates, "The parameters of the action that `use` names."),
    KeyEntry(
      Key.steps, .list(.object(step)), reload: .updates,
      "Several actions one after the other, instead of `run` and `use`; a failure ends them."),
  ]

  /// The keys of an action of a hook. A hook replaces one of `defaults` as a whole, so that null
  /// means nothing in it.
  package static let hookAction: [KeyEntry] = [
    KeyEntry(
      Key.run, command, reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "A command, as in a job."),
    KeyEntry(
      Key.use, .action, reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "A built-in or a plugin, instead of `run`."),
    KeyEntry(
      Key.with, parameters, reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "The parameters of the action that `use` names."),
  ]

  /// The keys of a step.
  package static let step: [KeyEntry] = [
    KeyEntry(Key.run, command, reload: .updates, "A command, as in a job."),
    KeyEntry(
      Key.use, .action, reload: .updates, "A built-in or a plugin, instead of `run`."),
    KeyEntry(
      Key.with, parameters, reload: .updates, "The parameters of the action that `use` names."),
    KeyEntry(
      Key.continues, .boolean, default: "`false`", reload: .updates,
      "With `true` the next step is done even when this one fails; the run has failed then all "
        + "the same."),
  ]

  private static let hook = KeyType.oneOrMore(.object(hookAction))

  static let hooks: [KeyEntry] = [
    KeyEntry(
      HookKind.onFailure.rawValue, hook, reload: .updates, mayStandInDefaults: true,
      "What is done besides when a run has failed, after its last attempt."),
    KeyEntry(
      HookKind.onSuccess.rawValue, hook, reload: .updates, mayStandInDefaults: true,
      "What is done besides when a run has succeeded."),
    KeyEntry(
      HookKind.onRecover.rawValue, hook, reload: .updates, mayStandInDefaults: true,
      "What is done besides when a run has succeeded and the one before had failed."),
    KeyEntry(
      HookKind.onLate.rawValue, hook, reload: .updates, mayStandInDefaults: true,
      "What is done besides when a run starts later than leeway and `late_tolerance` allow, or "
        + "takes longer than `expected`."),
    KeyEntry(
      Key.lateTolerance, .duration(least: .zero), default: "1s", reload: .updates,
      mayStandInDefaults: true,
      "How much later than its leeway allows a slot may start before it has passed unserved, which is "
        + "for `missed` to decide; a run that starts so late calls `on_late`."),
    KeyEntry(
      Key.expected, .duration(least: .milliseconds(1)), default: "none", reload: .updates,
      mayStandInDefaults: true,
      "How long a run may take before `on_late`; `takt simulate` takes it for how long runs last."),
  ]
}
