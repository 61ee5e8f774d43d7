import TaktCore

/// Makes the scheduler's settings of the keys under `scheduler`.
struct SettingsBuilder {
  let reporter: Reporter
  let zones: any ZoneSource
  let plugins: PluginTable
  /// The absolute folder of the file.
  let folder: String

  /// What holds without any key.
  static func builtIn(zones: any ZoneSource) -> SchedulerSettings {
    SchedulerSettings(zone: zones.zone(named: "local") ?? .utc)
  }

  /// Puts what `fields` say over `settings`.
  func apply(_ fields: KeyFields, to settings: inout SchedulerSettings) {
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.timezone, .text(let name)):
        if let zone = zone(name, at: field.mark) { settings.zone = zone }
      case (Key.maxRunning, .integer(let count)): settings.maxRunning = count
      case (Key.state, .text(let path)):
        settings.state =
          path == Key.none
          ? StateFolder.none : .folder(FilePath.absolute(FilePath.join(folder, path)))
      case (Key.history, .object(let fields)): apply(fields, to: &settings.history)
      case (Key.shutdownGrace, .duration(let grace)): settings.shutdownGrace = grace
      case (Key.plugins, .list(let items)):
        plugins.searchPath = items.compactMap(\.value.text)
          .map { FilePath.absolute(FilePath.join(folder, $0)) }
      case (Key.concurrency, .map(let groups)):
        for group in groups { settings.concurrency[group.name] = group.value?.integer }
      default: break
      }
    }
  }

  private func apply(_ fields: KeyFields, to history: inout History) {
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.keep, .duration(let keep)): history.keep = keep
      case (Key.maxRuns, .integer(let count)): history.runsMax = count
      case (Key.output, .duration(let output)): history.output = output
      case (Key.maxSize, .integer(let size)): history.sizeBytesMax = size
      default: break
      }
    }
  }

  private func zone(_ name: String, at mark: YAMLMark) -> Zone? {
    // The machine's own zone is always something: UTC when the system names none.
    if let zone = zones.zone(named: name) ?? (name == "local" ? .utc : nil) { return zone }
    reporter.report(
      .unknownZone, at: mark, "there is no time zone '\(name.shortened)'",
      hint: NearestName.of(name, among: zones.zoneNames).map { "did you mean '\($0)'?" }
        ?? "write a name such as Europe/Berlin, UTC or local")
    return nil
  }
}
