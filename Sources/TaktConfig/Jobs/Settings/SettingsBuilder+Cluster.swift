import TaktCore

extension SettingsBuilder {
  func cluster(_ fields: KeyFields, at mark: YAMLMark) -> ClusterSettings {
    if fields[Key.engine] == nil, !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: mark, "'\(Key.cluster)' needs '\(Key.engine)'",
        hint: "add '\(Key.engine): postgres'")
    }
    var settings = ClusterSettings(engine: .postgres(url: ""))
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.name, .text(let name)): settings.name = name
      case (Key.lease, .duration(let lease)): settings.lease = lease
      case (Key.machine, .text(let machine)): settings.machine = machine
      case (Key.labels, .map(let labels)):
        for label in labels { settings.labels[label.name] = label.value?.text }
      case (Key.start, .text(let start)):
        settings.start = ClusterSettings.Start(rawValue: start) ?? settings.start
      case (Key.api, .text(let text)):
        settings.api = APIAddress(text)
        if settings.api == nil {
          // Without the text, which may contain a password.
          reporter.hideLine(of: field.mark)
          reporter.report(
            .badValue, at: field.mark, "'\(Key.api)' is not the address of an API",
            hint: "write http://HOST:PORT or https://HOST, without a path")
        }
      case (Key.apiTokenFile, .text(let path)): settings.apiTokenFile = absolute(path)
      case (Key.apiWriteTokenFile, .text(let path)): settings.apiWriteTokenFile = absolute(path)
      default: break
      }
    }
    let tokens = [
      (Key.apiTokenFile, settings.apiTokenFile),
      (Key.apiWriteTokenFile, settings.apiWriteTokenFile),
    ]
    for (key, path) in tokens {
      lookFor(path, fields[key]?.mark, "the file of '\(key)'", key)
    }
    if let path = settings.apiWriteTokenFile, path == settings.apiTokenFile,
      let field = fields[Key.apiWriteTokenFile]
    {
      reporter.report(
        .badValue, at: field.mark,
        "'\(Key.apiWriteTokenFile)' is the same file as '\(Key.apiTokenFile)'",
        hint: "use two tokens, or omit '\(Key.apiTokenFile)'")
    }
    switch fields[Key.engine]?.value?.text {
    case "etcd"?: settings.engine = .etcd(etcd(fields, at: mark))
    case "postgres"?: settings.engine = .postgres(url: postgres(fields, at: mark))
    // Their engine, and any password in them, is unknown.
    default:
      for field in [fields[Key.url], fields[Key.endpoints]].compactMap({ $0 }) {
        reporter.hideLine(of: field.keyMark)
        reporter.hideLine(of: field.mark)
      }
    }
    return settings
  }

  private static let etcdKeys = [
    Key.endpoints, Key.authority, Key.certificate, Key.key, Key.username, Key.password,
  ]

  private func postgres(_ fields: KeyFields, at mark: YAMLMark) -> String {
    for field in fields.fields where Self.etcdKeys.contains(field.name) {
      reporter.report(
        .conflictingKeys, at: field.keyMark, "'\(field.name)' needs '\(Key.engine): etcd'",
        hint: field.name == Key.endpoints
          ? "write \(Key.url): postgresql://USER@HOST/DATABASE"
          : "remove it: '\(Key.url)' and libpq's environment say this")
    }
    guard let field = fields[Key.url] else {
      checkAddress("", at: fields[Key.engine]?.mark ?? mark)
      return ""
    }
    guard let url = field.value?.text else { return "" }
    if Self.isConnectionString(url) {
      checkAddress(url, at: field.mark)
      return url
    }
    // Without the text, which may contain a password.
    reporter.hideLine(of: field.mark)
    reporter.report(
      .badValue, at: field.mark, "'\(Key.url)' is not a connection string of PostgreSQL",
      hint: "write postgresql://USER@HOST/DATABASE, or host=HOST dbname=DATABASE")
    return ""
  }

  private func checkAddress(_ url: String, at mark: YAMLMark) {
    let isThorough = sources.machineFiles != nil
    guard let check = sources.engineAddresses, isThorough || !url.isEmpty else { return }
    let flaws = check(url, isThorough)
    if !url.isEmpty, !flaws.isEmpty { reporter.hideLine(of: mark) }
    for flaw in flaws {
      reporter.report(
        flaw.severity == .error ? .badValue : .suspicious, severity: flaw.severity, at: mark,
        flaw.message, hint: flaw.hint)
    }
  }

  /// True if libpq would read it as a URL, or as words `key=value`. Otherwise it would fail to
  /// join.
  private static func isConnectionString(_ text: String) -> Bool {
    if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") { return true }
    guard let sign = text.firstIndex(of: "=") else { return false }
    return !text[..<sign].contains(":")
  }

  private func etcd(_ fields: KeyFields, at mark: YAMLMark) -> EtcdSettings {
    if let url = fields[Key.url] {
      reporter.report(
        .conflictingKeys, at: url.keyMark, "'\(Key.url)' needs '\(Key.engine): postgres'",
        hint: "write \(Key.endpoints): [http://HOST:2379]")
    } else if fields[Key.endpoints] == nil, !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: mark, "'\(Key.engine): etcd' needs '\(Key.endpoints)'",
        hint: "add '\(Key.endpoints): [http://HOST:2379]'")
    }
    var settings = EtcdSettings(endpoints: endpoints(fields))
    settings.authority = fields[Key.authority]?.value?.text.map(absolute)
    settings.certificate = fields[Key.certificate]?.value?.text.map(absolute)
    settings.key = fields[Key.key]?.value?.text.map(absolute)
    settings.user = fields[Key.username]?.value?.text
    settings.password = fields[Key.password].flatMap(password)
    for (key, path) in [
      (Key.authority, settings.authority), (Key.certificate, settings.certificate),
      (Key.key, settings.key),
    ] {
      lookFor(path, fields[key]?.mark, "the file of '\(key)'", key)
    }
    need(Key.key, with: Key.certificate, fields)
    need(Key.certificate, with: Key.key, fields)
    need(Key.password, with: Key.username, fields)
    need(Key.username, with: Key.password, fields)
    warn(settings, fields)
    return settings
  }

  private func absolute(_ path: String) -> String {
    FilePath.absolute(FilePath.join(folder, path))
  }

  private func endpoints(_ fields: KeyFields) -> [EtcdSettings.Endpoint] {
    (fields[Key.endpoints]?.value?.list ?? []).compactMap { item in
      guard let text = item.value.text else { return nil }
      if let endpoint = EtcdSettings.Endpoint(text) { return endpoint }
      // Without the text, which may contain a password.
      reporter.hideLine(of: item.mark)
      reporter.report(
        .badValue, at: item.mark, "this is not the address of an etcd member",
        hint: "write http://HOST:PORT or https://HOST:PORT, with the user in '\(Key.username)'")
      return nil
    }
  }

  private func password(_ field: KeyFields.Field) -> Secret? {
    guard let fields = field.value?.object else { return nil }
    let (file, variable) = (fields[Key.file], fields[Key.environment])
    if let file, let variable {
      reporter.reportConflict(
        [file, variable], owner: KeyOwner(part: .scheduler, key: Key.password))
    } else if file == nil, variable == nil, !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: field.mark, "'\(Key.password)' has no source",
        hint: "add '\(Key.file)' or '\(Key.environment)'")
    }
    let source =
      file?.value?.text.map { Secret.Source.file(absolute($0)) }
      ?? variable?.value?.text.map { .environment($0) }
    if case .file(let path)? = source {
      lookFor(path, file?.mark, "the file of '\(Key.password)'", Key.file)
    }
    return source.map { Secret($0) }
  }

  /// Warns of a file that this machine lacks.
  private func lookFor(_ path: String?, _ mark: YAMLMark?, _ name: String, _ key: String) {
    guard let path, let mark, let flaw = sources.machineFiles?.flaw(ofFile: path) else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark, "\(name) \(flaw.words)",
      hint: "create it, or correct '\(key)'")
  }

  /// Reports `given` without `key`.
  private func need(_ key: String, with given: String, _ fields: KeyFields) {
    guard let field = fields[given], fields[key] == nil, !fields.hasUnknownKeys else { return }
    reporter.report(
      .missingKey, at: field.keyMark, "'\(given)' needs '\(key)'", hint: "add '\(key)'")
  }

  private func warn(_ settings: EtcdSettings, _ fields: KeyFields) {
    let isPlain = settings.endpoints.contains { $0.scheme == "http" && !$0.isLoopback }
    if isPlain, settings.user != nil, let field = fields[Key.username] {
      reporter.report(
        .suspicious, severity: .warning, at: field.keyMark,
        "the password is sent to etcd without encryption", hint: "use https:// endpoints")
    }
    guard !settings.endpoints.isEmpty, settings.endpoints.allSatisfy({ $0.scheme == "http" }) else {
      return
    }
    for field in fields.fields
    where [Key.authority, Key.certificate, Key.key].contains(field.name) {
      reporter.report(
        .suspicious, severity: .warning, at: field.keyMark,
        "'\(field.name)' has no effect without an https:// endpoint", hint: "remove it")
    }
  }
}
