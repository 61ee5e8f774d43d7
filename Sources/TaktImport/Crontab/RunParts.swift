import TaktCore

struct RunParts {
  let context: ImportContext

  /// The scripts that run-parts runs, in its order.
  func scripts(in folder: String) -> [String] {
    context.names(in: folder).filter { name in
      guard isNamedRight(name) else {
        if name != ".placeholder" {
          note(
            "run-parts does not run a file of this name, and so there is no job for it", folder,
            name)
        }
        return false
      }
      // These tell anacron that the folder has had its turn; the jobs run without anacron.
      if name == "0anacron" || name == "anacron" { return false }
      guard context.tree.isExecutable(folder + "/" + name) else {
        if context.tree.kind(of: folder + "/" + name) == .file {
          note(
            "not executable: run-parts does not run it, and so there is no job for it", folder, name
          )
        }
        return false
      }
      return true
    }
  }

  private func note(_ sentence: String, _ folder: String, _ name: String) {
    context.report.note(sentence, at: SourceLocation(file: context.shown(folder + "/" + name)))
  }

  private func isNamedRight(_ name: String) -> Bool {
    switch context.dialect {
    case .debian:
      return name.isPlainFileName
    case .cronie:
      return !name.hasPrefix(".") && !name.hasSuffix("~") && !name.hasPrefix("#")
        && !name.hasSuffix(",v") && !name.hasSuffix(".cfsaved") && !name.contains(".rpm")
        && !name.hasSuffix(".swp")
    }
  }

  /// Adds a job for each script: the first has the times, each other runs after the one before it.
  ///
  /// - Parameters:
  ///   - first: a draft with the times of the folder.
  ///   - settle: sets the keys that all jobs share.
  /// - Returns: the names of the jobs.
  func addJobs(
    for scripts: [String], in folder: ScriptFolder, first: JobDraft,
    settle: (inout JobDraft) -> Void
  ) -> [String] {
    let last = folder.path.split(separator: "/").last
    let period = last.map { $0.drop { $0 != "." }.dropFirst() } ?? ""
    var previous: String?
    var names: [String] = []
    for script in scripts {
      let name = context.newName(like: period.isEmpty ? script : "\(period)-\(script)")
      var draft = previous == nil ? first : JobDraft(name: name, comments: [])
      draft.name = name
      draft.comments = first.comments + [context.shown(folder.path + "/" + script)]
      if let previous {
        draft[.after] = .mapping(["job": .text(previous), "on": .word("any")])
      }
      settle(&draft)
      folder.setPriorities(of: &draft)
      // run-parts starts scripts without a shell.
      draft[.shell] = nil
      draft[.run] = .list([.text(folder.path + "/" + script)])
      context.add(draft)
      names.append(name)
      previous = name
    }
    return names
  }
}

extension CrontabImport {
  /// Makes a job for each script of a folder that the line runs; false if it runs none, or is
  /// better kept as it is.
  func expand(
    _ entry: Entry, _ text: CommandText, _ user: ImportAccounts.User, _ variables: CronVariables
  ) -> Bool {
    let report = context.report
    if context.hasAnacronJobs, CommandGuards.startsAnacron(text.command) {
      for token in entry.times + [entry.user].compactMap(\.self) {
        report.keep(token, as: "the jobs of the anacrontab have their own times")
      }
      report.differ(entry.command, "the jobs of the anacrontab do this work, without anacron")
      return true
    }
    guard let folder = ScriptFolder(command: text.command),
      context.tree.kind(of: folder.path) == .folder
    else { return false }
    if context.hasAnacronJobs, text.command.contains("-x /usr/sbin/anacron") {
      for token in entry.times + [entry.user].compactMap(\.self) {
        report.keep(token, as: "the jobs of the anacrontab have their own times")
      }
      report.differ(
        entry.command,
        "anacron is installed, so that this does nothing; the anacrontab has the work")
      return true
    }
    let parts = RunParts(context: context)
    let scripts = parts.scripts(in: folder.path)
    guard !scripts.isEmpty else {
      for token in entry.times + [entry.user].compactMap(\.self) {
        report.keep(token, as: "there is no script")
      }
      report.differ(
        entry.command, "the folder has no scripts now; takt does not notice later ones")
      return true
    }
    var first = JobDraft(name: "", comments: comments(of: entry))
    guard setTimes(of: entry, in: &first) else { return false }
    let jobs = CronJobs(context: context, dialect: context.dialect)
    let names = parts.addJobs(for: scripts, in: folder, first: first) { draft in
      jobs.setManners(of: &draft)
      draft[.user] = .text(user.name)
      jobs.setSurroundings(of: &draft, user: user, isNamed: true, variables: variables)
      if text.command.contains("cd /") {
        draft[.directory] = .text("/")
      } else {
        jobs.settleFolder(of: &draft, at: entry.command.place, home: user.home)
      }
    }
    if let token = entry.user { report.keep(token, as: "user") }
    report.differ(
      entry.command,
      "a job for each script, one after the other (\(names.joined(separator: ", "))); takt does not "
        + "notice later scripts")
    return true
  }
}

/// Reads a folder of scripts that the user named directly.
struct RunPartsImport {
  let context: ImportContext

  /// The times of the folders in Debian's `/etc/crontab`.
  private static let times = [
    "hourly": "17 * * * *", "daily": "25 6 * * *", "weekly": "47 6 * * 7", "monthly": "52 6 1 * *",
  ]

  func run(_ folder: String) {
    let period = String(folder.split(separator: ".").last ?? "")
    let shown = context.shown(folder)
    let place = SourceLocation(file: shown)
    let time = Self.times[period] ?? "25 6 * * *"
    context.report.note(
      Self.times[period] == nil
        ? "nothing says when this folder runs: daily at 6:25 is assumed"
        : "the times are those of Debian's /etc/crontab: \(time)", at: place)
    let parts = RunParts(context: context)
    let jobs = CronJobs(context: context, dialect: context.dialect)
    let root =
      context.accounts.user(named: "root") ?? ImportAccounts.User(name: "root", home: "/root")
    var first = JobDraft(name: "", comments: [])
    first[.cron] = .text(time)
    first.times = [.cron(time, rule: .cron)]
    let names = parts.addJobs(
      for: parts.scripts(in: folder), in: ScriptFolder(folder), first: first
    ) { draft in
      jobs.setManners(of: &draft)
      draft[.user] = .text("root")
      jobs.setSurroundings(of: &draft, user: root, isNamed: true, variables: CronVariables())
      draft[.directory] = .text("/")
    }
    context.report.sources.append(
      ImportReport.Source(path: shown, kind: .runParts, jobs: names.count, stop: nil))
  }
}
