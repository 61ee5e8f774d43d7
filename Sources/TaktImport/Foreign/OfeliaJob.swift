import TaktCore

/// One job of Ofelia, from a file or from labels.
struct OfeliaJob {
  /// The container with the labels.
  enum Target {
    case container(String)
    case service(String, file: String)
  }

  let context: ImportContext
  let section: Ofelia.Section
  let global: Ofelia.Section?
  /// Nil for a job from a file.
  let target: Target?
  /// The zone of the container in which Ofelia runs.
  let zone: String?

  private var report: ImportReport { context.report }

  func add() {
    for entry in section.entries { report.expect(entry.token) }
    var draft = JobDraft(
      name: context.newName(like: section.name),
      comments: ["\(section.place.file):\(section.place.line) \(section.kind)"])
    guard !hasVariable, setTimes(in: &draft) else {
      return loseRest("the job is left out")
    }
    draft[.overlap] = .word(value("no-overlap") == "true" ? "skip" : "allow")
    keep("no-overlap", as: "overlap", in: draft)
    if draft[.on] == nil { draft[.missed] = .mapping(["policy": .word("skip")]) }
    if let words = words(in: &draft) {
      draft[.run] = .list(words.map(DraftValue.text))
      keep("command", as: "run", in: draft)
    } else {
      draft[.run] = .list([.text("true")])
      draft[.enabled] = .word("false")
      report.note("takt has no command for this job, and so it is disabled", at: section.place)
    }
    setReports(in: &draft)
    loseRest("takt has nothing for this")
    context.add(draft)
  }

  // MARK: Values

  private func value(_ key: String) -> String? { section.entries.last { $0.key == key }?.value }

  /// All values of a repeatable key; a label has a list in JSON instead.
  private func values(_ key: String) -> [String] {
    section.entries.filter { $0.key == key }.flatMap { entry in
      guard target != nil, entry.value.hasPrefix("[") else { return [entry.value] }
      let file = context.options.readYAML(section.place.file, Array(entry.value.utf8))
      return file.documents.first?.texts ?? [entry.value]
    }
  }

  private func keep(_ key: String, as name: String, in draft: JobDraft) {
    for entry in section.entries where entry.key == key {
      report.keep(entry.token, as: name, in: draft.name)
    }
  }

  private func differ(_ key: String, _ sentence: String, in draft: JobDraft) {
    for entry in section.entries where entry.key == key {
      report.differ(entry.token, sentence, in: draft.name)
    }
  }

  private func lose(_ key: String, _ sentence: String, in draft: JobDraft) {
    for entry in section.entries where entry.key == key {
      report.lose(entry.token, sentence, in: draft.name)
    }
  }

  private func loseRest(_ sentence: String) {
    for entry in section.entries where report.isOpen(entry.token) {
      report.lose(entry.token, sentence)
    }
  }

  /// True if Compose fills in a label.
  private var hasVariable: Bool {
    guard target != nil else { return false }
    let found = section.entries.filter { $0.value.replacing("$$", with: "").contains("$") }
    for entry in found {
      report.lose(
        entry.token,
        "Compose fills in this variable; import what 'docker compose config' prints")
    }
    return !found.isEmpty
  }

  /// Halves dollar signs in a label's value, as Compose does.
  private func plain(_ text: String) -> String {
    target == nil ? text : text.replacing("$$", with: "$")
  }

  // MARK: Times

  private func setTimes(in draft: inout JobDraft) -> Bool {
    guard let text = value("schedule"), let schedule = Ofelia.schedule(text) else {
      lose("schedule", "takt does not read these times", in: draft)
      return false
    }
    schedule.set(in: &draft)
    switch schedule.times {
    case .manual:
      keep("schedule", as: "on: manual", in: draft)
      return true
    case .every:
      differ("schedule", "counted from the first load of the job", in: draft)
      return true
    case .cron: keep("schedule", as: "cron", in: draft)
    }
    let zone = schedule.zone ?? zone ?? "UTC"
    guard context.options.isZone(zone) else {
      lose("schedule", "there is no time zone '\(zone)'", in: draft)
      return true
    }
    draft[.timezone] = .text(zone)
    if schedule.zone == nil, self.zone == nil {
      report.note(
        "the times are in the zone of Ofelia's container, which is UTC unless it has TZ",
        at: SourceLocation(file: section.place.file))
    }
    return true
  }

  // MARK: Commands

  /// Nil if no command does the same.
  private func words(in draft: inout JobDraft) -> [String]? {
    let command = value("command").map(plain) ?? ""
    let arguments = SplitWords.ofelia(command)
    if arguments == nil, !command.allSatisfy(\.isWhitespace) {
      lose("command", "takt does not split this command as Ofelia does", in: draft)
      return nil
    }
    switch section.kind {
    case "job-exec": return execWords(arguments, in: draft)
    case "job-run": return runWords(arguments ?? [], in: draft)
    case "job-local": return localWords(arguments, in: &draft)
    case "job-compose": return composeWords(arguments ?? [], in: draft)
    default:
      lose(
        "command", "takt starts no service of a swarm; write 'docker service create' for it",
        in: draft)
      return nil
    }
  }

  private func execWords(_ arguments: [String]?, in draft: JobDraft) -> [String]? {
    guard let arguments else { return nil }
    var words: [String]
    let name: String
    if let container = value("container") {
      (words, name) = (["docker", "exec"], plain(container))
      keep("container", as: "docker exec", in: draft)
    } else {
      switch target {
      case .container(let container)?: (words, name) = (["docker", "exec"], container)
      case .service(let service, let file)?:
        (words, name) = (["docker", "compose", "--file", file, "exec", "-T"], service)
      case nil: return nil
      }
    }
    words += user(in: draft) + environment(in: draft)
    if value("tty") == "true" {
      differ("tty", "takt has no terminal", in: draft)
    } else {
      keep("tty", as: "docker exec", in: draft)
    }
    return words + [name] + arguments
  }

  private func runWords(_ arguments: [String], in draft: JobDraft) -> [String]? {
    guard let image = value("image").map(plain), !image.isEmpty else {
      guard let container = value("container") else { return nil }
      keep("container", as: "docker start", in: draft)
      return ["docker", "start", "--attach", plain(container)]
    }
    var words = ["docker", "run"]
    if !["false", "0"].contains(value("delete") ?? "true") { words.append("--rm") }
    keep("delete", as: "docker run --rm", in: draft)
    if !["false", "0"].contains(value("pull") ?? "true") {
      for key in ["image", "pull"] {
        differ(
          key, "Ofelia pulls the image before each run; add '--pull always' for that", in: draft)
      }
    } else {
      for key in ["image", "pull"] { keep(key, as: "docker run", in: draft) }
    }
    words += user(in: draft)
    if let network = value("network") { words += ["--network", plain(network)] }
    differ("network", "the container is in this network alone", in: draft)
    if let name = value("hostname") { words += ["--hostname", plain(name)] }
    keep("hostname", as: "docker run --hostname", in: draft)
    for volume in values("volume") { words += ["--volume", plain(volume)] }
    for name in values("volumes-from") { words += ["--volumes-from", plain(name)] }
    for key in ["volume", "volumes-from"] { keep(key, as: "docker run --\(key)", in: draft) }
    words += environment(in: draft)
    if value("tty") == "true" { words.append("--tty") }
    keep("tty", as: "docker run --tty", in: draft)
    return words + [image] + arguments
  }

  private func localWords(_ arguments: [String]?, in draft: inout JobDraft) -> [String]? {
    guard let arguments else { return nil }
    differ(
      "command", "runs on this machine; Ofelia runs it in its own container, where it has one",
      in: draft)
    if let folder = value("dir").map(plain), folder.hasPrefix("/") {
      draft[.directory] = .text(folder)
      keep("dir", as: "cwd", in: draft)
    }
    draft[.inheritance] = .word("true")
    var variables: [DraftEntry] = []
    for key in ["environment", "env"] {
      for text in values(key).map(plain) {
        guard let sign = text.firstIndex(of: "="), text[..<sign].isVariableName,
          !text.hasPrefix("TAKT_")
        else {
          lose(key, "takt passes no variable of this name", in: draft)
          continue
        }
        let name = String(text[..<sign])
        variables.removeAll { $0.key == name }
        variables.append(
          DraftEntry(key: name, value: .text(String(text[text.index(after: sign)...]))))
      }
      keep(key, as: "env", in: draft)
    }
    if !variables.isEmpty { draft[.environment] = .map(variables) }
    return arguments
  }

  private func composeWords(_ arguments: [String], in draft: JobDraft) -> [String]? {
    guard let service = value("service").map(plain) else { return nil }
    let isExec = value("exec") == "true"
    for key in ["service", "exec", "file"] { keep(key, as: "docker compose", in: draft) }
    return ["docker", "compose", "--file", value("file").map(plain) ?? "compose.yml"]
      + (isExec ? ["exec", "-T"] : ["run", "--rm"]) + [service] + arguments
  }

  private func user(in draft: JobDraft) -> [String] {
    keep("user", as: "--user", in: draft)
    let general = global?.entries.last { $0.key == "default-user" }
    if let general { report.keep(general.token, as: "--user") }
    let user = value("user").map(plain) ?? general?.value ?? Ofelia.defaultUser
    return user.isEmpty ? [] : ["--user", user]
  }

  private func environment(in draft: JobDraft) -> [String] {
    ["environment", "env"].flatMap { key in
      keep(key, as: "--env", in: draft)
      return values(key).flatMap { ["--env", plain($0)] }
    }
  }

  // MARK: Reports

  /// Sets mails, Slack and files from the job's settings, or else from those for all jobs.
  private func setReports(in draft: inout JobDraft) {
    func said(_ key: String) -> String? {
      let entry =
        section.entries.last { $0.key == key } ?? global?.entries.last { $0.key == key }
      guard let entry else { return nil }
      report.keep(entry.token, as: "on_failure", in: draft.name)
      return plain(entry.value)
    }
    if let url = said("slack-webhook"), url.hasPrefix("https://"), !url.contains("{{"),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    {
      let action = DraftValue.mapping([
        "use": .word("notify"), "with": .mapping(["to": .word("slack"), "url": .text(url)]),
      ])
      draft.append(.onFailure, action)
      if said("slack-only-on-error") != "true" { draft.append(.onSuccess, action) }
    }
    if let host = said("smtp-host"), let from = said("email-from"), let to = said("email-to") {
      let mail = MailAction(
        host: host, port: said("smtp-port"), user: said("smtp-user"),
        password: said("smtp-password"), from: from, to: to)
      guard let action = mail.value else {
        report.note("takt cannot send the mails of this job; write 'use: mail'", at: section.place)
        return
      }
      draft.append(.onFailure, action)
      if said("mail-only-on-error") != "true" { draft.append(.onSuccess, action) }
    }
    for key in ["save-folder", "save-only-on-error"] {
      guard
        let entry = section.entries.last(where: { $0.key == key })
          ?? global?.entries.last(where: { $0.key == key })
      else { continue }
      report.differ(entry.token, "takt keeps the output in its ledger; see 'output.file'")
    }
  }
}
