import TaktCore

extension ServiceImport {
  struct Command {
    var words: [String]
    var ignoresFailure = false
    var expandsVariables = true
    var entry: UnitEntry
  }

  func setCommands(in draft: inout JobDraft) {
    var commands: [Command] = []
    for key in ["ExecStartPre", "ExecStart", "ExecStartPost"] {
      for entry in unit.list("Service", key) {
        let found = self.commands(of: entry, in: &draft)
        commands += found
        if !found.isEmpty {
          report.keep(entry, as: "run", in: draft.name, values: found.flatMap(texts))
        }
      }
    }
    if commands.isEmpty {
      draft[.run] = .list([.text("true")])
      draft[.enabled] = .word("false")
      report.note("\(unit.name) has no command; the job is disabled", at: unit.place)
    } else if commands.count == 1, !commands[0].ignoresFailure {
      draft[.run] = value(of: commands[0])
    } else {
      draft[.steps] = .list(
        commands.map { command in
          var entries = [DraftEntry(key: "run", value: value(of: command))]
          if command.ignoresFailure {
            entries.append(DraftEntry(key: "continue", value: .word("ignore")))
          }
          return .map(entries)
        })
    }
    setOtherCommands(in: &draft)
    setType(in: &draft)
  }

  /// Sets the commands after the end, and reports those that never run.
  private func setOtherCommands(in draft: inout JobDraft) {
    for (key, hooks) in [
      ("ExecStop", [JobKey.onSuccess]), ("ExecStopPost", [.onSuccess, .onFailure]),
    ] {
      for entry in unit.list("Service", key) {
        let found = commands(of: entry, in: &draft)
        guard !found.isEmpty else { continue }
        for command in found {
          for hook in hooks { draft.append(hook, .mapping(["run": value(of: command)])) }
        }
        report.differ(
          entry,
          "in \(hooks.map(\.name).joined(separator: " and ")), after the run; a hook has one minute",
          in: draft.name)
      }
    }
    for entry in unit.list("Service", "ExecReload") {
      report.keep(entry, as: "no run is ever reloaded", in: draft.name)
    }
  }

  private func setType(in draft: inout JobDraft) {
    guard let entry = unit.last("Service", "Type") else { return setRemaining(in: draft) }
    switch entry.value {
    case "forking":
      draft.set(.kill, "leftovers", .word("leave"))
      report.differ(
        entry, "the run ends when the command does; takt leaves its daemon alone", in: draft.name)
    case "notify", "notify-reload", "dbus":
      report.differ(entry, "a run lasts as long as its command", in: draft.name)
    default: report.keep(entry, as: "run", in: draft.name)
    }
    setRemaining(in: draft)
  }

  private func setRemaining(in draft: JobDraft) {
    guard let entry = unit.last("Service", "RemainAfterExit") else { return }
    if Unit.boolean(entry.value) == true {
      report.differ(
        entry, "the job runs at each of its times; the unit would stay active after the first",
        in: draft.name)
    } else {
      report.keep(entry, as: "this is so in any case", in: draft.name)
    }
  }

  /// Reports a line that cannot be kept.
  func commands(of entry: UnitEntry, in draft: inout JobDraft) -> [Command] {
    guard let words = UnitValue.words(entry.value), !words.isEmpty else {
      disable(entry, "systemd does not read this command", in: &draft)
      return []
    }
    var commands: [Command] = []
    for part in words.split(separator: ";").map(Array.init) {
      var command = Command(words: part.map { $0 == "\\;" ? ";" : $0 }, entry: entry)
      guard readPrefixes(of: &command, in: &draft) else { return [] }
      command.words = command.words.map { expand($0, of: entry, in: &draft) }
      guard !command.words[0].isEmpty else {
        disable(entry, "the command has no program", in: &draft)
        return []
      }
      let program = command.words[0]
      guard program.hasPrefix("/") || !program.contains("/"), !program.hasSuffix("/") else {
        disable(entry, "systemd takes the name of a program or its whole path", in: &draft)
        return []
      }
      checkVariables(of: command, in: &draft)
      splitVariables(of: &command, in: &draft)
      commands.append(command)
    }
    return commands
  }

  private func readPrefixes(of command: inout Command, in draft: inout JobDraft) -> Bool {
    var program = command.words[0][...]
    var namesItself = false
    while let sign = program.first, "-@:+!|".contains(sign) {
      program.removeFirst()
      switch sign {
      case "-": command.ignoresFailure = true
      case ":": command.expandsVariables = false
      case "@": namesItself = true
      case "|":
        disable(command.entry, "takt does not run this in the login shell of the user", in: &draft)
        return false
      default:
        if unit.last("Service", "User") != nil {
          disable(
            command.entry, "takt runs all commands of a job as its user, and none with all rights",
            in: &draft)
          return false
        }
      }
    }
    command.words[0] = String(program)
    if namesItself {
      if command.words.count > 1 { command.words.remove(at: 1) }
      report.differ(
        command.entry, "the command's own name is that of its program", in: draft.name)
    }
    guard !command.words[0].isEmpty else {
      disable(command.entry, "systemd does not read this command", in: &draft)
      return false
    }
    return true
  }

  /// Disables the job: a command that differs may do harm.
  func disable(_ entry: UnitEntry, _ sentence: String, in draft: inout JobDraft) {
    draft[.enabled] = .word("false")
    report.lose(entry, sentence + "; the job is disabled", in: draft.name)
  }

  private func texts(_ command: Command) -> [String] { value(of: command).texts }

  /// A list for a program and its arguments; a text if variables must be replaced or a file read,
  /// which only a shell does.
  private func value(of command: Command) -> DraftValue {
    guard command.expandsVariables, command.words.dropFirst().contains(where: Self.hasVariable)
    else {
      let words = plainWords(command)
      if inputFile != nil {
        return .text("exec " + words.map(UnitValue.quoted).joined(separator: " ") + redirection)
      }
      // takt runs a text in the same way.
      if words.count == 3, words[0] == "/bin/sh", words[1] == "-c", !words[2].isEmpty {
        return .text(words[2])
      }
      return .list(words.map(DraftValue.text))
    }
    var splits = false
    let words = command.words.map { word -> String in
      if let name = Self.variable(word) {
        splits = true
        return "$\(name)"
      }
      return Self.shellWord(word).text
    }
    // A variable's value is split at blanks, and not expanded further.
    return .text((splits ? "set -f; " : "") + "exec " + words.joined(separator: " ") + redirection)
  }

  private var redirection: String { inputFile.map { " <\(UnitValue.quoted($0))" } ?? "" }

  func shellText(_ command: Command) -> String {
    guard command.expandsVariables, command.words.dropFirst().contains(where: Self.hasVariable)
    else { return plainWords(command).map(UnitValue.quoted).joined(separator: " ") + redirection }
    return "(\(value(of: command).texts.joined()))"
  }

  /// The words to pass without a shell.
  private func plainWords(_ command: Command) -> [String] {
    command.expandsVariables
      ? command.words.map { $0.replacing("$$", with: "$") } : command.words
  }

  private static func hasVariable(_ word: String) -> Bool {
    variable(word) != nil || shellWord(word).hasVariable
  }

  /// The name in a word that is only `$NAME`.
  static func variable(_ word: String) -> String? {
    guard word.hasPrefix("$") else { return nil }
    let name = String(word.dropFirst())
    return name.isVariableName ? name : nil
  }

  /// `${NAME}` is the value, `$$` a dollar sign.
  private static func shellWord(_ word: String) -> (text: String, hasVariable: Bool) {
    var parts: [String] = []
    var hasVariable = false
    var literal = ""
    var rest = word[...]
    func close() {
      if !literal.isEmpty { parts.append(UnitValue.quoted(literal)) }
      literal = ""
    }
    while let sign = rest.popFirst() {
      if sign == "$", rest.first == "$" {
        rest.removeFirst()
        literal.append("$")
      } else if sign == "$", rest.first == "{", let end = rest.firstIndex(of: "}"),
        rest[rest.index(after: rest.startIndex)..<end].isVariableName
      {
        close()
        hasVariable = true
        parts.append("\"$\(rest[...end])\"")
        rest = rest[rest.index(after: end)...]
      } else {
        literal.append(sign)
      }
    }
    close()
    return (parts.isEmpty ? "''" : parts.joined(), hasVariable)
  }
}
