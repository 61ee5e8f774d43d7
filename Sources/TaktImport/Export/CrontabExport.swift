import Glibc
package import TaktCore
import TaktTime

package struct CrontabExport {
  private let snapshot: Snapshot
  private let hasUserColumn: Bool
  private let dialect: CronDialect
  private let accounts: any AccountSource
  private var report = ExportReport()
  private var text = ""
  /// The variables that the lines so far set.
  private var variables: [String: String] = [:]

  /// - Parameter accounts: the users of the machine, in whose folders cron starts.
  package init(_ snapshot: Snapshot, dialect: CronDialect, accounts: any AccountSource) {
    self.accounts = accounts
    self.snapshot = snapshot
    self.dialect = dialect
    hasUserColumn = snapshot.jobs.contains { $0.execution.identity.user != nil }
  }

  package mutating func result(header: String) -> ExportResult {
    text = "# \(SourceLines.exportMark) \(header)\n"
    text +=
      hasUserColumn
      ? "# For a file in /etc/cron.d: the sixth column is the user.\n" : "# For `crontab FILE`.\n"
    for job in snapshot.jobs { add(job) }
    return ExportResult(files: [ExportResult.File(name: nil, text: text)], report: report)
  }

  /// The job as cron would run it.
  private func plain(_ job: JobSpec) -> JobSpec {
    var plain = JobSpec(
      name: job.name, timing: Timing(schedule: ExportReport.triggers(of: job)), action: job.action,
      overlap: .allow, summary: job.summary)
    plain.execution.directory = job.execution.directory
    plain.execution.identity = job.execution.identity
    plain.execution.stop.leftovers = .leave
    plain.execution.output.isMerged = job.execution.output.isMerged
    plain.missed.choice = .skip
    plain.missed.within = job.missed.choice == .skip ? job.missed.within : nil
    return plain
  }

  private mutating func add(_ job: JobSpec) {
    var comment = "# \(job.name)"
    if let summary = job.summary {
      let lines = summary.printableLines.split(whereSeparator: \.isNewline)
      comment += ": " + lines.joined(separator: " ")
    }
    comment += "\n"
    text += "\n"
    let times = times(of: job)
    guard let command = command(of: job), !times.isEmpty else {
      text += comment + "# This job has no line; the report says why.\n"
      return
    }
    writeVariables(of: job)
    // Directly above its line, where an import looks for the name.
    text += comment
    let isOff = !job.timing.isEnabled
    for time in times {
      let user = hasUserColumn ? " \(job.execution.identity.user ?? "root")" : ""
      text += (isOff ? "# disabled: " : "") + "\(time)\(user) \(command)\n"
    }
    if isOff { report.differ(job, "enabled", "the line is a comment") }
    report.compare(
      job, with: plain(job),
      except: [
        "every", "first", "from", "align", "phase", "cron", "calendar", "at", "on", "after",
        "watch",
        "rrule", "nth", "working_day", "anchor", "run", "use", "steps", "env", "stdin", "shell",
        "direct", "inherit_env", "description", "enabled",
        "on_success", "on_failure", "cwd", "user",
      ])
  }

  private mutating func times(of job: JobSpec) -> [String] {
    let schedule = job.timing.schedule
    var times: [String] = []
    for rule in schedule.rules {
      guard case .cron(let expression, let days) = rule.expression else {
        report.lose(
          job, ExportReport.key(of: rule), "cron has no times such as '\(rule.text)'")
        continue
      }
      guard let time = ExportedCron(expression)?.classic(days) else {
        report.lose(job, "cron", "classic cron cannot say '\(expression.normalized)'")
        continue
      }
      if rule.zone != snapshot.settings.zone {
        guard dialect == .cronie else {
          report.lose(job, "timezone", "Debian's cron knows no time zone but the machine's")
          continue
        }
        if variables["CRON_TZ"] != rule.zone.name {
          text += "CRON_TZ=\(rule.zone.name)\n"
          variables["CRON_TZ"] = rule.zone.name
        }
      } else if variables["CRON_TZ"] != nil {
        report.lose(job, "timezone", "a time zone above it in the file applies to it, too")
        continue
      }
      times.append(time)
    }
    if let every = schedule.every { times += self.times(of: every, job) }
    if schedule.on.contains(.boot) { times.append("@reboot") }
    for event in schedule.on where event != .boot {
      report.lose(job, "on", "cron has no trigger '\(event.rawValue)'")
    }
    if schedule.isManual { report.lose(job, "on", "cron has no jobs that only run by hand") }
    if !schedule.at.isEmpty { report.lose(job, "at", "cron has no single times; use at(1)") }
    if !schedule.after.isEmpty { report.lose(job, "after", "cron does not wait for other jobs") }
    if !schedule.watch.isEmpty { report.lose(job, "watch", "cron watches no files") }
    return times
  }

  private mutating func times(of every: Every, _ job: JobSpec) -> [String] {
    let minutes = every.interval.milliseconds / 60_000
    let found: String? =
      switch minutes {
      case _ where every.interval != .seconds(minutes * 60) || minutes < 1: nil
      case 1: "* * * * *"
      case 2..<60 where 60 % minutes == 0: "*/\(minutes) * * * *"
      case 60: "0 * * * *"
      case 1440: "0 0 * * *"
      case 10_080: "0 0 * * 0"
      case 61..<1440 where minutes % 60 == 0 && 24 % (minutes / 60) == 0:
        "0 */\(minutes / 60) * * *"
      default: nil
      }
    guard let time = found, every.origin != .end else {
      report.lose(job, "every", "cron has no interval of \(DurationText.format(every.interval))")
      return []
    }
    if every.origin == .start || every.first != nil {
      report.differ(job, "every", "at even times of the clock")
    }
    return [time]
  }

  /// The text after the times; nil if cron cannot run it.
  private mutating func command(of job: JobSpec) -> String? {
    guard var command = shellText(of: job.action, job) else { return nil }
    let folder = job.execution.directory
    if folder != startFolder(of: job) {
      command = "cd \(UnitValue.quoted(folder)) && \(command)"
    }
    command = Self.trimmed(command)
    guard !command.has("\n"), !command.has("\0") else {
      report.lose(job, "run", "a crontab has one line for each command")
      return nil
    }
    if dialect == .cronie, command.hasPrefix("-") {
      report.lose(job, "run", "cron takes a '-' at the start for an option")
      return nil
    }
    var input = job.execution.stdin ?? ""
    if !input.isEmpty, input.unicodeScalars.last != "\n" {
      report.differ(job, "stdin", "with a line end")
      input += "\n"
    }
    guard !input.has("\0") else {
      report.lose(job, "stdin", "a crontab has no NUL")
      return nil
    }
    guard let line = CommandText.line(command, input: input, dialect: dialect) else {
      let isOfInput = CommandText.line(command, input: "", dialect: dialect) != nil
      report.lose(
        job, isOfInput ? "stdin" : "run",
        "cron reads a '%' or a line end behind a backslash in another way")
      return nil
    }
    guard line.utf8.count <= dialect.lineBytesMax else {
      report.lose(job, "run", "cron reads at most \(dialect.lineBytesMax) bytes of a command")
      return nil
    }
    return line
  }

  /// Removes blanks before the command, which cron drops, and line ends after it.
  private static func trimmed(_ command: String) -> String {
    var scalars = command.unicodeScalars[...].drop { SourceLine.isBlank($0) || $0 == "\n" }
    while scalars.last == "\n", scalars.dropLast().last != "\\" { scalars.removeLast() }
    return String(scalars)
  }

  /// The folder in which cron starts the job; nil if unknown.
  private func startFolder(of job: JobSpec) -> String? {
    guard
      let home = job.execution.environment["HOME"]
        ?? accounts.account(for: job.execution.identity)?.home
    else { return nil }
    // Without that folder, Debian's cron stays in its own.
    return dialect == .cronie || access(home, F_OK) == 0 ? home : CronJobs.spoolFolder
  }

  private mutating func shellText(of action: Action, _ job: JobSpec) -> String? {
    switch action {
    case .shell(let text): return text
    case .argv(let words): return words.map(UnitValue.quoted).joined(separator: " ")
    case .steps(let steps):
      var text = ""
      for (number, step) in steps.enumerated() {
        guard let part = shellText(of: step.action, job) else { return nil }
        if step.continues, !step.isFailureIgnored {
          report.differ(job, "steps", "the status is that of the last command")
        }
        text += part
        if number < steps.count - 1 { text += step.continues ? "; " : " && " }
      }
      return text
    case .use(let name, _):
      report.lose(job, "use", "cron has no built-in '\(name)'")
      return nil
    case .plugin(let manifest, _):
      report.lose(job, "use", "cron has no plugin '\(manifest.name)'")
      return nil
    }
  }

  /// Writes the assignments for the environment of the next line.
  private mutating func writeVariables(of job: JobSpec) {
    let execution = job.execution
    var wanted = execution.environment.filter { !["LOGNAME", "USER"].contains($0.key) }
    if execution.shell.count == 2, execution.shell[1] == "-c" {
      wanted["SHELL"] = execution.shell[0]
    } else {
      report.lose(job, "shell", "cron runs a shell with '-c' and nothing else")
    }
    if wanted["PATH"] == nil { wanted["PATH"] = EnvironmentInheritance.standardPath }
    switch execution.inheritance {
    case .none: break
    case .byUser, .all, .only:
      report.differ(
        job, "inherit_env", "cron passes only PATH, SHELL, HOME, LOGNAME and what the file sets")
    }
    if !isMailed(job) { wanted["MAILTO"] = "" }
    let defaults = ["SHELL": "/bin/sh", "PATH": CronJobs.standardPath]
    for (name, value) in wanted.sorted(by: { $0.key < $1.key }) {
      guard (variables[name] ?? defaults[name]) != value else { continue }
      guard !value.has("\n"), !value.has("\0") else {
        report.lose(job, "env", "a crontab has one line for the value of \(name)")
        continue
      }
      guard let line = CronVariables.line(name, value, dialect: dialect) else {
        report.lose(job, "env", "no line of a crontab says the value of \(name)")
        continue
      }
      text += line + "\n"
      variables[name] = value
    }
    for name in variables.keys.sorted() where wanted[name] == nil && name != "CRON_TZ" {
      if name == "MAILTO" {
        let user = execution.identity.user ?? "root"
        text += "MAILTO=\(user)\n"
        variables[name] = user
      } else {
        // A variable of another job, such as a library to load, must not affect this one.
        let own = name == "HOME" ? accounts.account(for: execution.identity)?.home ?? "/" : ""
        guard variables[name] != own, let line = CronVariables.line(name, own, dialect: dialect)
        else { continue }
        text += line + "\n"
        variables[name] = own
        guard name != "HOME" else { continue }
        report.differ(job, "env", "\(name) is set above it in the file, and is empty for it")
      }
    }
  }

  /// True if hooks do the same as cron with output.
  private mutating func isMailed(_ job: JobSpec) -> Bool {
    let mails = [MailHooks.script, MailHooks.formerScript].map {
      Action.argv(["/bin/sh", "-c", $0])
    }
    var isMailed = false
    for kind in [HookKind.onSuccess, .onFailure] {
      for step in job.hooks[kind] ?? [] {
        if mails.contains(step.action), step.rule == HookRule(.output) {
          isMailed = true
        } else {
          report.lose(job, kind.rawValue, "cron has no hooks")
        }
      }
    }
    return isMailed
  }
}
