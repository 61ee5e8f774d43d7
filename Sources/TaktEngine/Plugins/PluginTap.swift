/// Is told each line of a conversation, on any thread: whether the plugin has said it, and the line.
package typealias PluginTap = @Sendable (_ isOfPlugin: Bool, _ line: String) -> Void

/// Hands on what the host says.
extension Optional where Wrapped == PluginTap {
  func hear(_ lines: [UInt8]) {
    guard let tap = self else { return }
    for line in lines.split(separator: 10) { tap(false, String(decoding: line, as: UTF8.self)) }
  }
}
