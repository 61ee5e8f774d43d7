import Glibc
import TaktCore
import TaktSystem

/// Reads one manifest; the result needs no more checks.
struct ManifestReader {
  let reporter: Reporter
  let source: SourceText
  /// The absolute folder of the plugin.
  let folder: String
  let files: LoadFiles

  private var owner: KeyOwner { KeyOwner(part: .file) }

  /// Returns nil for a wrong manifest, which is reported.
  func manifest() -> PluginManifest? {
    if let flaw = source.flaw {
      reporter.report(flaw)
      return nil
    }
    guard let entries = entries() else { return nil }
    let fields = KeyReader(reporter: reporter).fields(
      of: entries, keys: KeyTable.plugin, owner: owner)
    let isRequest = fields[PluginKey.request] != nil
    for key in [PluginKey.name, PluginKey.version, PluginKey.protocolVersion, PluginKey.exec]
    where fields[key] == nil && !(isRequest && key == PluginKey.exec) {
      reporter.report(
        .missingKey, at: .wholeFile, "the manifest has no '\(key)'", hint: "add it")
    }
    checkProtocol(fields)
    let command = command(fields[PluginKey.exec])
    let name = name(fields[PluginKey.name])
    var result = PluginManifest(
      name: name ?? "", version: fields[PluginKey.version]?.value?.text ?? "",
      command: command ?? [], folder: folder)
    apply(fields, to: &result)
    if let field = fields[PluginKey.request] {
      checkKeys(besides: field, fields)
      result.request = RequestTemplateReader(reporter: reporter, manifest: result).template(field)
    }
    return reporter.errorCount == 0 && name != nil && (command != nil || isRequest) ? result : nil
  }

  private func entries() -> [YAMLEntry]? {
    let composer = YAMLComposer(source, limits: YAMLLimits(), reporter: reporter)
    do {
      try composer.openDocument()
      let node = try composer.node()
      try composer.closeDocument()
      if case .mapping(let entries) = node.content { return entries }
      reporter.report(
        .wrongType, at: node.mark, "the file must be a mapping",
        hint: "start it with '\(PluginKey.name):'")
    } catch {
      reporter.report(error, in: .manifest)
    }
    return nil
  }

  private func checkProtocol(_ fields: KeyFields) {
    guard let field = fields[PluginKey.protocolVersion], let version = field.value?.integer,
      version != PluginManifest.protocolVersion
    else { return }
    reporter.report(
      .outOfRange, at: field.mark,
      "this version of takt does not support version \(version) of the protocol",
      hint: "write \(PluginManifest.protocolVersion)")
  }

  private func name(_ field: KeyFields.Field?) -> String? {
    guard let field, let name = field.value?.text else { return nil }
    guard PluginName.isValid(name) else {
      reporter.report(
        .badName, at: field.mark, "'\(name.shortened)' is not a valid plugin name",
        hint: "use 1 to 64 lower-case letters, digits and '-', starting with a letter")
      return nil
    }
    let expected = folder.split(separator: "/").last.map(String.init) ?? ""
    if name != expected {
      reporter.report(
        .badName, at: field.mark,
        "the plugin '\(name)' is in a folder named '\(expected.shortened)'",
        hint: "give both the same name")
      return nil
    }
    return name
  }

  private func command(_ field: KeyFields.Field?) -> [String]? {
    guard let field, let items = field.value?.list else { return nil }
    guard var words = reporter.arguments(items, of: field.name), let program = words.first else {
      return nil
    }
    guard program.contains("/") else { return words }
    let path = FilePath.absolute(FilePath.join(folder, program))
    words[0] = path
    let status = try? FileStatus(at: path)
    if status == nil {
      reporter.report(
        .badValue, at: field.mark, "the program '\(program.shortened)' does not exist",
        hint: "relative paths start at the plugin's folder")
    } else if status?.type != .file {
      reporter.report(
        .badValue, at: field.mark, "'\(program.shortened)' is not a regular file",
        hint: "name a program")
    } else if access(path, X_OK) != 0 {
      reporter.report(
        .badValue, at: field.mark, "'\(program.shortened)' is not executable",
        hint: "run: chmod +x \(path)")
    } else if let problem = distrust(of: path) {
      let (code, message, hint) = problem.sentence
      reporter.report(code, at: field.mark, "'\(program.shortened)': \(message)", hint: hint)
    } else if let status {
      warn(ofOwner: status.owner, of: program, at: field.mark)
      return words
    }
    return nil
  }

  private func distrust(of program: String) -> FileProblem? {
    do throws(FileProblem) {
      try files.check(program, as: .pluginProgram)
      return nil
    } catch {
      return error
    }
  }

  /// The owner of a program can change what takt does as root.
  private func warn(ofOwner owner: UInt32, of program: String, at mark: YAMLMark) {
    guard files.parties != nil, owner != 0 else { return }
    reporter.report(
      .unsafePermissions, severity: .warning, at: mark,
      "user \(owner) owns '\(program.shortened)' and can therefore run anything as root",
      hint: "make root its owner with chown, unless this is intended")
  }

  private func apply(_ fields: KeyFields, to manifest: inout PluginManifest) {
    for field in fields.fields {
      switch (field.name, field.value) {
      case (PluginKey.summary, .text(let text)): manifest.summary = text
      case (PluginKey.kind, .text(let word)):
        manifest.kind = PluginManifest.Kind(rawValue: word) ?? .action
      case (PluginKey.mode, .text(let word)):
        manifest.mode = PluginManifest.Mode(rawValue: word) ?? .oneshot
      case (PluginKey.timeout, .duration(let timeout)): manifest.timeout = timeout
      case (PluginKey.nagios, .boolean(let isNagios)): manifest.isNagios = isNagios
      case (PluginKey.idleStop, .duration(let time)): manifest.idleStop = time
      case (PluginKey.ping, .duration(let time)): manifest.pingInterval = time
      case (PluginKey.maxRuns, .integer(let count)): manifest.runsMax = count
      case (PluginKey.sha256, .text(let text)): manifest.sha256 = digest(text, at: field.mark)
      case (PluginKey.parameters, .map(let entries)):
        let reader = PluginParameterReader(reporter: reporter, folder: folder)
        manifest.parameters = entries.compactMap(reader.parameter)
      default: break
      }
    }
    checkUses(fields, manifest)
    checkVariables(fields, manifest)
  }

  /// Two parameters cannot share a variable.
  private func checkVariables(_ fields: KeyFields, _ manifest: PluginManifest) {
    var names: [String: String] = [:]
    for parameter in manifest.parameters {
      let name = parameter.schema.name
      let variable = BoundedParameter.variable(of: name)
      if let other = names.updateValue(name, forKey: variable) {
        reporter.report(
          .badName, at: fields[PluginKey.parameters]?.mark ?? .wholeFile,
          "the parameters '\(other.shortened)' and '\(name.shortened)' both become \(variable)",
          hint: "rename one of them")
      }
    }
  }

  private func digest(_ text: String, at mark: YAMLMark) -> String? {
    let digits = text.lowercased()
    if digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) { return digits }
    reporter.report(
      .badValue, at: mark, "not a SHA-256",
      hint: "write 64 hexadecimal digits, as sha256sum prints them")
    return nil
  }

  /// Reports keys that describe a program, which a request does not have.
  private func checkKeys(besides request: KeyFields.Field, _ fields: KeyFields) {
    let ofPrograms = [
      PluginKey.exec, PluginKey.mode, PluginKey.nagios, PluginKey.idleStop, PluginKey.ping,
      PluginKey.maxRuns, PluginKey.sha256,
    ]
    for field in ofPrograms.compactMap({ fields[$0] }) {
      reporter.report(
        .conflictingKeys, at: field.keyMark,
        "'\(field.name)' and '\(request.name)' cannot be combined", hint: "remove one of them")
    }
  }

  /// Reports keys without effect in the plugin's mode.
  private func checkUses(_ fields: KeyFields, _ manifest: PluginManifest) {
    if fields[PluginKey.request] != nil { return }
    let idle =
      manifest.mode == .oneshot
      ? [PluginKey.idleStop, PluginKey.ping, PluginKey.maxRuns] : [PluginKey.nagios]
    for key in idle {
      guard let field = fields[key] else { continue }
      reporter.report(
        .conflictingKeys, at: field.keyMark,
        "'\(key)' has no effect on a plugin of mode '\(manifest.mode.rawValue)'",
        hint: "remove it")
    }
  }
}

extension FileKind {
  fileprivate static let manifest = FileKind(
    firstKey: PluginKey.name, moreHint: "a manifest has one")
}
