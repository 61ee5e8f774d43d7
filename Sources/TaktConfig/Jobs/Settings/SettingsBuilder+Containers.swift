import TaktCore

extension SettingsBuilder {
  /// What fits into the address of a Unix socket, with the zero behind it.
  static let socketBytesMax = 107

  func containers(_ fields: KeyFields) -> ContainerAccess {
    var settings = ContainerAccess()
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.socket, .text(let path)):
        settings.socket = socket(path, at: field.mark)
      case (Key.labels, .boolean(let isOn)): settings.readsLabels = isOn
      default: break
      }
    }
    return settings
  }

  /// The absolute path of a Unix socket; one that is too long is reported.
  func socket(_ path: String, at mark: YAMLMark) -> String {
    let path = FilePath.absolute(FilePath.join(folder, path))
    if path.utf8.count > Self.socketBytesMax {
      reporter.report(
        .badValue, at: mark, "the path of '\(Key.socket)' is too long for a socket",
        hint: "use a path of at most \(Self.socketBytesMax) bytes")
    }
    return path
  }
}

extension SchedulerSettings {
  /// Jobs of labels have half of the places at most, unless the file says.
  mutating func addLabelGroup() {
    guard readsLabels, concurrency[ContainerAccess.group] == nil else { return }
    concurrency[ContainerAccess.group] = max(1, maxRunning / 2)
  }
}
