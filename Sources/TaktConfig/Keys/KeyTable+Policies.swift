import TaktCore

extension KeyTable {
  static let policies: [KeyEntry] = [
    KeyEntry(
      .timeout, .duration(least: .milliseconds(1)), default: "none",
      "How long an attempt may take before it is stopped.",
      .value(\.execution.timeout) { $0.duration }),
    KeyEntry(.kill, .object(kill), "How an attempt is stopped.", .merge),
    KeyEntry(
      .retry, .object(retry), "Whether and when an attempt that failed is followed by another.",
      .merge),
    KeyEntry(
      .success, .object(success), isOfProcesses: true, "What counts as success of a command.",
      .replace),
    KeyEntry(
      .failsWhen, .object(failsWhen), isOfProcesses: true,
      "What makes a command fail besides its exit status.", .replace),
    KeyEntry(.output, .object(output), "What becomes of what a run prints.", .merge),
    KeyEntry(
      .qos, .choice(QoS.allCases.map(\.rawValue)), default: "`default`",
      "How urgent the work is, from what somebody waits for to what nobody does.",
      .value(\.execution.qos) { $0.choice() }),
    KeyEntry(
      .overlap, .choice(Overlap.allCases.map(\.rawValue)), default: "`skip`",
      "What happens to a slot that comes due while a run of the job is in progress: it is skipped, waits (64 at most), takes its place, or runs beside it.",
      .value(\.policies.overlap) { $0.choice() }),
    KeyEntry(
      .missed, .object(missed),
      "What becomes of slots whose time went by while takt was not there.", .merge),
    KeyEntry(
      .delivery, .choice(Delivery.allCases.map(\.rawValue)), default: "`best_effort`",
      "What a crash of takt may do to a slot that has begun: `at_most_once` starts nothing before "
        + "the ledger has it for certain, `at_least_once` runs again what has no end.",
      .value(\.policies.delivery) { $0.choice() }),
    KeyEntry(
      .concurrency, .name, default: "none",
      "The group of `scheduler.concurrency` whose bound the job's runs share.",
      .set { field, value, builder, settled in
        settled.policies.concurrencyGroup = builder.group(value, at: field.mark)
      }),
  ]

  package static let missed: KeyRows = [
    KeyEntry(
      "policy", .choice(MissedPolicy.Choice.allCases.map(\.rawValue)), default: "`last`",
      "Which of them run late: none, the newest, which stands for the others, or all, one after "
        + "the other.",
      .value(\.policies.missed.choice) { $0.choice() }),
    KeyEntry(
      "within", .duration(least: .zero), default: "the interval, or a day without one",
      "How old one may be and still run.", .value(\.policies.missed.within) { $0.duration }),
    KeyEntry(
      "max", .integer(1...10_000), default: "100",
      "How many run at most under `all`, the newest ones.",
      .value(\.policies.missed.countMax) { $0.integer }),
  ]

  package static let kill: KeyRows = [
    KeyEntry(
      "signal", .choice(StopSignal.allCases.map(\.rawValue)), default: "`TERM`",
      isOfProcesses: true, "What the attempt's process group is sent first.",
      .value(\.execution.stop.signal) { $0.choice() }),
    KeyEntry(
      "grace", .duration(least: .zero), default: "10s",
      "How long the group then has before it is sent KILL.",
      .value(\.execution.stop.grace) { $0.duration }),
    KeyEntry(
      "leftovers", .choice(Leftovers.allCases.map(\.rawValue)), default: "`end`",
      isOfProcesses: true,
      "What happens to processes that the command leaves running when it exits: `end` stops them, "
        + "`leave` counts, logs and releases them.",
      .value(\.execution.stop.leftovers) { $0.choice() }),
  ]

  package static let retry: KeyRows = [
    KeyEntry(
      Key.attempts, .integer(1...1000), default: "1",
      "How many attempts a run has, the first among them.",
      .value(\.execution.retry.attempts) { $0.integer }),
    KeyEntry(
      Key.delay, .duration(least: .zero), default: "10s",
      "How long takt waits before the second attempt.",
      .value(\.execution.retry.delay) { $0.duration }),
    KeyEntry(
      "factor", .number(1...100), default: "2", "By how much each further wait is longer.",
      .value(\.execution.retry.factor) { $0.number }),
    KeyEntry(
      Key.maximum, .duration(least: .zero), default: "1h", "How long a wait is at most.",
      .value(\.execution.retry.delayMax) { $0.duration }),
    KeyEntry(
      "jitter", .percent, default: "0%", "By what share a wait may be longer, by chance.",
      .value(\.execution.retry.jitterPercent) { $0.percent }),
    KeyEntry(
      "on", .oneOrMore(.choice(RetryPolicy.Cause.allCases.map(\.rawValue))), default: "all",
      "What is tried again: a wrong exit, the end by a signal, the timeout, or a command that "
        + "cannot be started.",
      .value(\.execution.retry.causes) {
        $0.isNull ? nil : Set($0.texts.compactMap(RetryPolicy.Cause.init))
      }),
    KeyEntry(
      "until", .choice(RetryPolicy.End.allCases.map(\.rawValue)), default: "`exhausted`",
      "How long a run goes on trying: until its attempts are used up, or until the job's next slot "
        + "is due.",
      .value(\.execution.retry.end) { $0.choice() }),
  ]

  package static let output: KeyRows = [
    KeyEntry(
      "keep", .size(0...(16 << 20)), default: "64KB",
      "How much of an attempt's output is kept: its beginning and its end, half of each.",
      .value(\.execution.output.keepBytes) { $0.integer }),
    KeyEntry(
      "log", .choice(OutputPolicy.Logging.allCases.map(\.rawValue)), default: "`true`",
      "Whether lines go to takt's log: as they come, never, or what is kept when the attempt has "
        + "failed.",
      .value(\.execution.output.logging) { $0.choice() }),
    KeyEntry(
      "rate", .rate, default: "no bound",
      "How many lines a run may log; what is beyond is counted.",
      .value(\.execution.output.rate) { $0.rate }),
    KeyEntry(
      Key.file, .object(outputFile), default: "none", "A file that gets the output as well.",
      .set { field, value, builder, settled in
        settled.execution.output.file = value.object.flatMap {
          builder.outputFile($0, at: field.keyMark)
        }
      }),
  ]

  /// The keys under `file` of `output`. It replaces that of `defaults` as a whole.
  package static let outputFile: KeyRows = [
    KeyEntry(Key.path, .path, "The file; it must be given."),
    KeyEntry(
      Key.maximum, .size(1024...SizeText.maximumBytes), default: "10MB",
      "How long it gets before it becomes `PATH.1`, what was that `PATH.2`, and so on."),
    KeyEntry(
      Key.files, .integer(1...100), default: "3",
      "How many files there are, the one that grows among them."),
  ]

  package static let success: KeyRows = [
    KeyEntry(
      "exit", .oneOrMore(.integer(0...255)), default: "0", mayBeNull: false,
      "The exit statuses that are no failure.",
      .value(\.execution.success.exitStatuses) { value in
        value.list.map { Set($0.compactMap { $0.value.integer.map(Int32.init) }) }
      })
  ]

  package static let failsWhen: KeyRows = [
    KeyEntry(
      "stderr", .choice(["any"]), mayBeNull: false, "It prints anything on its standard error.",
      .value(\.execution.success.failsOnStandardError) { !$0.isNull }),
    KeyEntry(
      "stdout", .pattern, mayBeNull: false,
      "A line of its standard output matches this, as `grep -E` matches.",
      .value(\.execution.success.failurePattern) { $0.text }),
    KeyEntry(
      "empty", .boolean, default: "`false`", mayBeNull: false,
      "With `true`: it prints nothing on its standard output.",
      .value(\.execution.success.failsWhenSilent) { $0.boolean }),
  ]
}

extension ExecutionBuilder {
  fileprivate func group(_ value: KeyValue, at mark: YAMLMark) -> String? {
    guard let name = value.text else { return nil }
    if groups.contains(name) { return name }
    reporter.report(
      .unknownGroup, at: mark, "there is no concurrency group '\(name.shortened)'",
      hint: NearestName.of(name, among: groups).map { "did you mean '\($0)'?" }
        ?? "declare it under '\(Key.scheduler)': {\(Key.concurrency): {\(name.shortened): 1}}")
    return nil
  }

  fileprivate func outputFile(_ fields: KeyFields, at mark: YAMLMark) -> OutputFile? {
    guard let path = fields[Key.path] else {
      if !fields.hasUnknownKeys {
        reporter.report(
          .missingKey, at: mark, "'\(Key.file)' needs a '\(Key.path)'", hint: "add it",
          owner: KeyOwner(owner, .output))
      }
      return nil
    }
    guard let text = path.value?.text else { return nil }
    var file = OutputFile(path: self.path(text))
    if let size = fields[Key.maximum]?.value?.integer { file.sizeBytesMax = size }
    if let count = fields[Key.files]?.value?.integer { file.files = count }
    return file
  }
}
