import TaktCore

extension ServiceImport {
  func setEnvironment(in draft: inout JobDraft) {
    var variables = folderVariables(in: &draft)
    for entry in unit.list("Service", "Environment") {
      guard let words = UnitValue.words(entry.value) else {
        report.lose(entry, "a quote does not end", in: draft.name)
        continue
      }
      for word in words {
        let text = expand(word, of: entry, in: &draft)
        guard let sign = text.firstIndex(of: "="), text[..<sign].isVariableName,
          !text.hasPrefix("TAKT_")
        else {
          report.lose(entry, "takt passes no variable of this name", in: draft.name)
          continue
        }
        let name = String(text[..<sign])
        let value = String(text[text.index(after: sign)...])
        variables.removeAll { $0.key == name }
        variables.append(DraftEntry(key: name, value: .text(value)))
      }
      report.keep(entry, as: "env", in: draft.name)
    }
    if manager.user != nil { return setUserEnvironment(variables, in: &draft) }
    var inherited = ["LANG"]
    for entry in unit.list("Service", "PassEnvironment") {
      let names = entry.value.split(separator: " ").map(String.init)
      inherited += names.filter { $0.isVariableName && !inherited.contains($0) }
      report.differ(entry, "from the environment of takt", in: draft.name)
    }
    for entry in unit.list("Service", "UnsetEnvironment") {
      let names = entry.value.split(separator: " ").map(String.init)
      variables.removeAll { names.contains($0.key) }
      inherited.removeAll { names.contains($0) }
      report.keep(entry, as: "env", in: draft.name)
    }
    draft[.inheritance] =
      inherited.isEmpty ? .word("false") : .list(inherited.map(DraftValue.text))
    if !variables.isEmpty { draft[.environment] = .map(variables) }
  }

  /// A user's service has the environment of the user's systemd, as a user's job has.
  private func setUserEnvironment(_ variables: [DraftEntry], in draft: inout JobDraft) {
    var variables = variables
    let bus = "DBUS_SESSION_BUS_ADDRESS"
    if let folder = manager.runtimeFolder, !variables.contains(where: { $0.key == bus }) {
      variables.append(DraftEntry(key: bus, value: .text("unix:path=\(folder)/bus")))
    }
    for entry in unit.list("Service", "PassEnvironment") {
      report.keep(entry, as: "no effect on the service of a user", in: draft.name)
    }
    for entry in unit.list("Service", "UnsetEnvironment") {
      let names = entry.value.split(separator: " ").map(String.init)
      variables.removeAll { names.contains($0.key) }
      report.differ(entry, "removed from 'env', and not from what is inherited", in: draft.name)
    }
    if !variables.isEmpty { draft[.environment] = .map(variables) }
  }

  /// Returns the variables that the files set.
  func setFiles(in draft: inout JobDraft) -> [String: String] {
    var variables: [String: String] = [:]
    for entry in unit.list("Service", "EnvironmentFile") {
      var path = expand(entry, in: &draft)
      let isOptional = path.hasPrefix("-")
      if isOptional { path.removeFirst() }
      guard path.hasPrefix("/") else {
        report.keep(entry, as: "systemd ignores a file without its whole path", in: draft.name)
        continue
      }
      guard !path.contains(where: { "*?[".contains($0) }) else {
        disable(entry, "takt reads one file, not a pattern", in: &draft)
        continue
      }
      guard let contents = try? context.tree.read(path) else {
        if isOptional {
          report.differ(
            entry, "the file is not there now; add 'env_file: \(path)' when it is", in: draft.name)
        } else {
          disable(entry, "the file cannot be read", in: &draft)
        }
        continue
      }
      if let line = UnitEnvironmentFile.foreignLine(of: contents.bytes) {
        disable(
          entry, "line \(line) of the file means something else in an 'env_file' of takt",
          in: &draft)
        continue
      }
      draft.append(.environmentFile, .text(path))
      variables.merge(UnitEnvironmentFile.variables(of: contents.bytes)) { $1 }
      report.differ(
        entry, "takt reads the file when it loads its jobs, and not at each start", in: draft.name)
    }
    return variables
  }

  func setCredentials(in draft: inout JobDraft) {
    for entry in unit.list("Service", "LoadCredential") {
      let text = expand(entry, in: &draft)
      guard let sign = text.firstIndex(of: ":") else {
        report.lose(entry, "takt knows no credentials of the machine", in: draft.name)
        continue
      }
      let name = String(text[..<sign])
      let path = String(text[text.index(after: sign)...])
      guard name.isVariableName, !name.hasPrefix("TAKT_"), path.hasPrefix("/"),
        draft[.environment]?.texts.contains(name) != true
      else {
        report.lose(entry, "takt has no secret of this name or file", in: draft.name)
        continue
      }
      draft.set(.secrets, name, .mapping(["file": .text(path), "as": .word("file")]))
      report.differ(
        entry, "the variable \(name) has the path of the file; there is no CREDENTIALS_DIRECTORY",
        in: draft.name)
    }
  }
}
