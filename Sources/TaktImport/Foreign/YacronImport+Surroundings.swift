import TaktCore

/// The user, the folder and the environment of a job of yacron.
extension YacronImport {
  func setSurroundings(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, _ path: String?,
    in draft: inout JobDraft
  ) {
    for key in [JobKey.user, .group] {
      guard let name = value(key.name)?.text else { continue }
      draft[key] = .text(name)
      leaves.keep(key.name, as: key.name, in: draft.name)
    }
    if let folder = value("workingDirectory")?.text {
      if folder.hasPrefix("/") {
        draft[.directory] = .text(folder)
        leaves.keep("workingDirectory", as: "cwd", in: draft.name)
      } else {
        draft[.enabled] = .word("false")
        leaves.lose(
          "workingDirectory",
          "the folder counts from the one in which yacron starts; the job is disabled",
          in: draft.name)
      }
    }
    draft[.inheritance] = .word("true")
    var variables: [DraftEntry] = []
    setFile(value, leaves, path, &variables, in: &draft)
    for item in value("environment")?.items ?? [] {
      guard let name = item["key"]?.text, name.isVariableName, !name.hasPrefix("TAKT_")
      else {
        leaves.lose("environment", "takt passes no variable of one of these names", in: draft.name)
        continue
      }
      variables.removeAll { $0.key == name }
      variables.append(DraftEntry(key: name, value: .text(item["value"]?.textOrEmpty ?? "")))
    }
    if !variables.isEmpty { draft[.environment] = .map(variables) }
    leaves.keep("environment", as: "env", in: draft.name)
    setSecrets(value, leaves, variables, in: &draft)
  }

  /// yacron takes values literally, with quotes and `#`; if takt does not, they move to `env`.
  private func setFile(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, _ path: String?,
    _ variables: inout [DraftEntry], in draft: inout JobDraft
  ) {
    guard let name = value("env_file")?.text else { return }
    guard let file = absolute(name, beside: path),
      let bytes = try? context.tree.read(file).bytes
    else {
      draft[.enabled] = .word("false")
      leaves.lose("env_file", "the file cannot be read; the job is disabled", in: draft.name)
      return
    }
    guard let read = Self.variables(of: bytes) else {
      draft[.enabled] = .word("false")
      leaves.lose(
        "env_file", "a line of the file is no variable that takt passes; the job is disabled",
        in: draft.name)
      return
    }
    if Set(read.map(\.key)).count == read.count,
      read.allSatisfy({ !$0.value.texts[0].contains { "'\"\\#\t\r".contains($0) } })
    {
      draft[.environmentFile] = .text(file)
      if name.hasPrefix("/") {
        leaves.keep("env_file", as: "env_file", in: draft.name)
      } else {
        leaves.differ(
          "env_file", "yacron looks for it in the folder in which it starts", in: draft.name)
      }
      return
    }
    for entry in read {
      variables.removeAll { $0.key == entry.key }
      variables.append(entry)
    }
    leaves.differ(
      "env_file",
      "its variables are in 'env': takt reads quotes and '#' in such a file in another way",
      in: draft.name)
  }

  /// The lines of an `env_file`; nil if one is no variable that takt can pass.
  private static func variables(of bytes: [UInt8]) -> [DraftEntry]? {
    var variables: [DraftEntry] = []
    for line in SourceLines(file: "", bytes: bytes).lines {
      let text = line.text[...].trimmed
      if text.isEmpty || text.hasPrefix("#") { continue }
      guard line.isText, let sign = text.firstIndex(of: "=") else { return nil }
      let name = text[..<sign].trimmed
      guard name.isVariableName, !name.hasPrefix("TAKT_") else { return nil }
      let value = text[text.index(after: sign)...].trimmed
      variables.append(DraftEntry(key: name, value: .text(value)))
    }
    return variables
  }

  /// cronstable gives secrets to a job that requests them; takt passes them as variables.
  private func setSecrets(
    _ value: (String) -> ForeignNode?, _ leaves: ForeignLeaves, _ variables: [DraftEntry],
    in draft: inout JobDraft
  ) {
    for item in value("secrets")?.items ?? [] {
      guard let name = item["name"]?.text, name.isVariableName, !name.hasPrefix("TAKT_"),
        !variables.contains(where: { $0.key == name })
      else { continue }
      if let file = item["fromFile"]?.text, file.hasPrefix("/") {
        draft.set(.secrets, name, .mapping(["file": .text(file)]))
      } else if let variable = item["fromEnvVar"]?.text, variable.isVariableName {
        draft.set(.secrets, name, .mapping(["env": .text(variable)]))
      } else {
        leaves.lose(
          "secrets", "write the value to a file, and name it in 'secrets'", in: draft.name)
        continue
      }
      leaves.differ("secrets", "the command has it as the variable \(name)", in: draft.name)
    }
  }
}
