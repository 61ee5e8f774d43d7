import TaktCore

/// Makes the scheduler's settings of the keys under `scheduler`.
struct SettingsBuilder {
  let reporter: Reporter
  let zones: ZoneTable
  let plugins: PluginTable
  /// The absolute folder of the file.
  let folder: String

  /// What holds without any key.
  static func builtIn(zones: ZoneTable) -> SchedulerSettings {
    SchedulerSettings(zone: zones.zone(named: "local") ?? .utc)
  }

  /// Puts what `fields` say over `settings`.
  func apply(_ fields: KeyFields, to settings: inout SchedulerSettings) {
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.timezone, .text(let name)):
        if let zone = zones.zone(named: name, at: field.mark, reporter) { settings.zone = zone }
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
}
