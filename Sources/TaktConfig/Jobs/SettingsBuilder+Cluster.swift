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
      case (Key.url, .text(let url)):
        if Self.isConnectionString(url) {
          settings.engine = .postgres(url: url)
        } else {
          // Without the text, in which a password may be.
          reporter.hideLine(of: field.mark)
          reporter.report(
            .badValue, at: field.mark, "'\(Key.url)' is not a connection string of PostgreSQL",
            hint: "write postgresql://USER@HOST/DATABASE, or host=HOST dbname=DATABASE")
        }
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
          // Without the text, in which a password may be.
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
    if let path = settings.apiWriteTokenFile, path == settings.apiTokenFile,
      let field = fields[Key.apiWriteTokenFile]
    {
      reporter.report(
        .badValue, at: field.mark,
        "'\(Key.apiWriteTokenFile)' is the same file as '\(Key.apiTokenFile)'",
        hint: "use two tokens, or omit '\(Key.apiTokenFile)'")
    }
    return settings
  }

  private func absolute(_ path: String) -> String {
    FilePath.absolute(FilePath.join(folder, path))
  }

  /// Whether libpq reads it as a URL, or as words `key=value`. It would fail to join otherwise.
  private static func isConnectionString(_ text: String) -> Bool {
    if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") { return true }
    guard let sign = text.firstIndex(of: "=") else { return false }
    return !text[..<sign].contains(":")
  }
}
