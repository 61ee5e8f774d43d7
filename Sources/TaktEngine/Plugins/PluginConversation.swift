import FoundationEssentials
package import TaktCore

/// Parses a plugin's messages: a pure machine that is fed bytes and returns events. It applies the
/// rules of `plugins/PROTOCOL.md` on lines, the handshake and fields; it leaves the rules on runs
/// to its caller.
package struct PluginConversation {
  package enum Event: Hashable, Sendable {
    case hello(name: String?, version: String?, capabilities: Set<String>)
    case progress(run: String?, percent: Double?, message: String?)
    case log(run: String?, level: LogLevel, message: String)
    case metric(run: String?, name: String, value: Double, unit: String?)
    case result(run: String?, PluginResult)
    case pong(id: Int)
    /// The plugin did not understand a message.
    case complaint(code: String, message: String)
    case unknownType(String)
    /// The plugin has broken the rules; its later messages do not count.
    case violation(PluginFault, run: String?)
  }

  private let isService: Bool
  private let tap: PluginTap?
  private var lines = PluginLines()
  private var hasGreeted = false
  private var isBroken = false
  private let decoder = JSONDecoder()

  package init(isService: Bool, tap: PluginTap? = nil) {
    self.isService = isService
    self.tap = tap
  }

  /// True after a hello, or after a violation.
  var hasSentMessage: Bool { hasGreeted || isBroken }

  package mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (Event) -> Void) {
    guard !isBroken else { return }
    var whole: [[UInt8]] = []
    let isWithinBounds = lines.feed(bytes) { whole.append($0) }
    // A line may be empty.
    for line in whole where !line.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) {
      tap?(true, String(decoding: line, as: UTF8.self))
      let event = understood(line)
      if case .violation = event { isBroken = true }
      body(event)
      if isBroken { return }
    }
    guard !isWithinBounds else { return }
    isBroken = true
    body(.violation(.lineTooLong, run: nil))
  }

  private mutating func understood(_ line: [UInt8]) -> Event {
    let message: PluginMessage
    do throws(PluginMessage.Flaw) {
      message = try PluginMessage.read(line, with: decoder)
    } catch {
      return .violation(error == .badJSON ? .badJSON : .badMessage, run: nil)
    }
    let known: Set = ["hello", "progress", "log", "metric", "result", "pong", "error"]
    if message.type != "hello", known.contains(message.type), !hasGreeted {
      return .violation(.noHello, run: message.run)
    }
    // A service has to name the run.
    if isService, message.run == nil,
      ["progress", "log", "metric", "result"].contains(message.type)
    {
      return .violation(.badMessage, run: nil)
    }
    return event(of: message) ?? .violation(.badMessage, run: message.run)
  }

  private mutating func event(of message: PluginMessage) -> Event? {
    switch message.type {
    case "hello":
      guard let version = message.protocol else { return nil }
      guard version == PluginManifest.protocolVersion else {
        return .violation(.wrongProtocol, run: nil)
      }
      hasGreeted = true
      return .hello(
        name: message.name, version: message.version,
        capabilities: Set(message.capabilities ?? []))
    case "progress":
      if let percent = message.percent, !(0...100).contains(percent) { return nil }
      return .progress(run: message.run, percent: message.percent, message: message.message)
    case "log":
      guard let text = message.message else { return nil }
      let level = message.level.map { LogLevel(rawValue: $0) } ?? .info
      return level.map { .log(run: message.run, level: $0, message: text) }
    case "metric":
      guard let name = message.name, let value = message.value else { return nil }
      return .metric(run: message.run, name: name, value: value, unit: message.unit)
    case "result":
      return PluginResult(message).map { .result(run: message.run, $0) }
    case "pong": return message.id.map { .pong(id: $0) }
    case "error":
      return .complaint(code: message.code ?? "", message: message.message ?? "")
    default: return .unknownType(message.type)
    }
  }
}
