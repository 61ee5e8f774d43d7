import FoundationEssentials
import TaktCore
import TaktTime

enum MessageToPlugin {
  /// Introduces the host and the terms of the conversation.
  struct Hello: Encodable {
    let type = "hello"
    let `protocol` = PluginManifest.protocolVersion
    var host: String
    var plugin: String
    var mode: String
    let max_line_bytes = PluginLines.lineBytesMax
  }

  struct Start: Encodable {
    let type = "start"
    var run: String
    var job: String
    var slot: String
    var attempt: Int
    /// The number of the run's claim; left out without one.
    var fence: UInt64?
    var deadline: OrNull
    var parameters: [String: PluginValue]
    var secrets: [String: String]?
    var facts: Facts?
  }

  /// A text that is null if missing, not left out.
  struct OrNull: Encodable {
    var text: String?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  /// The facts for a hook about its run.
  struct Facts: Encodable {
    let run: String
    let facts: HookFacts

    init(_ facts: RunFacts) {
      run = facts.run.description
      self.facts = HookFacts(facts)
    }

    private enum Key: String, CodingKey {
      case run
    }

    func encode(to encoder: any Encoder) throws {
      try facts.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(run, forKey: .run)
    }
  }

  struct Cancel: Encodable {
    let type = "cancel"
    var run: String
    var reason: String
    var grace_ms: Int64
  }

  struct Ping: Encodable {
    let type = "ping"
    var id: Int
  }

  /// Asks a service to finish its runs and exit.
  struct Shutdown: Encodable {
    let type = "shutdown"
    var grace_ms: Int64
  }

  /// Reports a message that could not be understood.
  struct Problem: Encodable {
    let type = "error"
    var code: String
    var message: String
    var run: String?
  }

  static func line(_ message: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // All parts of messages can be encoded: texts, whole numbers, finite numbers.
    let bytes = (try? encoder.encode(message)).map { Array($0) } ?? Array("{}".utf8)
    return bytes + [UInt8(ascii: "\n")]
  }
}

struct PluginValue: Encodable {
  private let value: ParameterValue

  init(_ value: ParameterValue) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .string(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .boolean(let flag): try container.encode(flag)
    case .duration(let duration): try container.encode(duration.milliseconds)
    case .list(let items): try container.encode(items.map(PluginValue.init))
    case .map(let entries): try container.encode(entries.mapValues(PluginValue.init))
    }
  }

  /// The value for an environment variable: a text as it is, all else as JSON.
  var text: String {
    if case .string(let text) = value { return text }
    return String(decoding: MessageToPlugin.line(self).dropLast(), as: UTF8.self)
  }
}
