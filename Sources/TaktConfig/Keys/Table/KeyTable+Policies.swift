import TaktCore

extension KeyTable {
  static let policies: [KeyEntry] = [
    KeyEntry(
      .timeout, .duration(least: .milliseconds(1)), default: "none",
      "The maximum length of an attempt. takt stops a longer one.",
      .value(\.execution.timeout) { $0.duration }),
    KeyEntry(.kill, .object(kill), "How takt stops an attempt.", .merge),
    KeyEntry(
      .retry, .object(retry), "Whether and when takt tries again after a failed attempt.",
      .merge),
    KeyEntry(
      .success, .object(success), isOfProcesses: true, "When a command counts as successful.",
      .replace),
    KeyEntry(
      .failsWhen, .object(failsWhen), isOfProcesses: true,
      "Makes a command fail for other reasons than its exit status.", .replace),
    KeyEntry(.output, .object(output), "What takt does with the output of runs.", .merge),
    KeyEntry(
      .terminal, .oneOf([.object(terminal), .boolean]), default: "`false`", isOfProcesses: true,
      "With `true` or a size, the command prints to a terminal instead of pipes, so that most programs "
        + "print line by line and in color. Both streams are one. Excludes `fails_when`.",
      .set { _, value, _, settled in settled.execution.terminal = value.terminalSize }),
    KeyEntry(
      .qos, .choice(QoS.allCases.map(\.rawValue)), default: "`default`",
      "The urgency of the work: sets its CPU and I/O priority, and its place among waiting runs.",
      .value(\.execution.qos) { $0.choice() }),
    KeyEntry(
      .overlap, .choice(Overlap.allCases.map(\.rawValue)), default: "`skip`",
      "Decides what happens to a slot that is due while the job is running: "
        + "\(Overlap.list(", or ", \.order)).",
      .value(\.policies.overlap) { $0.choice() }),
    KeyEntry(
      .missed, .object(missed),
      "What happens to slots that takt missed, for example while it was not running.", .merge),
    KeyEntry(
      .delivery, .choice(Delivery.allCases.map(\.rawValue)), default: "`best_effort`",
      "What a crash of takt can do to a slot. `at_most_once`: takt starts the run only after the "
        + "ledger has safely recorded the slot. `at_least_once`: takt runs it again if its end is not "
        + "recorded.",
      .value(\.policies.delivery) { $0.choice() }),
    KeyEntry(
      .concurrency, .name, default: "none",
      "The group in `scheduler.concurrency` whose limit applies to the job.",
      .set { field, value, builder, settled in
        settled.policies.concurrencyGroup = builder.group(value, at: field.mark)
      }),
    KeyEntry(
      .machines, .oneOf([.map(.label, .name), .choice(["one", "each"])]), default: "`one`",
      "Which machines of a cluster run a slot: one of them, each of them, or one of those with all "
        + "of these labels.",
      .set { field, value, builder, settled in
        settled.policies.machines = builder.machines(value, at: field.mark)
      }),
    KeyEntry(
      .onPartition, .choice(PartitionPolicy.allCases.map(\.rawValue)), default: "`wait`",
      "What happens to a slot while this machine cannot reach the cluster's engine: it waits "
        + "(`wait`: once, perhaps late), or it runs here after its window (`run`: in time, perhaps on "
        + "several machines).",
      .value(\.policies.onPartition) { $0.choice() }),
    KeyEntry(
      .onLeaseLost, .choice(LeaseLostPolicy.allCases.map(\.rawValue)), default: "`stop`",
      "What happens to an active run when this machine cannot renew its lease: `stop` ends it before "
        + "another machine may take its slot over, `finish` lets it continue.",
      .value(\.policies.onLeaseLost) { $0.choice() }),
  ]

  package static let missed: KeyRows = [
    KeyEntry(
      "policy", .choice(MissedPolicy.Choice.allCases.map(\.rawValue)), default: "`last`",
      "Which missed slots run late: none, the newest (it covers the others), or all of them, one at a "
        + "time.",
      .value(\.policies.missed.choice) { $0.choice() }),
    KeyEntry(
      "within", .duration(least: .zero), default: "the interval, or a day without one",
      "The maximum age of a missed slot that still runs.",
      .value(\.policies.missed.within) { $0.duration }),
    KeyEntry(
      "max", .integer(1...10_000), default: "100",
      "The maximum number of slots that run with `all`. The newest ones count.",
      .value(\.policies.missed.countMax) { $0.integer }),
    KeyEntry(
      JobKey.onlyOn.name, .oneOrMore(.text(allowsEmpty: false)), default: "any time",
      "The only times in which a missed slot may start late, written as for `except`. It waits for "
        + "them, unless it is older than `within` by then.",
      .set { _, value, builder, settled in builder.setLateTimes(value, &settled) }),
  ]

  package static let kill: KeyRows = [
    KeyEntry(
      "signal", .choice(StopSignal.allCases.map(\.rawValue)), default: "`TERM`",
      isOfProcesses: true, "The first signal to the attempt's process group.",
      .value(\.execution.stop.signal) { $0.choice() }),
    KeyEntry(
      "grace", .duration(least: .zero), default: "10s",
      "The time between that signal and SIGKILL.",
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
      "The maximum number of attempts of a run, including the first.",
      .value(\.execution.retry.attempts) { $0.integer }),
    KeyEntry(
      Key.delay, .duration(least: .zero), default: "10s",
      "The wait before the second attempt.",
      .value(\.execution.retry.delay) { $0.duration }),
    KeyEntry(
      "factor", .number(1...100), default: "2", "Each further wait is this many times longer.",
      .value(\.execution.retry.factor) { $0.number }),
    KeyEntry(
      Key.maximum, .duration(least: .zero), default: "1h", "The maximum wait.",
      .value(\.execution.retry.delayMax) { $0.duration }),
    KeyEntry(
      "jitter", .percent, default: "0%",
      "Lengthens each wait by a random share of up to this much.",
      .value(\.execution.retry.jitterPercent) { $0.percent }),
    KeyEntry(
      Key.on,
      .oneOrMore(
        .oneOf([.integer(0...255), .choice(RetryPolicy.Cause.allCases.map(\.rawValue))])),
      default: "all",
      "Which failures to retry: a wrong exit status, a signal, a timeout, or a command that cannot "
        + "be started. A number is one exit status.",
      .value(\.execution.retry.failures) { $0.isNull ? nil : $0.retriedFailures }),
    KeyEntry(
      "until", .choice(RetryPolicy.End.allCases.map(\.rawValue)), default: "`exhausted`",
      "When retries end: after the last attempt, or when the job's next slot is due.",
      .value(\.execution.retry.end) { $0.choice() }),
    KeyEntry(
      Key.within, .duration(least: .milliseconds(1)), default: "none",
      "The maximum time for all attempts together, from the start of the first. No attempt starts "
        + "later, and takt stops one that still runs then.",
      .value(\.execution.retry.within) { $0.duration }),
  ]

  package static let output: KeyRows = [
    KeyEntry(
      "keep", .size(0...(16 << 20)), default: "64KB",
      "How much of an attempt's output is kept: half of it from the start, half from the end.",
      .value(\.execution.output.keepBytes) { $0.integer }),
    KeyEntry(
      "log", .choice(OutputPolicy.Logging.allCases.map(\.rawValue)), default: "`true`",
      "Whether output goes to takt's log: every line, nothing, or the kept output of failed attempts.",
      .value(\.execution.output.logging) { $0.choice() }),
    KeyEntry(
      "rate", .rate, default: "no bound",
      "The maximum rate of logged lines. takt counts the lines beyond it.",
      .value(\.execution.output.rate) { $0.rate }),
    KeyEntry(
      Key.file, .object(outputFile), default: "none", "A file that also gets the output.",
      .set { field, value, builder, settled in
        settled.execution.output.file = value.object.flatMap {
          builder.outputFile($0, at: field.keyMark)
        }
      }),
    KeyEntry(
      Key.merge, .boolean, default: "`false`",
      "With `true`, both streams of a command are one: lines keep the order in which they were "
        + "printed, and have no stream. Excludes `fails_when`.",
      .value(\.execution.output.isMerged) { $0.boolean }),
    KeyEntry(
      "colors", .choice(OutputPolicy.Colours.allCases.map(\.rawValue)), default: "`keep`",
      "Whether the log and mails `keep` or `strip` colors and other escape sequences. `strip_all` also "
        + "removes them from the kept output and the file.",
      .value(\.execution.output.colours) { $0.choice() }),
    KeyEntry(
      "format", .choice(OutputPolicy.Format.allCases.map(\.rawValue)), default: "`record`",
      "How the log has a line: as a `record` with its time and job, or `raw`, alone, as it was printed.",
      .value(\.execution.output.format) { $0.choice() }),
  ]

  /// The keys under `file` of `output`. It replaces that of `defaults` as a whole.
  package static let outputFile: KeyRows = [
    KeyEntry(Key.path, .path, "Required. The file."),
    KeyEntry(
      Key.maximum, .size(1024...SizeText.maximumBytes), default: "10MB",
      "The maximum size. A full file becomes `PATH.1`, the previous `PATH.1` becomes `PATH.2`, and so on."
    ),
    KeyEntry(
      Key.files, .integer(1...100), default: "3",
      "The number of files, including the current one."),
  ]

  package static let terminal: KeyRows = [
    KeyEntry("rows", .integer(1...1000), default: "24", "The rows of the window."),
    KeyEntry("columns", .integer(1...1000), default: "80", "The columns of the window."),
  ]

  package static let success: KeyRows = [
    KeyEntry(
      "exit", .oneOrMore(.integer(0...255)), default: "0", mayBeNull: false,
      "The exit statuses that count as success.",
      .value(\.execution.success.exitStatuses) { value in
        value.list.map { Set($0.compactMap { $0.value.integer.map(Int32.init) }) }
      })
  ]

  package static let failsWhen: KeyRows = [
    KeyEntry(
      "stderr", .choice(["any"]), mayBeNull: false,
      "Fails if the command prints anything to standard error.",
      .value(\.execution.success.failsOnStandardError) { !$0.isNull }),
    KeyEntry(
      "stdout", .pattern, mayBeNull: false,
      "Fails if a line of standard output matches this, as in `grep -E`.",
      .value(\.execution.success.failurePattern) { $0.text }),
    KeyEntry(
      "empty", .boolean, default: "`false`", mayBeNull: false,
      "With `true`, fails if the command prints nothing to standard output.",
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

  fileprivate func machines(_ value: KeyValue, at mark: YAMLMark) -> JobMachines {
    guard let labels = value.map else { return value.text == "each" ? .each : .one }
    if labels.isEmpty {
      reporter.report(
        .badValue, at: mark, "'\(JobKey.machines)' has no labels",
        hint: "write one, or labels such as {site: east}", owner: owner)
    }
    return .labelled(
      labels.reduce(into: [:]) { found, label in found[label.name] = label.value?.text })
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

extension KeyValue {
  /// The value of `pty`; nil for no terminal.
  fileprivate var terminalSize: TerminalSize? {
    guard let fields = object else { return boolean == true ? TerminalSize() : nil }
    let standard = TerminalSize()
    return TerminalSize(
      rows: fields["rows"]?.value?.integer ?? standard.rows,
      columns: fields["columns"]?.value?.integer ?? standard.columns)
  }

  /// The words and the exit statuses under `on` of `retry`.
  fileprivate var retriedFailures: RetryPolicy.Failures {
    let items = (list ?? []).map(\.value)
    return RetryPolicy.Failures(
      Set(items.compactMap { $0.text.flatMap(RetryPolicy.Cause.init) }),
      exitStatuses: Set(items.compactMap { $0.integer.map(Int32.init) }))
  }
}
