import TaktCore

extension SettingsBuilder {
  /// The most bytes in the address of a Unix socket, without the final NUL.
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

  /// Reports a path that is too long for a Unix socket.
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
  /// By default, jobs of labels have at most half of the places.
  mutating func addLabelGroup() {
    guard readsLabels, concurrency[ContainerAccess.group] == nil else { return }
    concurrency[ContainerAccess.group] = max(1, maxRunning / 2)
  }
}
