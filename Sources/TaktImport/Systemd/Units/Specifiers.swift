/// Expands `%i` and the other specifiers in a value.
struct Specifiers {
  let unit: Unit
  let manager: UnitManager

  /// The text, and the specifiers that depend on the running machine.
  func expand(_ text: String) -> (text: String, unknown: [String]) {
    guard text.contains("%") else { return (text, []) }
    var result = ""
    var unknown: [String] = []
    var rest = text[...]
    while let sign = rest.popFirst() {
      guard sign == "%", let letter = rest.first else {
        result.append(sign)
        continue
      }
      rest.removeFirst()
      if let value = value(of: letter) {
        result += value
      } else {
        result += "%\(letter)"
        unknown.append("%\(letter)")
      }
    }
    return (result, unknown)
  }

  private func value(of letter: Character) -> String? {
    switch letter {
    case "%": return "%"
    case "n": return unit.name
    case "N": return unit.stem
    case "p": return unit.prefix
    case "P": return Self.unescaped(unit.prefix)
    case "i": return unit.instance ?? ""
    case "I": return Self.unescaped(unit.instance ?? "")
    case "j": return unit.prefix.split(separator: "-").last.map(String.init) ?? unit.prefix
    case "J":
      return Self.unescaped(unit.prefix.split(separator: "-").last.map(String.init) ?? unit.prefix)
    case "f":
      let path = Self.unescaped(unit.instance ?? unit.prefix)
      return path.hasPrefix("/") ? path : "/" + path
    case "T": return "/tmp"
    case "V": return "/var/tmp"
    default: return manager.value(of: letter)
    }
  }

  /// `-` is a `/`, `\xNN` a byte.
  static func unescaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "-") {
        bytes.append(UInt8(ascii: "/"))
      } else if byte == UInt8(ascii: "\\"), rest.count >= 3, rest.first == UInt8(ascii: "x"),
        let value = UInt8(
          String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16), value != 0
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
