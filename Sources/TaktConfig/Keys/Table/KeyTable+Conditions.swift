import TaktCore
import TaktTime

extension KeyTable {
  static let conditions: [KeyEntry] = [
    KeyEntry(
      .onlyIf, .oneOf([.object(onlyIf), .list(.text(allowsEmpty: true))]), default: "none",
      "A condition: a program and its arguments, or a mapping. If it does not succeed, the slot becomes "
        + "`skipped(condition)`.",
      .set { field, value, builder, settled in
        settled.policies.onlyIf = builder.condition(value, at: field)
      })
  ]

  package static let onlyIf: KeyRows = [
    KeyEntry(
      .run, .oneOf([.list(.text(allowsEmpty: true)), .text(allowsEmpty: false)]),
      "A command, as in a job. Exit status 0 means yes."),
    KeyEntry(.use, .action, "A built-in or a plugin, instead of `run`."),
    KeyEntry(.with, .map(.parameter, .anything), "The parameters of the action in `use`."),
    KeyEntry(
      .timeout, .duration(least: .milliseconds(1), most: .seconds(3600)),
      default: DurationText.format(Condition.defaultTimeout),
      "The maximum length of one try. takt stops a longer one, which means no."),
    KeyEntry(
      Key.wait, .duration(least: .seconds(1)), default: "none",
      "How long after it was due a slot may wait for a yes. Without it, the first no skips the slot."
    ),
    KeyEntry(
      .every, .duration(least: .seconds(1)),
      default: DurationText.format(Condition.defaultInterval),
      "With `wait`: the time from a no to the next try."),
  ]
}

extension ExecutionBuilder {
  /// The condition for a slot to run; nil for `null`, and for a mistake.
  fileprivate func condition(_ value: KeyValue, at field: KeyFields.Field) -> Shared<Condition>? {
    let keyOwner = KeyOwner(owner, .onlyIf)
    if let items = value.list {
      return reporter.arguments(items, of: field.name).map { Shared(Condition(.argv($0))) }
    }
    guard let fields = value.object else { return nil }
    if fields[.run] == nil, fields[.use] == nil, !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: field.mark, "'\(JobKey.onlyIf)' has no action",
        hint:
          "write \(JobKey.onlyIf): [PROGRAM, ARGUMENT], or add '\(JobKey.run)' or '\(JobKey.use)'",
        owner: owner)
    }
    let wait = fields[Key.wait]?.value?.duration
    if let every = fields[.every], fields[Key.wait] == nil {
      reporter.report(
        .missingKey, at: every.keyMark, "'\(JobKey.every)' needs '\(Key.wait)'",
        hint: "add \(Key.wait): 2h, or remove it", owner: keyOwner)
    } else if let wait, let every = fields[.every], let interval = every.value?.duration,
      interval > wait
    {
      reporter.report(
        .outOfRange, at: every.mark,
        "the '\(JobKey.every)' of \(DurationText.format(interval)) is longer than the '\(Key.wait)' of "
          + DurationText.format(wait),
        hint: "write a shorter one", owner: keyOwner)
    }
    let builder = ActionBuilder(
      reporter: reporter, actions: sources.actions, folder: folder, secrets: secretNames)
    return builder.action(of: fields, owner: keyOwner).map { action in
      Shared(
        Condition(
          action, timeout: fields[.timeout]?.value?.duration ?? Condition.defaultTimeout,
          wait: wait,
          interval: fields[.every]?.value?.duration
            ?? min(Condition.defaultInterval, wait ?? Condition.defaultInterval)))
    }
  }
}
