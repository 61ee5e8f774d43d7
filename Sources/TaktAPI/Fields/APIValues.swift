package import TaktTime

extension String: APIValue {
  package static var empty: String { "" }

  package mutating func write(to json: inout JSONWriter) { json.value(self) }

  package static func read(from decoder: any Decoder) throws -> String {
    try decoder.singleValueContainer().decode(Self.self)
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    SchemaComponents.scalar("string", rules, sentence)
  }
}

extension Bool: APIValue {
  package static var empty: Bool { false }

  package mutating func write(to json: inout JSONWriter) { json.value(self) }

  package static func read(from decoder: any Decoder) throws -> Bool {
    try decoder.singleValueContainer().decode(Self.self)
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    SchemaComponents.scalar("boolean", rules, sentence)
  }
}

package protocol APINumber: APIValue, BinaryInteger, Decodable {}

extension APINumber {
  package static var empty: Self { 0 }

  package mutating func write(to json: inout JSONWriter) { json.value(self) }

  package static func read(from decoder: any Decoder) throws -> Self {
    try decoder.singleValueContainer().decode(Self.self)
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    SchemaComponents.scalar("integer", format: "int64", rules, sentence)
  }
}

extension Int: APINumber {}
extension Int64: APINumber {}
extension UInt64: APINumber {}

/// A length of time, in milliseconds with three places.
extension Duration: APIValue {
  package static var empty: Duration { .zero }

  package mutating func write(to json: inout JSONWriter) { json.value(self) }

  /// A number out of range is clamped, and a value that is no number is zero: another user's daemon
  /// may have sent it.
  package static func read(from decoder: any Decoder) throws -> Duration {
    let number = try decoder.singleValueContainer().decode(Double.self)
    let bound = 1e12
    return .nanoseconds(Int64(Swift.max(-bound, Swift.min(bound, number.isNaN ? 0 : number)) * 1e6))
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    SchemaComponents.scalar("number", rules, sentence)
  }
}

/// An instant in UTC, as RFC 3339 writes it.
extension WallInstant: APIValue {
  package static var empty: WallInstant { WallInstant(milliseconds: 0) }

  package mutating func write(to json: inout JSONWriter) { json.value(self) }

  package static func read(from decoder: any Decoder) throws -> WallInstant {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard text.utf8.count <= 50, let instant = WallInstant(apiText: text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no instant")
    }
    return instant
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    SchemaComponents.scalar("string", format: "date-time", rules, sentence)
  }

  /// An instant with an offset and any number of places behind the seconds, of which three count; nil
  /// for what is none, and outside the years 1970 to 2200.
  package init?(apiText text: String) {
    guard let instant = (try? InstantText(Self.withMilliseconds(text)))?.instant else { return nil }
    self = instant
  }

  /// The text with three places behind the seconds, where it has any number of them.
  private static func withMilliseconds(_ text: String) -> String {
    let text = text.uppercased()
    guard let dot = text.firstIndex(of: ".") else { return text }
    let digits = text[text.index(after: dot)...].prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty else { return text }
    let places = (String(digits) + "00").prefix(3)
    return String(text[...dot]) + places + String(text[digits.endIndex...])
  }
}

extension Optional: APIValue where Wrapped: APIValue {
  package static var empty: Wrapped? { nil }
  package static var isOptional: Bool { true }
  package var isAbsent: Bool { self == nil }

  @inline(__always)
  package mutating func write(to json: inout JSONWriter) { self?.write(to: &json) }

  package static func read(from decoder: any Decoder) throws -> Wrapped? {
    try Wrapped.read(from: decoder)
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    Wrapped.schema(rules, sentence, in: &components)
  }
}

extension Array: APIValue where Element: APIValue {
  package static var empty: [Element] { [] }

  @inline(__always)
  package mutating func write(to json: inout JSONWriter) {
    json.open("[")
    for index in indices { self[index].write(to: &json) }
    json.close("]")
  }

  package static func read(from decoder: any Decoder) throws -> [Element] {
    var container = try decoder.unkeyedContainer()
    var elements: [Element] = []
    if let count = container.count { elements.reserveCapacity(count) }
    while !container.isAtEnd { elements.append(try container.decode(Reading<Element>.self).value) }
    return elements
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    SchemaComponents.collection(
      "array", of: Element.self, at: "items", rules, sentence, in: &components)
  }
}

/// Texts by names that users have chosen, in the order of the names.
extension Dictionary: APIValue where Key == String, Value == String {
  package static var empty: [String: String] { [:] }

  package mutating func write(to json: inout JSONWriter) {
    json.object { json in
      for (name, text) in sorted(by: { $0.key < $1.key }) { json.member(named: name, text) }
    }
  }

  package static func read(from decoder: any Decoder) throws -> [String: String] {
    try decoder.singleValueContainer().decode(Self.self)
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    SchemaComponents.collection(
      "object", of: String.self, at: "additionalProperties", rules, sentence, in: &components)
  }
}
