import TaktCore

extension KeyTable {
  static let policies: [KeyEntry] = [
    KeyEntry(
      Key.timeout, .duration(least: .milliseconds(1)), default: "none", reload: .updates,
      mayStandInDefaults: true, "How long an attempt may take before it is stopped."),
    KeyEntry(
      Key.kill, .object(kill), reload: .updates, mayStandInDefaults: true,
      "How an attempt is stopped."),
    KeyEntry(
      Key.retry, .object(retry), reload: .updates, mayStandInDefaults: true,
      "Whether and when an attempt that failed is followed by another."),
    KeyEntry(
      Key.success, .object(success), reload: .updates, mayStandInDefaults: true,
      "What counts as success of a command."),
    KeyEntry(
      Key.failsWhen, .object(failsWhen), reload: .updates, mayStandInDefaults: true,
      "What makes a command fail besides its exit status."),
    KeyEntry(
      Key.output, .object(output), reload: .updates, mayStandInDefaults: true,
      "What becomes of what a run prints."),
    KeyEntry(
      Key.qos, .choice(QoS.allCases.map(\.rawValue)), default: "`default`", reload: .updates,
      mayStandInDefaults: true,
      "How urgent the work is, from what somebody waits for to what nobody does."),
    KeyEntry(
      Key.overlap, .choice(Overlap.allCases.map(\.rawValue)), default: "`skip`",
      reload: .updates, mayStandInDefaults: true,
      "What happens to a slot that comes due while a run of the job is in progress: it is skipped, waits (64 at most), takes its place, or runs beside it."
    ),
    KeyEntry(
      Key.missed, .object(missed), reload: .updates, mayStandInDefaults: true,
      "What becomes of slots whose time went by while takt was not there."),
    KeyEntry(
      Key.delivery, .choice(Delivery.allCases.map(\.rawValue)), default: "`best_effort`",
      reload: .updates, mayStandInDefaults: true,
      "What a crash of takt may do to a slot that has begun: `at_most_once` starts nothing before "
        + "the ledger has it for certain, `at_least_once` runs again what has no end."),
    KeyEntry(
      Key.concurrency, .name, default: "none", reload: .updates, mayStandInDefaults: true,
      "The group of `scheduler.concurrency` whose bound the job's runs share."),
  ]

  /// The keys under `missed`.
  package static let missed: [KeyEntry] = [
    KeyEntry(
      Key.policy, .choice(MissedPolicy.Choice.allCases.map(\.rawValue)), default: "`last`",
      reload: .updates, mayStandInDefaults: true,
      "Which of them run late: none, the newest, which stands for the others, or all, one after "
        + "the other."),
    KeyEntry(
      Key.within, .duration(least: .zero), default: "the interval, or a day without one",
      reload: .updates, mayStandInDefaults: true, "How old one may be and still run."),
    KeyEntry(
      Key.maximum, .integer(1...10_000), default: "100", reload: .updates,
      mayStandInDefaults: true, "How many run at most under `all`, the newest ones."),
  ]

  /// The keys under `kill`.
  package static let kill: [KeyEntry] = [
    KeyEntry(
      Key.signal, .choice(StopSignal.allCases.map(\.rawValue)), default: "`TERM`",
      reload: .updates, mayStandInDefaults: true,
      "What the attempt's process group is sent first."),
    KeyEntry(
      Key.grace, .duration(least: .zero), default: "10s", reload: .updates,
      mayStandInDefaults: true, "How long the group then has before it is sent KILL."),
    KeyEntry(
      Key.leftovers, .choice(Leftovers.allCases.map(\.rawValue)), default: "`end`",
      reload: .updates, mayStandInDefaults: true,
      "What happens to processes that the command leaves running when it exits: `end` stops them, "
        + "`leave` counts, logs and releases them."),
  ]

  /// The keys under `retry`.
  package static let retry: [KeyEntry] = [
    KeyEntry(
      Key.attempts, .integer(1...1000), default: "1", reload: .updates, mayStandInDefaults: true,
      "How many attempts a run has, the first among them."),
    KeyEntry(
      Key.delay, .duration(least: .zero), default: "10s", reload: .updates,
      mayStandInDefaults: true, "How long takt waits before the second attempt."),
    KeyEntry(
      Key.factor, .number(1...100), default: "2", reload: .updates, mayStandInDefaults: true,
      "By how much each further wait is longer."),
    KeyEntry(
      Key.maximum, .duration(least: .zero), default: "1h", reload: .updates,
      mayStandInDefaults: true, "How long a wait is at most."),
    KeyEntry(
      Key.jitter, .percent, default: "0%", reload: .updates, mayStandInDefaults: true,
      "By what share a wait may be longer, by chance."),
    KeyEntry(
      Key.on, .oneOrMore(.choice(RetryPolicy.Cause.allCases.map(\.rawValue))), default: "all",
      reload: .updates, mayStandInDefaults: true,
      "What is tried again: a wrong exit, the end by a signal, the timeout, or a command that "
        + "cannot be started."),
    KeyEntry(
      Key.until, .choice(RetryPolicy.End.allCases.map(\.rawValue)), default: "`exhausted`",
      reload: .updates, mayStandInDefaults: true,
      "How long a run goes on trying: until its attempts are used up, or until the job's next slot "
        + "is due."),
  ]

  /// The keys under `output`.
  package static let output: [KeyEntry] = [
    KeyEntry(
      Key.keep, .size(0...(16 << 20)), default: "64KB", reload: .updates,
      mayStandInDefaults: true,
      "How much of an attempt's output is kept: its beginning and its end, half of each."),
    KeyEntry(
      Key.log, .choice(OutputPolicy.Logging.allCases.map(\.rawValue)), default: "`true`",
      reload: .updates, mayStandInDefaults: true,
      "Whether lines go to takt's log: as they come, never, or what is kept when the attempt has "
        + "failed."),
    KeyEntry(
      Key.rate, .rate, default: "no bound", reload: .updates, mayStandInDefaults: true,
      "How many lines a run may log; what is beyond is counted."),
    KeyEntry(
      Key.file, .object(outputFile), default: "none", reload: .updates,
      mayStandInDefaults: true, "A file that gets the output as well."),
  ]

  /// The keys under `file` of `output`. It replaces that of `defaults` as a whole.
  package static let outputFile: [KeyEntry] = [
    KeyEntry(
      Key.path, .path, reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "The file; it must be given."),
    KeyEntry(
      Key.maximum, .size(1024...SizeText.maximumBytes), default: "10MB", reload: .updates,
      mayStandInDefaults: true, mayBeNull: false,
      "How long it gets before it becomes `PATH.1`, what was that `PATH.2`, and so on."),
    KeyEntry(
      Key.files, .integer(1...100), default: "3", reload: .updates, mayStandInDefaults: true,
      mayBeNull: false, "How many files there are, the one that grows among them."),
  ]

  /// The keys under `success`. It replaces that of `defaults` as a whole.
  package static let success: [KeyEntry] = [
    KeyEntry(
      Key.exit, .oneOrMore(.integer(0...255)), default: "0", reload: .updates,
      mayStandInDefaults: true, mayBeNull: false, "The exit statuses that are no failure.")
  ]

  /// The keys under `fails_when`. It replaces that of `defaults` as a whole.
  package static let failsWhen: [KeyEntry] = [
    KeyEntry(
      Key.stderr, .choice(["any"]), reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "It prints anything on its standard error."),
    KeyEntry(
      Key.stdout, .pattern, reload: .updates, mayStandInDefaults: true, mayBeNull: false,
      "A line of its standard output matches this, as `grep -E` matches."),
    KeyEntry(
      Key.empty, .boolean, default: "`false`", reload: .updates, mayStandInDefaults: true,
      mayBeNull: false, "With `true`: it prints nothing on its standard output."),
  ]
}
