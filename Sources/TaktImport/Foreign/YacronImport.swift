import TaktCore
import TaktTime

/// Reads the jobs of a file of yacron or cronstable.
struct YacronImport {
  let context: ImportContext

  private var report: ImportReport { context.report }

  func run(_ documents: [ForeignNode], file: String) {
    for document in documents {
      let leaves = ForeignLeaves(document, report)
      let defaults = document["defaults"]
      for job in document["jobs"]?.items ?? [] { importJob(job, defaults, file) }
      leaves.keep("defaults", as: "each job has them")
      settleUnknown(leaves)
    }
  }

  /// Only what a job has read is kept of `defaults` and of the jobs.
  private func settleUnknown(_ leaves: ForeignLeaves) {
    for key in Self.lost { leaves.lose("defaults.\(key)", "takt has nothing for this") }
    leaves.loseRest("takt has nothing for this")
  }

  private static let lost = [
    "onPermanentFailure", "onSuccess", "statsd", "saveLimit", "maxLineLength", "streamPrefix",
    "env_file",
  ]

  private func importJob(_ job: ForeignNode, _ defaults: ForeignNode?, _ file: String) {
    let leaves = ForeignLeaves(job, report)
    let value = { (key: String) -> ForeignNode? in job[key] ?? defaults?[key] }
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
    setUser(value, leaves, in: &draft)
    setFailure(value, leaves, in: &draft)
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
    // Of six fields the last is the year; takt reads the first as seconds.
    if text.split(separator: " ").count == 6 { text = "0 " + text }
    // A day must match both fields, whatever they are.
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
    draft[.missed] = .mapping(["policy": .word("skip")])
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
    for key in ["captureStderr", "captureStdout"] {
      leaves.differ(key, "takt keeps the output of each run", in: draft.name)
    }
  }

  private static func duration(_ text: String) -> String? {
    guard let seconds = Double(text), seconds > 0, seconds < 1e9 else { return nil }
    return DurationText.format(.milliseconds(Int64(seconds * 1000)))
  }

  private func setUser(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) {
    for key in [JobKey.user, .group] {
      guard let name = value(key.name)?.text else { continue }
      draft[key] = .text(name)
      leaves.keep(key.name, as: key.name, in: draft.name)
    }
    draft[.inheritance] = .word("true")
    var variables: [DraftEntry] = []
    for item in value("environment")?.items ?? [] {
      guard let name = item["key"]?.text, name.isVariableName, !name.hasPrefix("TAKT_")
      else {
        leaves.lose("environment", "takt passes no variable of one of these names", in: draft.name)
        continue
      }
      variables.append(DraftEntry(key: name, value: .text(item["value"]?.text ?? "")))
    }
    if !variables.isEmpty { draft[.environment] = .map(variables) }
    leaves.keep("environment", as: "env", in: draft.name)
  }

  private func setFailure(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) {
    let rule = value("failsWhen")
    // Without a word, output on standard error is a failure.
    if rule?["producesStderr"]?.text != "false" {
      draft.set(.failsWhen, "stderr", .word("any"))
    }
    if rule?["producesStdout"]?.text == "true" {
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
      for (source, key) in [("initialDelay", "delay"), ("maximumDelay", "max")] {
        if let text = retry[source]?.text, let time = Self.duration(text) {
          entries.append(DraftEntry(key: key, value: .word(time)))
        }
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
