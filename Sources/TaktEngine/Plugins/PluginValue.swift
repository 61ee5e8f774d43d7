import TaktCore
import TaktTime

/// A parameter's value as JSON.
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

  /// The value in a variable of the environment: a text as it is, all else as JSON.
  var text: String {
    if case .string(let text) = value { return text }
    return String(decoding: HostMessage.line(self).dropLast(), as: UTF8.self)
  }
}
