import TaktTime

/// One key of a job as a plan shows it.
package enum JobFacet {
  /// A key that two specs of a job do not agree in.
  package struct Difference: Hashable, Sendable {
    /// The key of the jobs file.
    package var key: String
    /// What was and what will be; nil for what is never shown (commands, environment, secrets,
    /// standard input, parameters)
    /// and for a key that is not there.
    package var from: String?
    /// What will be.
    package var to: String?
  }

  /// What a job says of itself where that may be shown: no command, environment, secret or
  /// parameter.
  package static func facts(of spec: JobSpec) -> [(key: String, text: String)] {
    shown(spec).compactMap { fact in fact.text.map { (fact.key, $0) } }
  }

  static func differences(from old: JobSpec, to new: JobSpec) -> [Difference] {
    zip(shown(old), shown(new)).compactMap { before, after in
      before.text == after.text
        ? nil : Difference(key: before.key, from: before.text, to: after.text)
    } + hidden(old, new).map { Difference(key: $0, from: nil, to: nil) }
  }

  private static func shown(_ spec: JobSpec) -> [(key: String, text: String?)] {
    timing(spec.timing)
      + [
        ("overlap", spec.overlap.rawValue), ("concurrency", spec.concurrencyGroup),
        ("qos", spec.execution.qos.rawValue),
      ] + surroundings(spec.execution) + policies(spec.execution)
      + [
        ("late_tolerance", DurationText.format(spec.lateTolerance)),
        ("expected", spec.expectedDuration.map(DurationText.format)),
        ("delivery", spec.delivery.rawValue), ("missed", text(spec.missed)),
        ("on_removed", spec.removal.rawValue), ("tags", list(spec.tags)),
        ("description", spec.summary),
      ]
  }

  private static func timing(_ timing: Timing) -> [(key: String, text: String?)] {
    let schedule = timing.schedule
    let every = schedule.every
    return [
      ("every", every.map { DurationText.format($0.interval) }),
      ("first", every?.first.map(DurationText.format)),
      ("from", every.flatMap { $0.origin == .end ? "end" : nil }),
      ("align", every.flatMap { $0.origin == .epoch ? "epoch" : nil }),
      ("phase", every?.phase.rawValue),
      ("cron", rules(schedule, .cron)), ("calendar", rules(schedule, .calendar)),
      ("at", list(schedule.at.map { $0.rfc3339() })),
      ("on", list(schedule.on.map(\.rawValue).sorted())),
      ("after", list(schedule.after.sorted().map { "\($0.job) on \($0.condition.rawValue)" })),
      (
        "watch",
        list(
          schedule.watch.sorted().map { "\($0.path), debounce \(DurationText.format($0.debounce))" }
        )
      ),
    ] + bounds(schedule) + [
      ("spread", timing.spread.map(text)),
      ("jitter", timing.jitter == .zero ? nil : DurationText.format(timing.jitter)),
      ("leeway", text(timing.leeway)), ("enabled", String(timing.isEnabled)),
    ]
  }

  private static func bounds(_ schedule: Schedule) -> [(key: String, text: String?)] {
    let exceptions = schedule.exclusions.map { exclusion in
      "\(exclusion.isWholeDays ? "days" : "seconds") of \(exclusion.expression.normalized) in "
        + exclusion.zone.name
    }
    return [
      ("not_before", schedule.notBefore?.rfc3339()), ("until", schedule.until?.rfc3339()),
      ("limit", schedule.limit.map(String.init)), ("except", list(exceptions)),
    ]
  }

  private static func text(_ spread: Spread) -> String {
    "over \(DurationText.format(spread.over)), by \(spread.seed.contains("@") ? "host" : "job")"
  }

  private static func rules(_ schedule: Schedule, _ cause: SlotCause) -> String? {
    list(
      schedule.rules.filter { $0.cause == cause }.map { rule in
        var words = "\(rule.text) in \(rule.zone.name)"
        if case .cron(let cron, let days) = rule.expression, cron.hasBothDayFields {
          words += ", days \(days.rawValue)"
        }
        return words + ", gap \(rule.dst.gap.rawValue), overlap \(rule.dst.overlap.rawValue)"
      })
  }

  private static func surroundings(_ execution: Execution) -> [(key: String, text: String?)] {
    [
      ("inherit_env", text(execution.inheritance, execution.identity)),
      ("cwd", execution.directory),
      ("user", execution.identity.user), ("group", execution.identity.group),
      ("umask", execution.umask.map { octal($0) }), ("limits", text(execution.limits)),
    ]
  }

  private static func policies(_ execution: Execution) -> [(key: String, text: String?)] {
    let stop = execution.stop
    return [
      ("timeout", execution.timeout.map(DurationText.format)),
      (
        "kill",
        "\(stop.signal.rawValue), \(DurationText.format(stop.grace))"
          + (stop.leftovers == .end ? "" : ", leftovers: \(stop.leftovers.rawValue)")
      ),
      ("retry", text(execution.retry)), ("output", text(execution.output)),
      ("success", list(execution.success.exitStatuses.sorted().map { "exit \($0)" })),
      ("fails_when", failures(execution.success)),
    ]
  }

  // MARK: Texts

  private static func list(_ texts: [String]) -> String? {
    texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  private static func octal(_ mask: UInt16) -> String {
    let digits = String(mask, radix: 8)
    return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  private static func text(
    _ inheritance: EnvironmentInheritance, _ identity: RunIdentity
  ) -> String {
    switch inheritance {
    case .byUser: identity.user == nil ? "true" : "by user"
    case .all: "true"
    case .none: "false"
    case .only(let names): names.joined(separator: ", ")
    }
  }

  private static func text(_ limits: Limits) -> String? {
    list(
      [
        limits.memoryBytes.map { "memory \(SizeText.format($0))" },
        limits.cpuSeconds.map { "cpu \(DurationText.format(.seconds($0)))" },
        limits.files.map { "files \($0)" }, limits.processes.map { "processes \($0)" },
        limits.coreBytes.map { "core \(SizeText.format($0))" },
        limits.fileSizeBytes.map { "file_size \(SizeText.format($0))" },
      ].compactMap(\.self))
  }

  private static func text(_ retry: RetryPolicy) -> String {
    var words = [
      "attempts \(retry.attempts)", "delay \(DurationText.format(retry.delay))",
      "factor \(retry.factor)", "max \(DurationText.format(retry.delayMax))",
      "jitter \(retry.jitterPercent)%",
    ]
    // In the order of the key table, which is not that of a set.
    let causes = RetryPolicy.Cause.allCases.filter(retry.causes.contains)
    if causes != RetryPolicy.Cause.allCases {
      words.append("on \(causes.map(\.rawValue).joined(separator: " "))")
    }
    return (words + ["until \(retry.end.rawValue)"]).joined(separator: ", ")
  }

  private static func text(_ output: OutputPolicy) -> String {
    var words = [
      "keep \(SizeText.format(output.keepBytes))", "log \(output.logging.rawValue)",
    ]
    if let rate = output.rate {
      words.append("rate \(rate.lines) per \(DurationText.format(rate.period))")
    }
    if let file = output.file {
      let size = SizeText.format(file.sizeBytesMax)
      words.append("file \(file.path) of \(size), \(file.files) files")
    }
    return words.joined(separator: ", ")
  }

  private static func failures(_ success: SuccessRule) -> String? {
    list(
      [
        success.failsOnStandardError ? "stderr any" : nil,
        success.failurePattern.map { "stdout \($0)" },
        success.failsWhenSilent ? "empty" : nil,
      ].compactMap(\.self))
  }

  private static func text(_ missed: MissedPolicy) -> String {
    var words = [missed.choice.rawValue]
    if let within = missed.within { words.append("within \(DurationText.format(within))") }
    if missed.choice == .all { words.append("max \(missed.countMax)") }
    return words.joined(separator: ", ")
  }

  private static func text(_ leeway: Leeway) -> String {
    switch leeway {
    case .duration(let duration): DurationText.format(duration)
    case .percent(let percent): "\(percent)%"
    }
  }

  private static func hidden(_ old: JobSpec, _ new: JobSpec) -> [String] {
    var keys: [String] = []
    if old.action != new.action {
      switch (old.action, new.action) {
      case (.use(let before, _), .use(let after, _)): keys.append(before == after ? "with" : "use")
      case (.plugin(let before, let given), .plugin(let after, let wanted)):
        if before.name != after.name {
          keys.append("use")
        } else {
          if before != after { keys.append("plugin") }
          if given != wanted { keys.append("with") }
        }
      case (.use, .plugin), (.plugin, .use): keys.append("use")
      case (.steps, _), (_, .steps): keys.append("steps")
      case (.use, _), (.plugin, _), (_, .use), (_, .plugin): keys += ["run", "use"]
      case (.shell, _), (.argv, _): keys.append("run")
      }
    }
    if old.execution.shell != new.execution.shell { keys.append("shell") }
    if old.execution.environment != new.execution.environment { keys.append("env") }
    if old.execution.secrets != new.execution.secrets { keys.append("secrets") }
    if old.execution.stdin != new.execution.stdin { keys.append("stdin") }
    let hooks = HookKind.allCases.filter { old.hooks[$0] != new.hooks[$0] }
    return keys + hooks.map(\.rawValue)
  }
}
