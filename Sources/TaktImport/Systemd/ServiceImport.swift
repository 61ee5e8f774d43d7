import TaktCore

struct ServiceImport {
  let context: ImportContext
  let unit: Unit
  let manager: UnitManager
  let user: ImportAccounts.User?
  /// The variables that environment files set.
  var fileVariables: [String: String] = [:]
  var inputFile: String?

  var report: ImportReport { context.report }
  var specifiers: Specifiers { Specifiers(unit: unit, manager: manager) }

  init(context: ImportContext, unit: Unit, manager: UnitManager) {
    self.context = context
    self.unit = unit
    self.manager = manager
    let specifiers = Specifiers(unit: unit, manager: manager)
    let named = unit.last("Service", "User").map { specifiers.expand($0.value).text }
    user = named.map { context.accounts.user(named: $0) } ?? manager.user
  }

  func add(to draft: inout JobDraft) {
    for entry in unit.list("Unit", "Description").suffix(1) {
      let text = expand(entry, in: &draft)
      draft[.description] = .text(text)
      report.keep(entry, as: "description", in: draft.name, values: [text])
    }
    for entry in unit.list("Unit", "Documentation") {
      draft.comments.append("See \(entry.value)")
      report.keep(entry, as: "comment", in: draft.name)
    }
    setUser(in: &draft)
    setEnvironment(in: &draft)
    var service = self
    service.fileVariables = setFiles(in: &draft)
    service.setSearchPath(in: &draft)
    setCredentials(in: &draft)
    service.inputFile = inputFile(in: &draft)
    service.setCommands(in: &draft)
    setFolder(in: &draft)
    setRoot(in: &draft)
    service.setConditions(in: &draft)
    setEnds(in: &draft)
    setStreams(in: &draft)
    setPriorities(in: &draft)
    setLimits(in: &draft)
    setFollowers(in: &draft)
    Self.settleRest(of: unit, report)
  }

  /// Replaces specifiers; disables the job if one depends on the running machine.
  func expand(_ entry: UnitEntry, in draft: inout JobDraft) -> String {
    expand(entry.value, of: entry, in: &draft)
  }

  func expand(_ text: String, of entry: UnitEntry, in draft: inout JobDraft) -> String {
    let (text, unknown) = specifiers.expand(text)
    if let first = unknown.first {
      report.lose(
        entry, "only systemd knows the value of \(first); the job is disabled", in: draft.name)
      draft[.enabled] = .word("false")
    }
    return text
  }

  private func setUser(in draft: inout JobDraft) {
    if let name = manager.user?.name, name != context.accounts.own?.name {
      draft[.user] = .text(name)
    }
    if let entry = unit.last("Service", "User") {
      let name = expand(entry, in: &draft)
      if let owner = manager.user, owner.name != name {
        report.lose(
          entry, "systemd runs this as '\(owner.name)' alone; the job is disabled", in: draft.name)
        draft[.enabled] = .word("false")
      } else if manager.user != nil {
        report.keep(entry, as: "user", in: draft.name)
      } else if user == nil {
        report.lose(entry, "there is no user '\(name)'; the job is disabled", in: draft.name)
        draft[.enabled] = .word("false")
      } else {
        draft[.user] = .text(name)
        report.keep(entry, as: "user", in: draft.name, values: [name])
      }
    }
    if let entry = unit.last("Service", "Group") {
      let name = expand(entry, in: &draft)
      if context.accounts.hasGroup(name) {
        draft[.group] = .text(name)
        report.keep(entry, as: "group", in: draft.name, values: [name])
      } else {
        report.lose(entry, "there is no group '\(name)'; the job is disabled", in: draft.name)
        draft[.enabled] = .word("false")
      }
    }
    if let entry = unit.last("Service", "DynamicUser") {
      if Unit.boolean(entry.value) == false {
        report.keep(entry, as: "this is so in any case", in: draft.name)
      } else {
        draft[.enabled] = .word("false")
        report.lose(
          entry, "takt makes no users: name one in 'user'; the job is disabled", in: draft.name)
      }
    }
  }

  /// Another root has other programs.
  private func setRoot(in draft: inout JobDraft) {
    let entries =
      ["RootDirectory", "RootImage"].compactMap { unit.last("Service", $0) }
      + ["ExtensionDirectories", "ExtensionImages"].flatMap { unit.list("Service", $0) }
    for entry in entries {
      if entry.key == "RootDirectory", entry.value == "/" {
        report.keep(entry, as: "this is so in any case", in: draft.name)
      } else {
        disable(entry, "takt runs the programs of the machine itself", in: &draft)
      }
    }
  }

  private func setFolder(in draft: inout JobDraft) {
    var folder = manager.user?.home ?? "/"
    if let entry = unit.last("Service", "WorkingDirectory") {
      var path = expand(entry, in: &draft)
      let isOptional = path.hasPrefix("-")
      if isOptional { path.removeFirst() }
      if path == "~" { path = user?.home ?? "/root" }
      if !path.hasPrefix("/"), isOptional {
        report.keep(entry, as: "systemd ignores a folder without its whole path", in: draft.name)
      } else if !path.hasPrefix("/") {
        report.lose(
          entry, "systemd wants the whole path of a folder; the job is disabled", in: draft.name)
        draft[.enabled] = .word("false")
      } else {
        folder = path
        if isOptional {
          report.differ(entry, "a run fails to start where the folder is missing", in: draft.name)
        } else {
          report.keep(entry, as: "cwd", in: draft.name, values: [path])
        }
      }
    }
    draft[.directory] = .text(folder)
    if let entry = unit.last("Service", "UMask") {
      if let mask = UInt16(entry.value, radix: 8), mask <= 0o777 {
        draft[.umask] = .word(
          String(repeating: "0", count: max(0, 3 - String(mask, radix: 8).utf8.count))
            + String(mask, radix: 8))
        report.keep(entry, as: "umask", in: draft.name)
      } else {
        report.lose(entry, "this is no mask", in: draft.name)
      }
    }
  }

  /// Reports why the remaining entries are not kept.
  static func settleRest(of unit: Unit, _ report: ImportReport) {
    let isOpen = unit.entries.map { report.isOpen($0.tokens[0]) }
    for (number, entry) in unit.entries.enumerated() where isOpen[number] {
      // Settled once all jobs are known.
      if unit.name.hasSuffix(".service"), PulledServices.pulls(entry) { continue }
      let others = unit.entries.indices.dropFirst(number + 1).filter {
        unit.entries[$0].section == entry.section && unit.entries[$0].key == entry.key
      }
      // The last value of a single-valued key counts; an empty value clears a list.
      if others.contains(where: { !isOpen[$0] || unit.entries[$0].value.isEmpty }) {
        report.keep(entry, as: "a later line counts")
      } else if entry.section.hasPrefix("X-") || entry.key.hasPrefix("X-") {
        report.keep(entry, as: "systemd ignores it, too")
      } else if entry.value.isEmpty, entry.key != "CapabilityBoundingSet" {
        report.keep(entry, as: "takes back what came before")
      } else if ForeignUnitKey.isOff(entry) {
        report.keep(entry, as: "this is so in any case")
      } else if entry.key.hasSuffix("Accounting") {
        report.differ(entry, "takt accounts for all runs")
      } else if entry.key == "IgnoreSIGPIPE" {
        report.differ(entry, "SIGPIPE ends a command that writes to a closed pipe")
      } else {
        report.lose(entry, ForeignUnitKey.sentence(of: entry))
      }
    }
  }
}
