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
    KeyEntry(
      .params, .map(.parameter, .object(param)), default: "none",
      "The [parameters that a trigger may set](#parameters-of-a-trigger), by name. Over TCP, a "
        + "built-in or a plugin takes no others."),
  ]

  package static let param: KeyRows = [
    KeyEntry(
      Key.type, .choice(OpenParameterReader.types),
      default: "the type of the action's parameter; `string` for a command",
      "The type of the values."),
    KeyEntry(Key.choices, .list(.anything), default: "any", "The only values that are allowed."),
    KeyEntry(
      Key.minimum, .anything, default: "none",
      "The minimum of an `integer`, `number`, `duration`, `size` or `percent`."),
    KeyEntry(Key.maximum, .anything, default: "none", "The maximum of one of these types."),
    KeyEntry(
      Key.maxLength, .integer(1...65_536), default: "none",
      "The maximum number of characters of a `string`."),
    KeyEntry(
      Key.pattern, .pattern, default: "none",
      "A regular expression that the whole `string` must match."),
    KeyEntry(
      Key.defaultValue, .anything, default: "the value under `with`",
      "The value of a run that is given none, scheduled runs included."),
    KeyEntry(
      Key.description, .text(allowsEmpty: true), default: "the action's own",
      "A description for people; the page shows it."),
  ]

  /// The keys of an action of a hook or a step. A hook replaces one of `defaults` as a whole, so
  /// that null has no meaning in it.
  private static let actionKeys: [KeyEntry] = [
    KeyEntry(.run, command, "A command, as in a job."),
    KeyEntry(.use, .action, "A built-in or a plugin, instead of `run`."),
    KeyEntry(.with, parameters, "The parameters of the action in `use`."),
  ]

  private static let hookActionKeys: [KeyEntry] =
    actionKeys + [
      KeyEntry(
        Key.when, .occasion, default: "`every`",
        "When the action is called: `every` time; on the `first` failure of a series; when "
          + "`streak >= N` runs in a row have failed; on a success that follows a failure "
          + "(`recovered`); or when the run printed something (`output`)."),
      KeyEntry(
        Key.repeats, .duration(least: .seconds(1)), default: "none",
        "With `first` and `streak`: calls the action again, at most once in this time, while the job "
          + "keeps failing. Otherwise: calls the action at most once in this time."),
    ]

  package static let addedAction = KeyRows(hookActionKeys)

  package static let hookAction = KeyRows(
    hookActionKeys + [
      KeyEntry(
        Key.add, .oneOrMore(.object(addedAction)),
        "Actions after those of `defaults`, instead of an action that replaces them.")
    ])

  package static let step = KeyRows(
    actionKeys + [
      KeyEntry(
        Key.continues, .oneOf([.choice([Key.ignore]), .boolean]), default: "`false`",
        "With `true`, the next step runs even if this one fails; the run still counts as failed. With "
          + "`ignore`, the failure does not count.")
    ])

  private static func hook(_ kind: HookKind, _ summary: String) -> KeyEntry {
    KeyEntry(
      kind.key, .oneOrMore(.object(hookAction)), summary,
      .set { field, value, builder, settled in
        settled.policies.hooks[kind] = builder.hookActions(
          value, of: kind, after: settled.policies.hooks[kind] ?? [])
      })
  }

  static let hooks: [KeyEntry] = [
    hook(.onStart, "Runs when a run starts, beside it. The run's other hooks wait for it."),
    hook(.onFailure, "Runs after the last attempt of a failed run."),
    hook(.onSuccess, "Runs after a successful run."),
    hook(
      .onRecover, "Runs after a successful run that follows a failed one, or that ends a staleness."
    ),
    hook(
      .onLate,
      "Runs when a run starts later than `leeway` and `late_tolerance` allow, or takes longer than "
        + "`expected`."),
    hook(.onStale, "Runs when no run has succeeded within `expect_success_within`."),
    hook(
      .onAlarmFailed,
      "Runs when another hook or a `ping` of the job has failed. Nothing runs when this hook fails."
    ),
    KeyEntry(
      .expectSuccessWithin, .duration(least: .seconds(1)), default: "none",
      "The longest time without a successful run. After it the job is *stale*: takt logs it and calls "
        + "`on_stale`, once.",
      .value(\.policies.freshFor) { $0.duration }),
    KeyEntry(
      .ping, .oneOf([parameters, .text(allowsEmpty: false)]), default: "none",
      "Reports the start and the end of each run to a monitor: the URL of a check at healthchecks.io "
        + "or of a Sentry monitor, or the parameters of [`use: ping`](reference/builtins.md#ping).",
      .set { field, value, builder, settled in
        settled.policies.pings = builder.pings(value, at: field)
      }),
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
  /// - Parameter inherited: the actions of `defaults`.
  fileprivate func hookActions(
    _ value: KeyValue, of kind: HookKind, after inherited: [Step]
  ) -> [Step]? {
    guard var items = value.list else { return nil }
    let added = items.compactMap { $0.value.object?[Key.add] }
    let keyOwner = KeyOwner(owner, kind.key)
    if let add = added.first {
      let fields = items.first?.value.object
      if items.count > 1 || fields?.has(.run) == true || fields?.has(.use) == true {
        reporter.report(
          .conflictingKeys, at: add.keyMark, "'\(Key.add)' cannot be combined with other actions",
          hint: "list all of them under '\(Key.add)'", owner: keyOwner)
        return nil
      }
      guard let list = add.value?.list else { return nil }
      items = list
    }
    let builder = ActionBuilder(
      reporter: reporter, actions: sources.actions, folder: folder, isOfHook: true,
      secrets: secretNames)
    let own = builder.steps(of: items, in: kind, owner: keyOwner)
    return added.isEmpty ? own : inherited + own
  }

  /// Reads the URL of a check, or the parameters of the built-in.
  fileprivate func pings(_ value: KeyValue, at field: KeyFields.Field) -> [Step] {
    if value.isNull { return [] }
    let builder = ActionBuilder(
      reporter: reporter, actions: sources.actions, folder: folder, isOfHook: true,
      secrets: secretNames)
    return builder.ping(value, at: field, owner: owner).map { [Step($0)] } ?? []
  }
}
