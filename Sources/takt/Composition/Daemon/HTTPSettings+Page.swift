import TaktCore
import TaktSystem

extension HTTPSettings {
  /// The address of the page, as far as the settings determine it; nil if the system picks the
  /// port.
  var pageURL: String? {
    guard port != 0 else { return nil }
    let isAny = host == "0.0.0.0" || host == "::"
    return "http://" + (isAny ? "\(names.first ?? HostName.current):\(port)" : address)
  }
}
