import TaktCore
import TaktTime

struct LaunchdImport {
  let context: ImportContext

  private var report: ImportReport { context.report }

  func run(_ text: SourceLines) {
    let job: ForeignNode
    do throws(PropertyList.Problem) {
      job = try PropertyList.read(text)
    } catch {
      return report.cannotRead("\(error.place)", error.sentence)
    }
    let leaves = ForeignLeaves(job, report)
    let name = context.newName(like: job["Label"]?.text ?? "job")
    leaves.keep("Label", as: "the name of the job", in: name)
    var draft = JobDraft(name: name, comments: ["\(text.file):\(job.place.line)"])
    guard setTimes(job, leaves, in: &draft) else {
      report.note(
        "launchd starts this when it is needed and keeps it alive: it is a service and no job",
        at: job.place)
      return leaves.loseRest("the job is left out")
    }
    setCommand(job, leaves, in: &draft)
    setSurroundings(job, leaves, in: &draft)
    setStreams(job, leaves, in: &draft)
    setManners(job, leaves, in: &draft)
    leaves.loseRest("takt has nothing for this")
    context.add(draft)
  }

  // MARK: Times

  private func setTimes(
    _ job: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) -> Bool {
    var hasTimes = false
    if let seconds = job["StartInterval"]?.text.flatMap({ Int($0.trimmedNumber) }),
      (1...316_224_000).contains(seconds)
    {
      draft[.every] = .word(DurationText.format(.seconds(seconds)))
      leaves.differ("StartInterval", "counted from the first load of the job", in: draft.name)
      hasTimes = true
    }
    if let calendar = job["StartCalendarInterval"], setCalendar(calendar, leaves, in: &draft) {
      hasTimes = true
    }
    if job["RunAtLoad"]?.text == "true" {
      draft[.on] = .word("start")
      leaves.differ("RunAtLoad", "when takt starts", in: draft.name)
      hasTimes = true
    } else {
      leaves.keep("RunAtLoad", as: "on", in: draft.name)
    }
    let paths = job["WatchPaths"]?.texts ?? []
    if !paths.isEmpty, paths.allSatisfy({ $0.hasPrefix("/") }) {
      draft[.watch] = .list(paths.map { .mapping(["path": .text($0)]) })
      leaves.keep("WatchPaths", as: "watch", in: draft.name)
      hasTimes = true
    }
    return hasTimes
  }

  /// Returns false if takt can read none of the times.
  private func setCalendar(
    _ calendar: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) -> Bool {
    var items = [calendar]
    if case .list(let list) = calendar.content { items = list }
    var texts: [String] = []
    var hasBoth = false
    for item in items {
      guard let text = Self.cron(item), let expression = try? CronExpression(text),
        expression.next(after: WallInstant(milliseconds: 0), in: .utc, days: .any) != nil
      else {
        leaves.lose(item, "takt does not read these times", in: draft.name)
        continue
      }
      if expression.hasBothDayFields { hasBoth = true }
      if !texts.contains(text) { texts.append(text) }
      leaves.keep(item, as: "cron", in: draft.name)
    }
    guard let first = texts.first else { return false }
    draft[.cron] = texts.count == 1 ? .text(first) : .list(texts.map(DraftValue.text))
    if hasBoth { draft[.days] = .word("any") }
    draft.times = texts.map { .cron($0, rule: .any) }
    return true
  }

  private static func cron(_ item: ForeignNode) -> String? {
    guard case .map(let entries) = item.content,
      entries.allSatisfy({
        fields.contains($0.key) && Int($0.value.text?.trimmedNumber ?? "") != nil
      })
    else { return nil }
    return fields.map { item[$0]?.text?.trimmedNumber ?? "*" }.joined(separator: " ")
  }

  private static let fields = ["Minute", "Hour", "Day", "Month", "Weekday"]

  // MARK: The command

  private func setCommand(_ job: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft) {
    var words = job["ProgramArguments"]?.texts ?? []
    if let program = job["Program"]?.text {
      if words.first != nil, words.first != program {
        leaves.differ("Program", "it is its own first argument, too", in: draft.name)
      } else {
        leaves.keep("Program", as: "run", in: draft.name)
      }
      words = [program] + words.dropFirst()
    }
    guard words.first?.isEmpty == false else {
      draft[.run] = .list([.text("true")])
      draft[.enabled] = .word("false")
      return leaves.lose(
        "ProgramArguments", "there is no program; the job is disabled", in: draft.name)
    }
    draft[.run] = .list(words.map(DraftValue.text))
    leaves.keep("ProgramArguments", as: "run", in: draft.name)
    if let word = words.first(where: { $0.hasPrefix("/opt/homebrew/") || $0.hasPrefix("/Users/") })
    {
      report.note("'\(word)' is a path of macOS", at: job.place)
    }
    if job["Disabled"]?.text == "true" { draft[.enabled] = .word("false") }
    leaves.keep("Disabled", as: "enabled", in: draft.name)
  }

  private func setSurroundings(
    _ job: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft
  ) {
    draft[.inheritance] = .list(
      ["HOME", "LOGNAME", "SHELL", "TMPDIR", "USER"].map(DraftValue.text))
    var variables = [DraftEntry(key: "PATH", value: .text("/usr/bin:/bin:/usr/sbin:/sbin"))]
    if case .map(let entries)? = job["EnvironmentVariables"]?.content {
      for entry in entries {
        guard entry.key.isVariableName, !entry.key.hasPrefix("TAKT_"),
          let value = entry.value.text
        else { continue }
        variables.removeAll { $0.key == entry.key }
        variables.append(DraftEntry(key: entry.key, value: .text(value)))
        leaves.keep("EnvironmentVariables.\(entry.key)", as: "env", in: draft.name)
      }
    }
    draft[.environment] = .map(variables)
    draft[.directory] = .text("/")
    if let folder = job["WorkingDirectory"]?.text, folder.hasPrefix("/") {
      draft[.directory] = .text(folder)
      leaves.keep("WorkingDirectory", as: "cwd", in: draft.name)
    }
    for (source, key) in [("UserName", JobKey.user), ("GroupName", .group)] {
      guard let name = job[source]?.text, !name.isEmpty else { continue }
      draft[key] = .text(name)
      leaves.keep(source, as: key.name, in: draft.name)
    }
    // A number is decimal in a property list.
    if let text = job["Umask"]?.text, let mask = Int(text, radix: text.hasPrefix("0") ? 8 : 10),
      (0...0o777).contains(mask)
    {
      let digits = String(mask, radix: 8)
      draft[.umask] = .word(String(repeating: "0", count: 3 - digits.utf8.count) + digits)
      leaves.keep("Umask", as: "umask", in: draft.name)
    }
    if let nice = job["Nice"]?.text.flatMap({ Int($0) }), (-20...19).contains(nice) {
      draft[.nice] = .word("\(nice)")
      leaves.keep("Nice", as: "nice", in: draft.name)
    }
    if job["ProcessType"]?.text == "Background" {
      draft[.qos] = .word("background")
      leaves.keep("ProcessType", as: "qos", in: draft.name)
    }
    if job["LowPriorityIO"]?.text == "true" {
      draft[.inputOutput] = .word("idle")
      leaves.keep("LowPriorityIO", as: "ionice", in: draft.name)
    }
  }

  /// takt has one file for both streams.
  private func setStreams(_ job: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft) {
    let keys = ["StandardOutPath", "StandardErrorPath"]
    let paths = keys.map { job[$0]?.text }.map { $0 == "/dev/null" ? nil : $0 }
    for (key, path) in zip(keys, paths) where path == nil {
      leaves.differ(key, "takt keeps the output in its ledger and log", in: draft.name)
    }
    guard let path = paths[0] ?? paths[1], path.hasPrefix("/") else { return }
    draft.set(.output, "file", .mapping(["path": .text(path)]))
    for (key, own) in zip(keys, paths) where own != nil {
      leaves.differ(
        key,
        own == path
          ? "'output.file' has both streams, and begins a new file at 10 MB"
          : "both streams are in \(path)", in: draft.name)
    }
  }

  private func setManners(_ job: ForeignNode, _ leaves: ForeignLeaves, in draft: inout JobDraft) {
    draft[.overlap] = .word("skip")
    draft[.missed] = .mapping(["policy": .word("last")])
    let grace = job["ExitTimeOut"]?.text.flatMap { Int($0) } ?? 20
    if (1...86_400).contains(grace) {
      draft.set(.kill, "grace", .word(DurationText.format(.seconds(grace))))
      leaves.keep("ExitTimeOut", as: "kill.grace", in: draft.name)
    }
    if job["AbandonProcessGroup"]?.text == "true" {
      draft.set(.kill, "leftovers", .word("leave"))
    }
    leaves.keep("AbandonProcessGroup", as: "kill.leftovers", in: draft.name)
    if job["KeepAlive"]?.text == "false" {
      leaves.keep("KeepAlive", as: "a job is not started again", in: draft.name)
    } else {
      leaves.lose("KeepAlive", "takt does not start a job again that ends", in: draft.name)
    }
  }
}

extension String {
  /// Removes blanks, which `<integer> 5 </integer>` may contain.
  fileprivate var trimmedNumber: String { filter { !$0.isWhitespace } }
}
