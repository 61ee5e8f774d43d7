package import TaktCore
import TaktTime

package struct SystemdExport {
  private let snapshot: Snapshot
  private var report = ExportReport()

  package init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
  }

  package mutating func result(header: String) -> ExportResult {
    var files: [ExportResult.File] = []
    for job in snapshot.jobs {
      guard let service = service(of: job) else { continue }
      // `systemctl start` runs a service without a timer.
      let isManual = job.timing.schedule.isManual
      let timer = isManual ? nil : timer(of: job)
      guard isManual || timer != nil else { continue }
      guard Self.hasOnlyLines(service), timer.map(Self.hasOnlyLines) ?? true else {
        report.lose(
          job, "run", "systemd reads a control character as the end of a line, or not at all")
        continue
      }
      let head = "# \(SourceLines.exportMark) \(header)\n"
      if let timer {
        files.append(ExportResult.File(name: "\(job.name).timer", text: head + timer))
      }
      files.append(ExportResult.File(name: "\(job.name).service", text: head + service))
      report.compare(job, with: plain(job), except: Self.said)
    }
    return ExportResult(files: files, report: report)
  }

  /// The job as a timer and its service would run it.
  private func plain(_ job: JobSpec) -> JobSpec {
    var plain = job
    plain.timing.schedule = ExportReport.triggers(of: job)
    plain.policies = JobPolicies()
    plain.policies.overlap = .queue
    plain.execution.output = OutputPolicy()
    plain.execution.retry = RetryPolicy()
    plain.execution.secrets = [:]
    return plain
  }

  private static let said: Set<String> = [
    "missed", "overlap", "on_failure", "on_success", "description", "late_tolerance", "delivery",
    "tags", "expected", "on_removed",
  ]

  private mutating func timer(of job: JobSpec) -> String? {
    var lines: [String] = []
    let schedule = job.timing.schedule
    for rule in schedule.rules { lines += calendar(of: rule, job).map { "OnCalendar=\($0)" } }
    if let every = schedule.every {
      let interval = Self.span(every.interval)
      if every.origin == .epoch { report.differ(job, "align", "from the start of the timer") }
      lines.append("OnActiveSec=\(Self.span(every.first ?? every.interval))")
      lines.append(
        every.origin == .end ? "OnUnitInactiveSec=\(interval)" : "OnUnitActiveSec=\(interval)")
    }
    if schedule.on.contains(.boot) { lines.append("OnBootSec=0") }
    if schedule.on.contains(.start) { lines.append("OnActiveSec=0") }
    if schedule.on.contains(.reload) { report.lose(job, "on", "systemd has no trigger 'reload'") }
    for at in schedule.at {
      lines.append("OnCalendar=\(at.rfc3339().prefix(19).replacing("T", with: " ")) UTC")
    }
    if !schedule.after.isEmpty {
      report.lose(
        job, "after", "a timer does not wait for other jobs; use OnSuccess= of their services")
    }
    if !schedule.watch.isEmpty { report.lose(job, "watch", "use a path unit") }
    guard !lines.isEmpty else {
      report.lose(job, "on", "there is no timer, because no time is left")
      return nil
    }
    lines += delays(of: job)
    switch job.missed.choice {
    case .skip: break
    case .last, .all:
      lines.append("Persistent=true")
      if job.missed.choice == .all || job.missed.within != nil || job.missed.times != nil {
        report.differ(job, "missed", "one run makes up for all, however late and at any time")
      }
    }
    switch job.overlap.meeting {
    case .wait: break
    case .refusal: lines.append("DeferReactivation=true")
    case .parallel, .stop: report.lose(job, "overlap", "systemd runs one at a time")
    }
    if !job.timing.isEnabled { report.differ(job, "enabled", "do not enable the timer") }
    return """
      [Unit]
      Description=\(Self.escaped(job.summary ?? job.name.text))

      [Timer]
      \(lines.joined(separator: "\n"))

      [Install]
      WantedBy=timers.target

      """
  }

  private mutating func calendar(of rule: ClockRule, _ job: JobSpec) -> [String] {
    let zone = rule.zone == snapshot.settings.zone ? "" : " \(rule.zone.name)"
    switch rule.expression {
    case .calendar(let expression):
      return [expression.normalized + (expression.zoneName == nil ? zone : "")]
    case .recurrence, .filtered, .grid:
      report.lose(
        job, ExportReport.key(of: rule), "systemd has no times such as '\(rule.text)'")
      return []
    case .cron(let expression, let days):
      guard let cron = ExportedCron(expression) else {
        report.lose(job, "cron", "systemd cannot say '\(expression.normalized)'")
        return []
      }
      if !expression.recursWithinHour {
        report.differ(job, "dst", "systemd skips a time that a clock change skips")
      }
      return cron.calendar(days).map { $0 + zone }
    }
  }

  private mutating func delays(of job: JobSpec) -> [String] {
    var lines: [String] = []
    switch job.timing.leeway {
    case .duration(let leeway):
      lines.append("AccuracySec=\(leeway > .zero ? Self.span(leeway) : "1us")")
    case .percent:
      report.differ(job, "leeway", "systemd knows no percentages: one minute")
    }
    if job.timing.jitter > .zero {
      lines.append("RandomizedDelaySec=\(Self.span(job.timing.jitter))")
    }
    if let spread = job.timing.spread {
      if job.timing.jitter > .zero {
        lines.append("RandomizedOffsetSec=\(Self.span(spread.over))")
        report.differ(job, "spread", "needs systemd 258")
      } else {
        lines += ["RandomizedDelaySec=\(Self.span(spread.over))", "FixedRandomDelay=true"]
      }
    }
    return lines
  }

  static func span(_ duration: Duration) -> String {
    let milliseconds = duration.milliseconds
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }

  private mutating func service(of job: JobSpec) -> String? {
    var unit = ["Description=\(Self.escaped(job.summary ?? job.name.text))"]
    guard let commands = commands(of: job.action, job) else { return nil }
    var lines = ["Type=oneshot"] + commands
    let execution = job.execution
    if let user = execution.identity.user { lines.append("User=\(Self.escaped(user))") }
    if let group = execution.identity.group { lines.append("Group=\(Self.escaped(group))") }
    if execution.directory != "/" {
      lines.append("WorkingDirectory=\(Self.escaped(execution.directory))")
    }
    for (name, value) in execution.environment.sorted(by: { $0.key < $1.key }) {
      lines.append("Environment=\(Self.quoted("\(name)=\(value)"))")
    }
    switch execution.inheritance {
    case .none: lines.append("UnsetEnvironment=LANG")
    case .only(let names):
      let others = names.filter { $0 != "LANG" }
      if !others.isEmpty { lines.append("PassEnvironment=\(others.joined(separator: " "))") }
      if !names.contains("LANG") { lines.append("UnsetEnvironment=LANG") }
    case .byUser where execution.identity.user != nil: break
    case .byUser, .all:
      report.differ(job, "inherit_env", "systemd passes PATH, LANG and what the unit sets")
    }
    if let umask = execution.umask { lines.append("UMask=0" + String(umask, radix: 8)) }
    if execution.qos != .default {
      report.differ(job, "qos", "systemd sets no timer slack here")
    }
    lines += priorities(execution) + limits(execution.limits)
    if let timeout = execution.timeout { lines.append("TimeoutStartSec=\(Self.span(timeout))") }
    if execution.stop.signal != .terminate {
      lines.append("KillSignal=SIG\(execution.stop.signal.rawValue)")
    }
    let grace = execution.stop.grace
    lines.append(
      "TimeoutStopSec=" + (grace < StopPolicy.endlessGrace ? Self.span(grace) : "infinity"))
    if execution.stop.leftovers == .leave { lines.append("KillMode=process") }
    let statuses = execution.success.exitStatuses.filter { $0 != 0 }.sorted()
    if !statuses.isEmpty {
      lines.append("SuccessExitStatus=\(statuses.map { "\($0)" }.joined(separator: " "))")
    }
    if let input = execution.stdin { lines += self.input(input, job) }
    unit += followers(of: job)
    return """
      [Unit]
      \(unit.joined(separator: "\n"))

      [Service]
      \(lines.joined(separator: "\n"))

      """
  }

  private mutating func commands(of action: Action, _ job: JobSpec) -> [String]? {
    switch action {
    case .shell(let text):
      let shell = job.execution.shell
      return ["ExecStart=" + Self.line(shell + [text])]
    case .argv(let words): return ["ExecStart=" + Self.line(words)]
    case .steps(let steps):
      var lines: [String] = []
      for step in steps {
        guard let found = commands(of: step.action, job) else { return nil }
        if step.continues, !step.isFailureIgnored {
          report.differ(job, "steps", "a failure that continues does not count")
        }
        lines += found.map {
          step.continues ? $0.replacing("ExecStart=", with: "ExecStart=-", maxReplacements: 1) : $0
        }
      }
      return lines
    case .use(let name, _):
      report.lose(job, "use", "systemd has no built-in '\(name)'")
      return nil
    case .plugin(let manifest, _):
      report.lose(job, "use", "systemd has no plugin '\(manifest.name)'")
      return nil
    }
  }

  /// True if a text has no control characters except line ends and tabs: the text after another one
  /// could become a setting of its own.
  private static func hasOnlyLines(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      $0 == "\n" || $0 == "\t" || ($0.value >= 0x20 && $0.value != 0x7f)
    }
  }

  private static func line(_ words: [String]) -> String {
    words.map { quoted($0.replacing("$", by: "$$")) }.joined(separator: " ")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("%", by: "%%").replacing("\n", by: " ")
  }

  /// A word with the quotes of unit files.
  private static func quoted(_ word: String) -> String {
    let plain = UnitValue.quoted(word)
    if plain == word, !word.has("%"), word != ";" { return word }
    var text = "\""
    for scalar in word.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "%": text += "%%"
      default:
        if scalar.value < 0x20 {
          text += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text + "\""
  }

  private mutating func input(_ input: String, _ job: JobSpec) -> [String] {
    var lines = input.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true {
      lines.removeLast()
    } else {
      report.differ(job, "stdin", "with a line end")
    }
    return ["StandardInput=data"]
      + lines.map { line in
        "StandardInputText="
          + String(line).replacing("\\", by: "\\\\").replacing("%", by: "%%")
      }
  }

  private func priorities(_ execution: Execution) -> [String] {
    let (nice, inputOutput, policy): (Int8, InputOutputPriority?, String?) =
      switch execution.qos {
      case .userInteractive: (-2, .bestEffort(0), nil)
      case .userInitiated: (-2, .bestEffort(2), nil)
      case .default: (0, nil, nil)
      case .utility: (2, .bestEffort(6), "batch")
      case .background: (10, .idle, "idle")
      }
    var lines: [String] = []
    if execution.nice != nil || nice != 0 { lines.append("Nice=\(execution.nice ?? nice)") }
    switch execution.inputOutput ?? inputOutput {
    case .idle?: lines.append("IOSchedulingClass=idle")
    case .bestEffort(let level)?:
      lines += ["IOSchedulingClass=best-effort", "IOSchedulingPriority=\(level)"]
    case .realtime(let level)?:
      lines += ["IOSchedulingClass=realtime", "IOSchedulingPriority=\(level)"]
    case nil: break
    }
    if let policy { lines.append("CPUSchedulingPolicy=\(policy)") }
    return lines
  }

  private func limits(_ limits: Limits) -> [String] {
    var lines: [String] = []
    if let bytes = limits.memoryBytes { lines.append("LimitAS=\(bytes)") }
    if let seconds = limits.cpuSeconds { lines.append("LimitCPU=\(seconds)") }
    if let count = limits.files { lines.append("LimitNOFILE=\(count)") }
    if let count = limits.processes { lines.append("LimitNPROC=\(count)") }
    if let bytes = limits.coreBytes { lines.append("LimitCORE=\(bytes)") }
    if let bytes = limits.fileSizeBytes { lines.append("LimitFSIZE=\(bytes)") }
    let group = limits.group
    if let bytes = group.memoryMaxBytes { lines.append("MemoryMax=\(bytes)") }
    if let percent = group.cpuQuotaPercent { lines.append("CPUQuota=\(percent)%") }
    if let count = group.tasksMax { lines.append("TasksMax=\(count)") }
    if let weight = group.ioWeight { lines.append("IOWeight=\(weight)") }
    return lines
  }

  private mutating func followers(of job: JobSpec) -> [String] {
    var lines: [String] = []
    for (kind, key) in [(HookKind.onFailure, "OnFailure"), (.onSuccess, "OnSuccess")] {
      for step in job.hooks[kind] ?? [] {
        if case .argv(let words) = step.action,
          words.starts(with: ["systemctl", "start", "--no-block", "--"])
        {
          lines.append("\(key)=\(words.dropFirst(4).map(Self.escaped).joined(separator: " "))")
        } else {
          report.lose(job, kind.rawValue, "systemd starts a unit here, and runs no command")
        }
      }
    }
    return lines
  }
}
