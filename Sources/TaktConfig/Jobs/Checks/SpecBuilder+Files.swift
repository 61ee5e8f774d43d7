import TaktCore
import TaktSystem

/// Files of this machine that a job names and that are missing. Warnings only, because the file may
/// be checked on another machine.
extension SpecBuilder {
  func lookForFiles(of raw: RawJob, _ settled: JobDefaults, _ action: Action) {
    guard let files = sources.machineFiles else { return }
    let execution = settled.execution
    let runsCommand = (action.steps + settled.policies.besides).contains {
      if case .use = $0.action { false } else { true }
    }
    if runsCommand, let flaw = files.flaw(ofFolder: execution.directory) {
      let place = place(of: .directory, in: raw) ?? raw.place
      reporter.report(
        .suspicious, severity: .warning, at: place.mark,
        "the '\(JobKey.directory)' '\(execution.directory.shortened)' \(flaw.words)",
        hint: flaw == .missing
          ? "create it: mkdir -p \(execution.directory.shortened)" : "name a folder",
        owner: place.owner)
      return
    }
    if runsCommand { checkEntry(of: raw, execution, files) }
    lookForSecrets(of: raw, execution, files)
    eachCommand(of: raw) { lookForProgram(of: $0, settled, files, owner: $1) }
    lookForShell(of: raw, settled, action, files)
  }

  /// The user who runs the command must be able to enter the folder.
  private func checkEntry(of raw: RawJob, _ execution: Execution, _ files: MachineFiles) {
    guard let account = otherAccount(execution),
      let closed = files.place(closedTo: account, onWayTo: execution.directory)
    else { return }
    let isGiven = raw.fields.has(.directory) || defaultsFields?.has(.directory) == true
    let key: JobKey =
      raw.fields.has(.user) && !raw.fields.has(.directory) ? .user : .directory
    let place = place(of: key, in: raw) ?? place(of: .user, in: raw) ?? raw.place
    reporter.report(
      .suspicious, severity: .warning, at: place.mark,
      "the user '\(account.name.shortened)' cannot enter the '\(JobKey.directory)' "
        + "'\(execution.directory.shortened)'"
        + (isGiven ? "" : ", which is the folder of the jobs file")
        + (closed == execution.directory ? "" : ": '\(closed.shortened)' is closed to that user"),
      hint: "name a folder that this user can enter, such as \(JobKey.directory): /",
      owner: place.owner)
  }

  /// The account that runs the commands; nil for takt's own.
  private func otherAccount(_ execution: Execution) -> Account? {
    sources.accounts.otherUser(in: execution.identity) == nil
      ? nil : sources.accounts.account(execution.identity)
  }

  private func lookForSecrets(of raw: RawJob, _ execution: Execution, _ files: MachineFiles) {
    for (name, secret) in execution.secrets.sorted(by: { $0.key < $1.key }) {
      guard case .file(let path) = secret.source else { continue }
      let place =
        place(of: .secrets, in: raw) { field in
          field.value?.map?.first { $0.name == name }?.nameMark
        } ?? raw.place
      guard let flaw = files.flaw(ofFile: path) else {
        // Containers get theirs there, open to all of their few users.
        if !path.hasPrefix("/run/secrets/"), files.isOpenToOthers(path) {
          reporter.report(
            .suspicious, severity: .warning, at: place.mark,
            "every user of this machine can read the file of the secret '\(name)'",
            hint: "run: chmod o-r \(path.shortened)", owner: place.owner)
        }
        continue
      }
      reporter.report(
        .suspicious, severity: .warning, at: place.mark,
        "the file of the secret '\(name)' \(flaw.words)",
        hint: "create it, or correct '\(Key.file)'", owner: place.owner)
    }
  }

  private func lookForProgram(
    of field: KeyFields.Field, _ settled: JobDefaults, _ files: MachineFiles, owner: KeyOwner
  ) {
    guard let program = program(of: field, settled) else { return }
    let first = field.value?.list?.first
    // Reported already.
    if first != nil, Self.isForShell(String(program)) { return }
    let (mark, isForShell) = (first?.mark ?? field.mark, first == nil)
    guard
      let flaw = flaw(
        ofProgram: String(program), "program", settled, files, isForShell: isForShell)
    else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark, flaw.message, hint: flaw.hint, owner: owner)
  }

  /// The program of a command, as it is written; nil if it is not obvious.
  func program(of field: KeyFields.Field, _ settled: JobDefaults) -> Substring? {
    switch field.value {
    case .text(let text):
      ShellWord.isShell(settled.execution.shell) ? ShellWord.program(of: text) : nil
    case .list(let items): items.first?.value.text.map { $0[...] }
    default: nil
    }
  }

  /// Nil if no folder of `PATH` has the program.
  func path(ofProgram program: String, _ settled: JobDefaults, _ files: MachineFiles) -> String? {
    let folder = settled.execution.directory
    let path: String? =
      program.contains("/")
      ? FilePath.join(folder, program)
      : files.place(
        of: program, in: searchPath(settled, files), from: folder,
        for: otherAccount(settled.execution))
    return path.map(FilePath.absolute)
  }

  /// Reports the shell of a job that calls it; one from `defaults` is reported once.
  private func lookForShell(
    of raw: RawJob, _ settled: JobDefaults, _ action: Action, _ files: MachineFiles
  ) {
    guard let place = place(of: .shell, in: raw), let program = settled.execution.shell.first,
      (action.steps + settled.policies.besides).contains(where: {
        if case .shell = $0.action { true } else { false }
      })
    else { return }
    if let flaw = ShellFlaw(of: settled.execution.shell) {
      reporter.report(
        .suspicious, severity: .warning, at: place.mark, flaw.message, hint: flaw.hint,
        owner: place.owner)
    }
    guard let flaw = flaw(ofProgram: program, "shell", settled, files) else { return }
    reporter.report(
      .suspicious, severity: .warning, at: place.mark, flaw.message, hint: flaw.hint,
      owner: place.owner)
  }

  /// The reason why a program cannot be started; nil for none.
  private func flaw(
    ofProgram program: String, _ noun: String, _ settled: JobDefaults, _ files: MachineFiles,
    isForShell: Bool = false
  ) -> (message: String, hint: String)? {
    guard let path = path(ofProgram: program, settled, files) else {
      return (
        "the \(noun) '\(program.shortened)' is in no folder of PATH",
        "install it, correct its name, or write its full path"
      )
    }
    if let flaw = files.flaw(ofProgram: path) {
      return (
        "the \(noun) '\(path.shortened)' \(flaw.words)",
        flaw == .notExecutable ? "run: chmod +x \(path.shortened)" : "correct its path"
      )
    }
    if let flaw = rightsFlaw(ofProgram: path, noun, settled.execution, files) { return flaw }
    guard
      let flaw = files.scriptFlaw(ofProgram: path, startedIn: settled.execution.directory),
      !isForShell || !flaw.isForShell
    else { return nil }
    return ("the \(noun) '\(path.shortened)' \(flaw.words)", flaw.hint)
  }

  /// Reports a program, or a folder on the way to it, that is closed to the user who runs it.
  private func rightsFlaw(
    ofProgram path: String, _ noun: String, _ execution: Execution, _ files: MachineFiles
  ) -> (message: String, hint: String)? {
    guard let account = otherAccount(execution),
      let closed = files.place(closedTo: account, onWayTo: path),
      // Reported already.
      closed != files.place(closedTo: account, onWayTo: execution.directory)
    else { return nil }
    let message =
      "the user '\(account.name.shortened)' cannot execute the \(noun) '\(path.shortened)'"
    if files.flaw(ofFolder: closed) == .notFolder {
      return (message, "run: chmod o+rx \(closed.shortened)")
    }
    return (
      message + ": '\(closed.shortened)' is closed to that user",
      "move it to a folder that this user can enter"
    )
  }

  /// The `PATH` of the job's commands, as far as this process has that of the daemon.
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
