/// A parameter's value.
public enum PluginParameter: Sendable, Hashable, Decodable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([PluginParameter])
  case map([String: PluginParameter])

  /// Reads a JSON value. Throws for null.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([PluginParameter].self) {
      self = .list(list)
    } else {
      self = .map(try container.decode([String: PluginParameter].self))
    }
  }
}
