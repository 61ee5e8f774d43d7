import TaktCore

/// What a job names on this machine and what is not there. Warnings, for the file may be checked
/// elsewhere than where it runs.
extension SpecBuilder {
  func lookForFiles(of raw: RawJob, _ settled: JobDefaults, _ action: Action) {
    guard let files = sources.machineFiles else { return }
    let execution = settled.execution
    let runsCommand = (action.steps + settled.policies.besides).contains {
      if case .use = $0.action { false } else { true }
    }
    if runsCommand, let flaw = files.flaw(ofFolder: execution.directory) {
      let field = raw.fields[.directory]
      reporter.report(
        .suspicious, severity: .warning, at: field?.mark ?? raw.nameMark,
        "the '\(JobKey.directory)' '\(execution.directory.shortened)' \(flaw.words)",
        hint: flaw == .missing
          ? "create it: mkdir -p \(execution.directory.shortened)" : "name a folder",
        owner: raw.owner)
      return
    }
    lookForSecrets(of: raw, execution, files)
    eachCommand(of: raw) { lookForProgram(of: $0, raw, settled, files) }
    lookForShell(of: raw, settled, action, files)
  }

  private func lookForSecrets(of raw: RawJob, _ execution: Execution, _ files: MachineFiles) {
    let own = raw.fields[.secrets]?.value?.map ?? []
    for (name, secret) in execution.secrets.sorted(by: { $0.key < $1.key }) {
      guard case .file(let path) = secret.source, let flaw = files.flaw(ofFile: path) else {
        continue
      }
      reporter.report(
        .suspicious, severity: .warning,
        at: own.first { $0.name == name }?.nameMark ?? raw.nameMark,
        "the file of the secret '\(name)' \(flaw.words)",
        hint: "create it, or correct '\(Key.file)'", owner: raw.owner)
    }
  }

  private func lookForProgram(
    of field: KeyFields.Field, _ raw: RawJob, _ settled: JobDefaults, _ files: MachineFiles
  ) {
    let execution = settled.execution
    let program: Substring
    var mark = field.mark
    switch field.value {
    case .text(let text):
      guard ShellWord.isShell(execution.shell), let word = ShellWord.program(of: text) else {
        return
      }
      program = word
    case .list(let items):
      guard let first = items.first, let text = first.value.text else { return }
      // That has been reported.
      if Self.isForShell(text) { return }
      program = text[...]
      mark = first.mark
    default: return
    }
    guard let flaw = flaw(ofProgram: String(program), "program", settled, files) else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark, flaw.message, hint: flaw.hint, owner: raw.owner)
  }

  /// The shell of a job that calls it; one from `defaults` is reported once.
  private func lookForShell(
    of raw: RawJob, _ settled: JobDefaults, _ action: Action, _ files: MachineFiles
  ) {
    guard let field = raw.fields[.shell] ?? defaultsFields?[.shell],
      let program = settled.execution.shell.first,
      (action.steps + settled.policies.besides).contains(where: {
        if case .shell = $0.action { true } else { false }
      }), let flaw = flaw(ofProgram: program, "shell", settled, files)
    else { return }
    reporter.report(
      .suspicious, severity: .warning, at: field.mark, flaw.message, hint: flaw.hint,
      owner: raw.fields.has(.shell) ? raw.owner : KeyOwner(part: .defaults))
  }

  /// Why a program cannot be started; nil where nothing is in the way.
  private func flaw(
    ofProgram program: String, _ noun: String, _ settled: JobDefaults, _ files: MachineFiles
  ) -> (message: String, hint: String)? {
    let folder = settled.execution.directory
    if program.contains("/") {
      let path = FilePath.join(folder, program)
      return files.flaw(ofProgram: path).map { flaw in
        (
          "the \(noun) '\(path.shortened)' \(flaw.words)",
          flaw == .notExecutable ? "run: chmod +x \(path.shortened)" : "correct its path"
        )
      }
    }
    if files.finds(program, in: searchPath(settled, files), from: folder) { return nil }
    return (
      "the \(noun) '\(program.shortened)' is in no folder of PATH",
      "install it, correct its name, or write its full path"
    )
  }

  /// The `PATH` that the job's commands get, as far as this process has that of the daemon.
  private func searchPath(_ settled: JobDefaults, _ files: MachineFiles) -> String {
    let execution = settled.execution
    if let own = execution.environment["PATH"] { return own }
    let inherits =
      switch execution.inheritance {
      case .all: true
      case .none: false
      case .only(let names): names.contains("PATH")
      case .byUser: sources.accounts.otherUser(in: execution.identity) == nil
      }
    return inherits
      ? files.ownPath ?? EnvironmentInheritance.standardPath : EnvironmentInheritance.standardPath
  }
}

/// The first program of a shell command, where that is plain to see.
private enum ShellWord {
  private static let shells: Set<String> = ["sh", "bash", "dash", "ash", "ksh", "zsh"]
  /// What no folder of `PATH` has, and what only leads to the program.
  private static let builtins: Set<Substring> = [
    ".", ":", "[", "alias", "bg", "break", "case", "cd", "command", "continue", "declare", "do",
    "echo", "esac", "eval", "exec", "exit", "export", "false", "fg", "fi", "for", "function",
    "getopts", "hash", "if", "jobs", "kill", "let", "local", "mapfile", "popd", "printf", "pushd",
    "pwd", "read", "readonly", "return", "select", "set", "shift", "shopt", "source", "test",
    "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset",
    "until", "wait", "while",
  ]

  static func isShell(_ shell: [String]) -> Bool {
    guard let program = shell.first?.split(separator: "/").last else { return false }
    return shells.contains(String(program)) && shell.last?.hasSuffix("c") == true
  }

  /// Nil where the command starts with anything but a plain word, or with one that the shell knows.
  static func program(of text: String) -> Substring? {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
    guard var rest = lines.first(where: { !$0.isEmpty && !$0.hasPrefix("#") }) else { return nil }
    // Variables for the program alone.
    while let next = assignmentEnd(rest) { rest = rest[next...] }
    let word = rest.prefix(while: isPlain)
    let next = rest[word.endIndex...].first
    guard !word.isEmpty, next.map({ " \t;|&><".contains($0) }) ?? true, !builtins.contains(word)
    else { return nil }
    // It may be a function that the command defines.
    return word.contains("/") || !text.contains("()") ? word : nil
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII
      && (character.isLetter || character.isNumber || "_./+-".contains(character))
  }

  /// Where the text goes on after `NAME=value` and blanks; nil where it starts with something else.
  private static func assignmentEnd(_ text: Substring) -> Substring.Index? {
    let name = text.prefix { isPlain($0) && !"./+-".contains($0) }
    var rest = text[name.endIndex...]
    guard !name.isEmpty, rest.popFirst() == "=" else { return nil }
    rest = rest.drop { isPlain($0) || ":,".contains($0) }
    let end = rest.drop { $0 == " " || $0 == "\t" }
    return end.startIndex > rest.startIndex ? end.startIndex : nil
  }
}
