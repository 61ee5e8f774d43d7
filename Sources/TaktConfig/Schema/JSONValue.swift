/// A JSON value whose members keep their order, for readable output.
indirect enum JSONValue: Equatable, Sendable {
  case string(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case array([JSONValue])
  case object([Member])

  struct Member: Equatable, Sendable {
    var name: String
    var value: JSONValue

    init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The text, indented by two; a collection of plain values is on one line.
  var text: String {
    var text = ""
    write(to: &text, indent: "")
    return text
  }

  private func write(to text: inout String, indent: String) {
    switch self {
    case .string(let string): Self.write(string, to: &text)
    case .integer(let value): text += String(value)
    case .number(let value): text += value.brief
    case .boolean(let value): text += String(value)
    case .array(let items):
      write(items.map { (nil, $0) }, "[", "]", to: &text, indent: indent)
    case .object(let members):
      write(members.map { ($0.name, $0.value) }, "{", "}", to: &text, indent: indent)
    }
  }

  private func write(
    _ items: [(name: String?, value: JSONValue)], _ open: String, _ close: String,
    to text: inout String, indent: String
  ) {
    let isShort = items.count < 12 && items.allSatisfy(\.value.isPlain)
    let inner = isShort ? "" : "\n" + indent + "  "
    text += open
    for (index, item) in items.enumerated() {
      if index > 0 { text += isShort ? ", " : "," }
      text += inner
      if let name = item.name {
        Self.write(name, to: &text)
        text += ": "
      }
      item.value.write(to: &text, indent: indent + "  ")
    }
    if !isShort { text += "\n" + indent }
    text += close
  }

  private var isPlain: Bool {
    switch self {
    case .string, .integer, .number, .boolean: true
    case .array, .object: false
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case let control where control.value < 0x20:
        let digits = String(control.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .boolean(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }

  /// This object with the members of another after its own.
  func adding(_ other: JSONValue) -> JSONValue {
    guard case .object(let members) = self, case .object(let more) = other else { return self }
    return .object(members + more)
  }
}
