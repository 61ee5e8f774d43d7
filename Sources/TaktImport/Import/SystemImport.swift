import Glibc
import TaktCore

struct SystemImport {
  let context: ImportContext
  let store: UnitStore

  private var tree: ImportTree { context.tree }

  func run() {
    context.hasAnacronJobs =
      tree.kind(of: "/etc/anacrontab") == .file && tree.isExecutable("/usr/sbin/anacron")
    if tree.kind(of: "/etc/crontab") == .file { readCrontab("/etc/crontab", owner: nil, hint: nil) }
    if tree.kind(of: "/etc/cron.d") == .folder { readCronD("/etc/cron.d") }
    readUsers()
    if context.hasAnacronJobs { readAnacrontab() }
    for name in store.timers() { readEnabled(name) }
  }

  /// Reads the files of a folder like `/etc/cron.d`, by cron's rules for their names and owners.
  func readCronD(_ folder: String) {
    for name in context.names(in: folder) {
      let path = folder + "/" + name
      guard name != ".placeholder", context.isFile(path) else { continue }
      if let reason = refusal(of: name) {
        context.report.note(
          "cron does not read a file of this name (\(reason)), and so there are no jobs for it",
          at: SourceLocation(file: context.shown(path)))
        continue
      }
      readCrontab(path, owner: nil, hint: name)
    }
  }

  private func refusal(of name: String) -> String? {
    switch context.dialect {
    case .debian:
      let isRight = name.isPlainFileName
      return isRight ? nil : "Debian's takes letters, digits, '_' and '-'"
    case .cronie:
      let isWrong =
        name.hasPrefix(".") || name.hasPrefix("#") || name.hasSuffix("~")
        || [".rpmsave", ".rpmorig", ".rpmnew"].contains(where: name.hasSuffix)
      return isWrong ? "it starts with '.' or '#', or is a copy" : nil
    }
  }

  private func readCrontab(_ path: String, owner: String?, hint: String?) {
    guard let (text, user) = context.text(of: path, owner == nil ? .cronD : .crontab) else {
      return
    }
    if tree.root.isEmpty, owner == nil, user != 0 {
      context.report.note(
        "the file does not belong to root: cron does not read it, and so there are no jobs for it",
        at: SourceLocation(file: text.file))
      for line in text.lines {
        guard let trimmed = line.trimmed, line.scalars[trimmed.lowerBound] != "#" else { continue }
        context.report.keep(line.token(trimmed), as: "cron does not read this file")
      }
      return
    }
    let count = context.jobs.count
    CrontabImport(
      context: context, kind: owner == nil ? .cronD : .crontab, owner: owner, nameHint: hint,
      expandsFolders: true
    ).run(text)
    context.report.sources.append(
      ImportReport.Source(
        path: text.file, kind: owner == nil ? .cronD : .crontab, jobs: context.jobs.count - count,
        stop: context.stop(of: owner == nil ? .cronD : .crontab, text.file, owner: owner)))
  }

  private func readUsers() {
    for folder in ["/var/spool/cron/crontabs", "/var/spool/cron"] {
      guard tree.kind(of: folder) == .folder else { continue }
      guard tree.canList(folder) else {
        context.report.cannotRead(context.shown(folder), "only root may read the crontabs of users")
        continue
      }
      for name in context.names(in: folder) where tree.kind(of: folder + "/" + name) == .file {
        readCrontab(folder + "/" + name, owner: name, hint: nil)
      }
    }
  }

  private func readAnacrontab() {
    guard let (text, _) = context.text(of: "/etc/anacrontab", .anacrontab) else { return }
    let count = context.jobs.count
    AnacrontabImport(context: context, expandsFolders: true).run(text)
    context.report.sources.append(
      ImportReport.Source(
        path: text.file, kind: .anacrontab, jobs: context.jobs.count - count,
        stop: context.stop(of: .anacrontab, text.file, owner: nil)))
  }

  private func readEnabled(_ name: String) {
    if name.hasSuffix("@.timer") { return }
    guard context.options.includesDisabled || store.isEnabled(name) else {
      return context.report.note(
        "not enabled, and so there is no job for it; --all imports it, too",
        at: SourceLocation(file: name))
    }
    readTimer(name, shown: name)
  }

  /// Makes jobs of a timer, or of all enabled instances of a template.
  func readTimer(_ name: String, shown: String) {
    if name.hasSuffix("@.timer") {
      let instances = store.instances(of: name)
      if instances.isEmpty {
        context.report.cannotRead(
          shown,
          "a template of which no instance is enabled; name one, such as "
            + name.replacing("@.", with: "@NAME."))
      }
      for instance in instances { readTimer(instance, shown: instance) }
      return
    }
    switch store.find(name) {
    case .masked:
      context.report.note(
        "masked, and so there is no job for it", at: SourceLocation(file: shown))
    case .missing: context.report.cannotRead(shown, "there is no such unit")
    case .unit(let timer):
      if context.hasAnacronJobs, timer.name == "anacron.timer" {
        for entry in timer.entries {
          context.report.keep(entry, as: "the jobs of the anacrontab do this work, without anacron")
        }
        return
      }
      let count = TimerImport(context: context, store: store).run(timer)
      context.report.sources.append(
        ImportReport.Source(
          path: timer.files.first ?? shown, kind: .systemd, jobs: count,
          stop: context.stop(ofTimer: name, store.manager)))
      if let user = store.manager.user,
        tree.kind(of: "/var/lib/systemd/linger/\(user.name)") == .none
      {
        context.report.note(
          "systemd runs the timers of '\(user.name)' only while the user is logged in; takt always "
            + "does", at: timer.place)
      }
    }
  }
}

extension ImportContext {
  var ownUser: UInt32 { geteuid() }

  /// The command that stops a source; nil if there is none, or nothing runs the file.
  func stop(of kind: SourceKind, _ path: String, owner: String?) -> String? {
    let isStandardInput = path == Self.standardInput
    // So that no program takes the path for an option.
    let quoted = UnitValue.quoted(path.hasPrefix("-") ? "./" + path : path)
    switch kind {
    case .crontab:
      guard tree.root.isEmpty else { return owner == nil ? nil : "mv \(quoted) \(quoted).off" }
      guard let owner else {
        return isStandardInput ? "crontab -l > crontab.old && crontab -r" : nil
      }
      let user = UnitValue.quoted(owner)
      return "crontab -u \(user) -l > \(user).crontab && crontab -u \(user) -r"
    case .cronD, .anacrontab:
      // cronie reads files of nearly any name, except for backup copies.
      let suffix = kind == .cronD && dialect == .cronie ? "~" : ".off"
      return isStandardInput ? nil : "mv \(quoted) \(quoted)\(suffix)"
    case .supercronic, .runParts, .systemd, .kubernetes, .yacron, .ofelia, .dkron, .github:
      return nil
    case .launchd:
      return isStandardInput || !tree.root.isEmpty ? nil : "launchctl unload -w \(quoted)"
    }
  }

  func stop(ofTimer name: String, _ manager: UnitManager) -> String? {
    let quoted = UnitValue.quoted(name)
    if let user = manager.user {
      guard tree.root.isEmpty else {
        let link = "\(user.home)/.config/systemd/user/timers.target.wants/\(name)"
        guard tree.kind(of: link, followsLast: false) != .none else { return nil }
        return "rm \(UnitValue.quoted(tree.root + link))"
      }
      // root names the instance of another user.
      let instance = accounts.own?.name == user.name ? "" : " --machine=\(user.name)@.host"
      return "systemctl --user\(instance) disable --now \(quoted)"
    }
    return tree.root.isEmpty
      ? "systemctl disable --now \(quoted)"
      : "systemctl --root=\(UnitValue.quoted(tree.root)) disable \(quoted)"
  }

  static let standardInput = "standard input"
}
