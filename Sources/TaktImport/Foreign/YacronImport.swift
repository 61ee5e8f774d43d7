import TaktCore
import TaktTime

/// Reads the jobs of a file of yacron or cronstable.
struct YacronImport {
  let context: ImportContext

  var report: ImportReport { context.report }

  /// - Parameter path: the file's path in the tree; nil for a text without one.
  func run(_ documents: [ForeignNode], file: String, path: String?) {
    _ = readJobs(documents, file: file, path: path, within: [])
  }

  /// Reads the jobs of a file and of those that it includes; returns its defaults, which apply to
  /// the file that includes it.
  ///
  /// - Parameter outer: the files that include it.
  private func readJobs(
    _ documents: [ForeignNode], file: String, path: String?, within outer: [String]
  ) -> ForeignNode? {
    var inherited: ForeignNode?
    for document in documents {
      let leaves = ForeignLeaves(document, report)
      for item in document["include"]?.texts ?? [] {
        inherited = include(item, leaves, path: path, within: outer).merged(over: inherited)
      }
      let defaults = document["defaults"].merged(over: inherited)
      for job in document["jobs"]?.items ?? [] {
        importJob(job, job.merged(over: defaults), file, path)
      }
      for key in Self.lost { leaves.lose("defaults.\(key)", "takt has nothing for this") }
      for hook in ["onFailure", "onSuccess", "onPermanentFailure"] {
        leaves.lose("defaults.\(hook).report.sentry", "takt has nothing for this")
        leaves.lose("defaults.\(hook).report.webhook", "takt has nothing for this")
      }
      leaves.keep("defaults", as: "each job has them")
      leaves.loseRest("takt has nothing for this")
      inherited = defaults
    }
    return inherited
  }

  private func include(
    _ name: String, _ leaves: ForeignLeaves, path: String?, within outer: [String]
  ) -> ForeignNode? {
    let outer = outer + [path ?? ""]
    guard let path = absolute(name, beside: path), !outer.contains(path),
      outer.count < Self.includesMax, let (text, _) = context.text(of: path, .yacron)
    else {
      leaves.lose("include", "takt cannot read this file")
      return nil
    }
    leaves.keep("include", as: "the jobs of that file are here")
    let file = context.options.readYAML(
      text.file, Array(text.lines.map(\.text).joined(separator: "\n").utf8))
    for problem in file.problems { report.cannotRead("\(problem.place)", problem.sentence) }
    return readJobs(file.documents, file: text.file, path: path, within: outer)
  }

  /// Resolves a path from the folder of a file; nil if that is unknown.
  func absolute(_ name: String, beside path: String?) -> String? {
    if name.hasPrefix("/") { return name }
    guard let path, let slash = path.lastIndex(of: "/") else { return nil }
    return path[...slash] + name
  }

  private static let includesMax = 8

  private static let lost = ["statsd", "failsWhen.always", "onlyIfLastSucceeded", "sla", "onLate"]

  /// - Parameter whole: the job merged with its defaults.
  private func importJob(
    _ job: ForeignNode, _ whole: ForeignNode, _ file: String, _ path: String?
  ) {
    let leaves = ForeignLeaves(job, report)
    let value = { (key: String) -> ForeignNode? in whole[key] }
    let name = context.newName(like: job["name"]?.text ?? "job")
    var draft = JobDraft(name: name, comments: ["\(file):\(job.place.line)"])
    leaves.keep("name", as: "the name of the job", in: name)
    guard setTimes(value, leaves, in: &draft) else {
      return leaves.loseRest("the job is left out")
    }
    if let text = value("command")?.text {
      draft[.run] = .text(CommandText.runnable(text))
    } else if let words = value("command")?.texts, words.first?.isEmpty == false {
      draft[.run] = .list(words.map(DraftValue.text))
    } else {
      draft[.run] = .list([.text("true")])
      draft[.enabled] = .word("false")
      leaves.lose("command", "there is no program; the job is disabled", in: name)
    }
    if draft[.enabled] == nil { leaves.keep("command", as: "run", in: name) }
    if let shell = value("shell")?.text, shell.hasPrefix("/") {
      draft[.shell] = .text(shell)
      leaves.keep("shell", as: "shell", in: name)
    }
    setPolicies(value, leaves, in: &draft)
    setMissed(value, leaves, in: &draft)
    setSurroundings(value, leaves, path, in: &draft)
    setFailure(value, leaves, in: &draft)
    var reports = YacronReports(leaves: leaves, job: whole)
    reports.set(in: &draft)
    leaves.loseRest("takt has nothing for this")
    context.add(draft)
  }

  private func setTimes(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) -> Bool {
    guard let schedule = value("schedule") else { return false }
    var text = schedule.text ?? ""
    if case .map = schedule.content {
      text = ["minute", "hour", "dayOfMonth", "month", "dayOfWeek"]
        .map { schedule[$0]?.text ?? "*" }.joined(separator: " ")
      if let year = schedule["year"]?.text { text += " \(year)" }
    }
    if text == "@reboot" {
      draft[.on] = .word("start")
      leaves.keep("schedule", as: "on", in: draft.name)
      return true
    }
    // The last of six fields is the year, but takt reads the first of six as seconds.
    if text.split(separator: " ").count == 6 { text = "0 " + text }
    // A day must always match both fields.
    guard let expression = try? CronExpression(text),
      expression.next(after: WallInstant(milliseconds: 0), in: .utc, days: .all) != nil
    else {
      leaves.lose("schedule", "takt does not read these times")
      return false
    }
    draft[.cron] = .text(text)
    if expression.hasBothDayFields, CronDayRule.cron.settled(for: expression) != .all {
      draft[.days] = .word("all")
    }
    if text.split(separator: " ").count == 5 || text.hasPrefix("@") {
      draft.times = [.cron(text, rule: .all)]
    }
    leaves.keep("schedule", as: "cron", in: draft.name)
    let zone = value("timezone")?.text ?? (value("utc")?.text == "false" ? nil : "UTC")
    if let zone {
      guard context.options.isZone(zone) else {
        leaves.lose("timezone", "there is no such time zone", in: draft.name)
        return true
      }
      draft[.timezone] = .text(zone)
    }
    leaves.keep("timezone", as: "timezone", in: draft.name)
    leaves.keep("utc", as: "timezone", in: draft.name)
    return true
  }

  private func setPolicies(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) {
    let policies = ["Allow": "allow", "Forbid": "skip", "Replace": "replace"]
    draft[.overlap] = .word(policies[value("concurrencyPolicy")?.text ?? "Allow"] ?? "allow")
    leaves.keep("concurrencyPolicy", as: "overlap", in: draft.name)
    if let text = value("executionTimeout")?.text, let seconds = Self.duration(text) {
      draft[.timeout] = .word(seconds)
      leaves.keep("executionTimeout", as: "timeout", in: draft.name)
    }
    draft.set(.kill, "grace", .word(value("killTimeout")?.text.flatMap(Self.duration) ?? "30s"))
    leaves.keep("killTimeout", as: "kill.grace", in: draft.name)
    if let text = value("enabled")?.text {
      if text == "false" { draft[.enabled] = .word("false") }
      leaves.keep("enabled", as: "enabled", in: draft.name)
    }
    for key in ["captureStderr", "captureStdout", "saveLimit", "maxLineLength", "streamPrefix"] {
      leaves.differ(key, "takt keeps and logs the output as 'output' says", in: draft.name)
    }
  }

  private func setMissed(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) {
    let policies = ["run-once": "last", "run-all": "all"]
    let policy = policies[value("onMissed")?.text ?? ""] ?? "skip"
    draft[.missed] = .mapping(["policy": .word(policy)])
    leaves.keep("onMissed", as: "missed.policy", in: draft.name)
    if let seconds = value("startingDeadlineSeconds")?.text.flatMap(Self.duration) {
      if policy != "skip" { draft.set(.missed, "within", .word(seconds)) }
      leaves.keep("startingDeadlineSeconds", as: "missed.within", in: draft.name)
    } else if policy != "skip" {
      // takt's default is the interval.
      draft.set(.missed, "within", .word("366d"))
    }
  }

  static func duration(_ text: String) -> String? {
    guard let seconds = Double(text), seconds > 0, seconds < 1e9 else { return nil }
    return DurationText.format(.milliseconds(Int64(seconds * 1000)))
  }

  private func setFailure(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) {
    let rule = value("failsWhen")
    // By default, output on standard error is a failure; output that is not captured never is.
    if rule?["producesStderr"]?.text != "false", value("captureStderr")?.text != "false" {
      draft.set(.failsWhen, "stderr", .word("any"))
    }
    if rule?["producesStdout"]?.text == "true", value("captureStdout")?.text == "true" {
      draft.set(.failsWhen, "stdout", .text("."))
      leaves.differ(
        "failsWhen.producesStdout", "a line that is not empty is a failure", in: draft.name)
    }
    if rule?["nonzeroReturn"]?.text == "false" {
      draft[.success] = .mapping(["exit": .list((0...255).map { .word("\($0)") })])
    }
    for key in ["producesStderr", "producesStdout", "nonzeroReturn"] {
      leaves.keep("failsWhen.\(key)", as: "fails_when", in: draft.name)
    }
    guard let retry = value("onFailure")?["retry"],
      let count = retry["maximumRetries"]?.text.flatMap({ Int($0) })
    else { return }
    if count != 0 {
      var entries = [
        DraftEntry(
          key: "attempts", value: .word("\(count < 0 ? 1000 : min(count, 999) + 1)"))
      ]
      for (source, key, standard) in [
        ("initialDelay", "delay", "1s"), ("maximumDelay", "max", "5m"),
      ] {
        let time = retry[source]?.text.flatMap(Self.duration) ?? standard
        entries.append(DraftEntry(key: key, value: .word(time)))
      }
      if let factor = retry["backoffMultiplier"]?.text.flatMap({ Double($0) }), factor >= 1,
        factor <= 100
      {
        entries.append(DraftEntry(key: "factor", value: .word("\(factor)")))
      }
      draft[.retry] = .map(entries)
    }
    leaves.keep("onFailure.retry", as: "retry", in: draft.name)
  }
}
