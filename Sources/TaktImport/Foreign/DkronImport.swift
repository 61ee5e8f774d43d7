import TaktCore
import TaktTime

/// Reads jobs of Dkron: a JSON object, or a list of them.
struct DkronImport {
  let context: ImportContext

  private var report: ImportReport { context.report }

  func run(_ documents: [ForeignNode], file: String) {
    var jobs: [(node: ForeignNode, name: String)] = []
    for document in documents {
      for node in document.items.isEmpty ? [document] : document.items {
        jobs.append((node, context.newName(like: node["name"]?.text ?? node["id"]?.text ?? "job")))
      }
    }
    let names = Dictionary(
      jobs.map { ($0.node["name"]?.text ?? "", $0.name) }, uniquingKeysWith: { first, _ in first })
    for (node, name) in jobs { add(node, name, names, file) }
  }

  /// Counters and other state of Dkron, which is no configuration.
  private static let computed = [
    "id", "status", "next", "success_count", "error_count", "last_success", "last_error",
    "dependent_jobs",
  ]

  private func add(
    _ job: ForeignNode, _ name: String, _ names: [String: String], _ file: String
  ) {
    let leaves = ForeignLeaves(job, report)
    var draft = JobDraft(name: name, comments: ["\(file):\(job.place.line)"])
    leaves.keep("name", as: "the name of the job", in: name)
    for key in Self.computed { leaves.keep(key, as: "Dkron computes it", in: name) }
    guard setTimes(job, leaves, names, in: &draft) else {
      return leaves.loseRest("the job is left out")
    }
    setCommand(job, leaves, in: &draft)
    if let text = job["displayname"]?.text, !text.isEmpty { draft[.description] = .text(text) }
    leaves.keep("displayname", as: "description", in: name)
    if job["disabled"]?.text == "true" { draft[.enabled] = .word("false") }
    leaves.keep("disabled", as: "enabled", in: name)
    draft[.overlap] = .word(job["concurrency"]?.text == "forbid" ? "skip" : "allow")
    leaves.keep("concurrency", as: "overlap", in: name)
    if draft[.on] == nil { draft[.missed] = .mapping(["policy": .word("skip")]) }
    if let retries = job["retries"]?.text.flatMap({ Int($0) }), retries > 0 {
      draft[.retry] = .mapping([
        "attempts": .word("\(min(retries, 999) + 1)"), "delay": .word("0s"),
      ])
    }
    leaves.keep("retries", as: "retry.attempts", in: name)
    leaves.differ("processors", "takt keeps the output of each run", in: name)
    for key in ["owner", "owner_email"] where job[key]?.text == "" {
      leaves.keep(key, as: "it is empty", in: name)
    }
    if job["ephemeral"]?.text == "false" { leaves.keep("ephemeral", as: "a job stays", in: name) }
    leaves.loseRest("takt has nothing for this")
    context.add(draft)
  }

  // MARK: Times

  private func setTimes(
    _ job: ForeignNode, _ leaves: ForeignLeaves, _ names: [String: String],
    in draft: inout JobDraft
  ) -> Bool {
    if let parent = job["parent_job"]?.text, !parent.isEmpty {
      guard let name = names[parent] else {
        leaves.lose("parent_job", "this job is not in the file; import both at once")
        return false
      }
      draft[.after] = .mapping(["job": .text(name)])
      leaves.keep("parent_job", as: "after", in: draft.name)
      leaves.keep("schedule", as: "Dkron ignores it beside parent_job", in: draft.name)
      return true
    }
    leaves.keep("parent_job", as: "it is empty", in: draft.name)
    let text = job["schedule"]?.text ?? ""
    if text.hasPrefix("@at "), Self.isInstant(text.dropFirst(4)) {
      draft[.at] = .text(String(text.dropFirst(4)))
      leaves.keep("schedule", as: "at", in: draft.name)
      return true
    }
    // Dkron derives this value from the name, as `H` does here.
    let hashed = text.replacing("~", with: "H")
    guard
      let schedule = GoSchedule(
        text == "@minutely" ? "0 * * * * *" : hashed, allowsSeconds: true,
        manual: ["@manually"])
    else {
      leaves.lose("schedule", "takt does not read these times")
      return false
    }
    schedule.set(in: &draft)
    if case .manual = schedule.times {
      for key in ["schedule", "timezone"] { leaves.keep(key, as: "on: manual", in: draft.name) }
      return true
    }
    if hashed != text {
      draft.times = []
      leaves.differ("schedule", "'H' draws another value from the name than '~'", in: draft.name)
    } else if draft[.every] != nil {
      leaves.differ("schedule", "counted from the first load of the job", in: draft.name)
    } else {
      leaves.keep("schedule", as: "cron", in: draft.name)
    }
    setZone(schedule.zone ?? job["timezone"]?.text ?? "", leaves, in: &draft)
    for (source, key) in [("starts_at", JobKey.notBefore), ("expires_at", .until)] {
      guard let text = job[source]?.text, Self.isInstant(text[...]) else { continue }
      draft[key] = .text(text)
      leaves.keep(source, as: key.name, in: draft.name)
    }
    return true
  }

  private func setZone(_ zone: String, _ leaves: ForeignLeaves, in draft: inout JobDraft) {
    if draft[.cron] == nil || zone.isEmpty || zone == "Local" {
      return leaves.keep("timezone", as: "timezone", in: draft.name)
    }
    guard context.options.isZone(zone) else {
      return leaves.lose("timezone", "there is no time zone '\(zone)'", in: draft.name)
    }
    draft[.timezone] = .text(zone)
    leaves.keep("timezone", as: "timezone", in: draft.name)
  }

  /// `2026-01-05T08:00:00Z`, or with an offset.
  private static func isInstant(_ text: Substring) -> Bool {
    let form = Array("0000-00-00T00:00:00".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count >= form.count + 1, bytes[0] == 0x32, bytes[1] == 0x30 || bytes[1] == 0x31,
      zip(bytes, form).allSatisfy({ $1 == 0x30 ? $0.isDigit : $0 == $1 })
    else { return false }
    let rest = bytes[form.count...]
    return rest.elementsEqual("Z".utf8)
      || rest.count == 6 && (rest.first == 0x2b || rest.first == 0x2d)
        && rest.dropFirst().allSatisfy { $0.isDigit || $0 == 0x3a }
  }

  // MARK: The command

  private func setCommand(_ job: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft) {
    let config = job["executor_config"]
    let isRead =
      switch job["executor"]?.text ?? "shell" {
      case "shell": config.map { setShell($0, leaves, in: &draft) } ?? false
      case "http": config.map { setRequest($0, leaves, in: &draft) } ?? false
      default: false
      }
    if isRead {
      leaves.keep("executor", as: draft[.use] == nil ? "run" : "use", in: draft.name)
      return
    }
    draft[.run] = .list([.text("true")])
    draft[.enabled] = .word("false")
    for key in ["executor", "executor_config"] {
      leaves.lose(key, "takt has no such command; the job is disabled", in: draft.name)
    }
  }

  private func setShell(
    _ config: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) -> Bool {
    guard let command = config["command"]?.text, !command.isEmpty else { return false }
    if config["shell"]?.text == "true" {
      draft[.run] = .text(CommandText.runnable(command))
    } else if let words = SplitWords.shell(command) {
      draft[.run] = .list(words.map(DraftValue.text))
    } else {
      return false
    }
    draft[.inheritance] = .word("true")
    for key in ["command", "shell"] {
      leaves.keep("executor_config.\(key)", as: "run", in: draft.name)
    }
    if let folder = config["cwd"]?.text, folder.hasPrefix("/") {
      draft[.directory] = .text(folder)
      leaves.keep("executor_config.cwd", as: "cwd", in: draft.name)
    }
    if let text = config["timeout"]?.text, let time = try? DurationText.parse(text),
      time > .zero
    {
      draft[.timeout] = .word(DurationText.format(time))
      leaves.keep("executor_config.timeout", as: "timeout", in: draft.name)
    }
    if let text = config["env"]?.text {
      var variables: [DraftEntry] = []
      for part in text.split(separator: ",").map(\.trimmed) {
        guard let sign = part.firstIndex(of: "="), part[..<sign].isVariableName,
          !part.hasPrefix("TAKT_")
        else {
          leaves.lose(
            "executor_config.env", "takt passes no variable of this name", in: draft.name)
          continue
        }
        let name = String(part[..<sign])
        variables.removeAll { $0.key == name }
        variables.append(
          DraftEntry(key: name, value: .text(String(part[part.index(after: sign)...]))))
      }
      if !variables.isEmpty { draft[.environment] = .map(variables) }
      leaves.keep("executor_config.env", as: "env", in: draft.name)
    }
    return true
  }

  private func setRequest(
    _ config: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) -> Bool {
    guard let url = config["url"]?.text, url.hasPrefix("http://") || url.hasPrefix("https://"),
      !url.contains("{{"), !url.contains("@"), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      url.utf8.count > 8
    else { return false }
    var entries = [DraftEntry(key: "url", value: .text(url))]
    let method = config["method"]?.text ?? "GET"
    guard ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].contains(method) else {
      return false
    }
    entries.append(DraftEntry(key: "method", value: .word(method)))
    leaves.keep("executor_config.url", as: "with.url", in: draft.name)
    leaves.keep("executor_config.method", as: "with.method", in: draft.name)
    if let body = config["body"]?.text, !body.isEmpty {
      entries.append(DraftEntry(key: "body", value: .text(MailAction.literal(body))))
    }
    leaves.keep("executor_config.body", as: "with.body", in: draft.name)
    if let seconds = config["timeout"]?.text.flatMap({ Int($0) }), (1...3600).contains(seconds) {
      entries.append(DraftEntry(key: "timeout", value: .word("\(seconds)s")))
      leaves.keep("executor_config.timeout", as: "with.timeout", in: draft.name)
    }
    let codes = (config["expectCode"]?.text ?? "").split(separator: ",").map(\.trimmed)
    if !codes.isEmpty, codes.allSatisfy({ (100...599).contains(Int($0) ?? 0) }) {
      entries.append(DraftEntry(key: "expect", value: .list(codes.map(DraftValue.text))))
      leaves.keep("executor_config.expectCode", as: "with.expect", in: draft.name)
    }
    draft[.use] = .word("http")
    draft[.with] = .map(entries)
    return true
  }
}
