import TaktCore
import TaktTime

/// JSON for writing only.
indirect enum JSONDocument {
  case text(String)
  case number(Int)
  case flag(Bool)
  case list([JSONDocument])
  case object([(String, JSONDocument)])
  /// A text that is JSON already.
  case json(String)

  var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .text(let text): JSONText.append(text, to: &bytes)
    case .number(let number): bytes.append(decimal: Int64(number))
    case .flag(let flag): bytes.append(utf8: flag ? "true" : "false")
    case .list(let items):
      bytes.append(UInt8(ascii: "["))
      for (place, item) in items.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        item.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (place, member) in members.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(member.0, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .json(let text): bytes.append(utf8: text)
    }
  }
}
