import TaktCore
import TaktEngine
import TaktSystem

extension HTTPSettings {
  /// Where people reach the page, as far as the settings say; nil where the system picks the port.
  var pageURL: String? {
    guard port != 0 else { return nil }
    let isAny = host == "0.0.0.0" || host == "::"
    return "http://" + (isAny ? "\(names.first ?? HostName.current):\(port)" : address)
  }
}
