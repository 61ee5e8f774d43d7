import TaktEngine

/// The output of a plugin: messages on its own descriptor, and a check's first line.
struct PluginTarget: FuzzTarget {
  static let name = "plugin"
  static let summary = "messages of a plugin, and the output of a Nagios check"

  mutating func read(_ bytes: [UInt8]) {
    _ = NagiosOutput(bytes)
    for isService in [false, true] {
      // In one piece and in two: the end of a read has no meaning.
      let whole = events(of: [bytes[...]], isService)
      let middle = bytes.count / 2
      let halves = events(of: [bytes[..<middle], bytes[middle...]], isService)
      precondition(whole == halves, "where a read ends has changed what the plugin says")
    }
  }

  private func events(
    of parts: [ArraySlice<UInt8>], _ isService: Bool
  ) -> [PluginConversation.Event] {
    var conversation = PluginConversation(isService: isService)
    var events: [PluginConversation.Event] = []
    for part in parts {
      part.withUnsafeBytes { bytes in conversation.feed(bytes) { events.append($0) } }
    }
    return events
  }
}
