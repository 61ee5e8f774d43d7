import TaktCore

struct CronJobs {
  let context: ImportContext
  let dialect: CronDialect

  static let standardPath = "/usr/bin:/bin"
  /// The working directory of Debian's cron itself.
  static let spoolFolder = "/var/spool/cron"

  /// Sets keys for behavior of cron that is not takt's default.
  func setManners(of draft: inout JobDraft) {
    draft[.overlap] = .word("allow")
    draft[.missed] = .mapping(["policy": .word("skip")])
    draft[.kill] = .mapping(["leftovers": .word("leave")])
    draft[.inheritance] = .word("false")
  }

  /// Sets the environment, the folder, the shell and the mail of a job.
  ///
  /// - Parameters:
  ///   - user: the owner of the job.
  ///   - isNamed: true if the job has the key `user`, so that takt sets `HOME` and `LOGNAME`.
  func setSurroundings(
    of draft: inout JobDraft, user: ImportAccounts.User, isNamed: Bool, variables: CronVariables
  ) {
    var environment: [(name: String, value: String)] = []
    for (name, value, file) in context.loginVariables
    where !["SHELL", "PATH", "HOME", "LOGNAME", "USER"].contains(name) {
      environment.append((name, value))
      context.report.note(
        "each job has \(name)=\(value) of this file, as with cron",
        at: SourceLocation(file: context.shown(file)))
    }
    environment += [("SHELL", "/bin/sh"), ("PATH", Self.standardPath)]
    if !isNamed {
      environment += [("HOME", user.home), ("LOGNAME", user.name)]
      if dialect == .cronie { environment.append(("USER", user.name)) }
    }
    var home = user.home
    for (number, variable) in variables.variables.enumerated() {
      let (name, value) = (variable.name, variable.value)
      if variables.variables[(number + 1)...].contains(where: { $0.name == name }) {
        context.report.keep(variable.token, as: "a later line counts")
        continue
      }
      // Debian's cron gives USER no special meaning, and passes it on.
      if name == "LOGNAME" || name == "USER" && dialect == .cronie {
        context.report.keep(variable.token, as: "cron sets \(name) itself")
        if value != user.name {
          context.report.note(
            "cron sets \(name) itself, to the user of each job, and so does takt: this line changes "
              + "nothing", at: variable.token.place)
        }
        continue
      }
      guard name.isVariableName, !name.hasPrefix("TAKT_") else {
        context.report.lose(variable.token, "takt passes no variable of this name")
        continue
      }
      environment.removeAll { $0.name == name }
      environment.append((name: name, value: value))
      if name == "HOME" { home = value }
      if setMeaning(of: variable, in: &draft) { continue }
      context.report.keep(
        variable.token, as: name == "SHELL" ? "shell" : "env.\(name)", in: draft.name,
        values: [value])
      if value.contains("$") {
        context.report.note(
          "cron does not replace '$' here, and neither does takt", at: variable.token.place)
      }
    }
    if let shell = variables["SHELL"] { setShell(shell, variables, of: &draft) }
    draft[.environment] = .map(environment.map { DraftEntry(key: $0.name, value: .text($0.value)) })
    draft[.directory] = .text(home)
    if variables["MAILTO"] != "" {
      draft[.onSuccess] = MailHooks.value
      draft[.onFailure] = MailHooks.value
      // cron's mails have both streams, in the order of printing.
      draft.set(.output, "merge", .word("true"))
    }
  }

  /// Without the home folder, Debian's cron stays in its own folder, and cronie starts nothing.
  ///
  /// - Parameter home: the user's, which may be missing in a partial copy of a machine.
  func settleFolder(of draft: inout JobDraft, at place: SourceLocation, home: String) {
    guard case .text(let folder)? = draft[.directory] else { return }
    guard context.tree.lacks(folder) else {
      if folder != home, context.tree.kind(of: folder) != .folder {
        context.report.note(
          "there is no folder \(folder) below --root: the jobs start only if their machine has it",
          at: SourceLocation(file: place.file))
      }
      return
    }
    let reason = "there is no folder \(folder.isEmpty ? "''" : folder)"
    guard dialect == .debian else {
      draft[.directory] = .text("/")
      draft[.enabled] = .word("false")
      return context.report.note(
        "\(reason): cron does not start this, and so the job is not enabled", at: place)
    }
    let own = Self.spoolFolder
    let isHere = context.tree.kind(of: own) == .folder
    draft[.directory] = .text(isHere ? own : "/")
    context.report.note(
      isHere
        ? "\(reason): cron starts this in \(own), and so does takt"
        : "\(reason): cron starts this in \(own), and takt in '/', since that is not here, either",
      at: place)
  }

  private func setShell(_ shell: String, _ variables: CronVariables, of draft: inout JobDraft) {
    guard let token = variables.variables.last(where: { $0.name == "SHELL" })?.token else { return }
    guard shell.hasPrefix("/") else {
      context.report.lose(token, "cron starts no shell without a path", in: draft.name)
      return
    }
    if shell != "/bin/sh" { draft[.shell] = .text(shell) }
  }

  /// Handles variables that cron reads itself; true if nothing is left to do.
  private func setMeaning(of variable: CronVariables.Variable, in draft: inout JobDraft) -> Bool {
    let report = context.report
    switch variable.name {
    case "MAILTO":
      report.differ(
        variable.token,
        variable.value.isEmpty
          ? "takt mails nothing; its log has the output"
          : "hooks mail at most the last 4 KB of the output; the subject has the name of the job",
        in: draft.name)
      return true
    case "CRON_TZ":
      guard dialect == .cronie else {
        report.differ(
          variable.token,
          "Debian's cron keeps to the machine's time zone all the same, and so do the jobs; import "
            + "with --dialect cronie for 'timezone'", in: draft.name)
        return true
      }
      let zone = variable.value.hasPrefix(":") ? String(variable.value.dropFirst()) : variable.value
      guard context.options.isZone(zone) else {
        context.report.lose(
          variable.token, "there is no such time zone; cron takes UTC for it", in: draft.name)
        return true
      }
      if draft[.cron] != nil { draft[.timezone] = .text(zone) }
      report.keep(variable.token, as: "timezone", in: draft.name, values: [zone])
      return true
    case "RANDOM_DELAY":
      guard dialect == .cronie, let minutes = Int(variable.value), (0...1440).contains(minutes)
      else { return false }
      if draft[.cron] != nil, minutes > 0 { draft[.jitter] = .word("\(minutes)m") }
      report.differ(
        variable.token,
        "'jitter' draws a delay for each slot; cron draws a factor once, when it starts",
        in: draft.name)
      return true
    default: return false
    }
  }
}
