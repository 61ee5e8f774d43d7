import TaktCore

/// Writes a jobs file. Each text is quoted so that it reads back unchanged.
struct YAMLWriter {
  private(set) var text = ""

  mutating func comment(_ line: String, indent: Int = 0) {
    let safe = String(
      String.UnicodeScalarView(
        line.unicodeScalars.map { Self.isPrintable($0) || $0 == "\t" ? $0 : "\u{fffd}" }))
    text += String(repeating: " ", count: indent) + (safe.isEmpty ? "#" : "# " + safe) + "\n"
  }

  mutating func blankLine() { text += "\n" }

  mutating func open(_ key: String, indent: Int = 0) {
    text += String(repeating: " ", count: indent) + Self.scalar(key) + ":\n"
  }

  /// Writes a mapping with an anchor, for aliases.
  mutating func anchor(_ name: String, _ value: DraftValue) {
    text += "x-\(name): &\(name)\n"
    guard case .map(let entries) = value else { return }
    for entry in entries { self.entry(entry, indent: 2) }
  }

  mutating func entry(_ entry: DraftEntry, indent: Int) {
    let lead = String(repeating: " ", count: indent) + Self.scalar(entry.key) + ":"
    if let block = block(entry.value, lead, indent: indent + 2) {
      text += lead + " " + block
      return
    }
    let flow = Self.flow(entry.value)
    if flow.utf8.count + lead.utf8.count < Self.widthMax || !Self.isNested(entry.value) {
      text += lead + " " + flow + "\n"
      return
    }
    switch entry.value {
    case .map(let entries):
      text += lead + "\n"
      for inner in entries { self.entry(inner, indent: indent + 2) }
    case .list(let items):
      text += lead + "\n"
      for item in items { self.item(item, indent: indent + 2) }
    case .text, .word: break
    }
  }

  /// Writes an item of a list; a long mapping takes several lines.
  private mutating func item(_ value: DraftValue, indent: Int) {
    let lead = String(repeating: " ", count: indent) + "- "
    if let block = block(value, lead, indent: indent + 2) {
      text += lead + block
      return
    }
    let flow = Self.flow(value)
    guard flow.utf8.count + lead.utf8.count >= Self.widthMax, case .map(let entries) = value,
      !entries.isEmpty
    else {
      text += lead + flow + "\n"
      return
    }
    var inner = YAMLWriter()
    for entry in entries { inner.entry(entry, indent: indent + 2) }
    text += lead + inner.text.dropFirst(indent + 2)
  }

  static let widthMax = 100

  /// A block for a text of several lines, or a long one.
  private func block(_ value: DraftValue, _ lead: String, indent: Int) -> String? {
    guard case .text(let text) = value else { return nil }
    return YAMLBlock(EachBraces.escaped(text), leadBytes: lead.utf8.count, indent: indent)?.text
  }

  private static func isNested(_ value: DraftValue) -> Bool {
    switch value {
    case .map(let entries): !entries.isEmpty
    case .list(let items): !items.isEmpty
    case .text, .word: false
    }
  }

  private static func flow(_ value: DraftValue) -> String {
    switch value {
    case .word(let word): return word
    // Braces before `each` would be a value of `for_each`.
    case .text(let text): return scalar(EachBraces.escaped(text))
    case .list(let items):
      return "[" + items.map(flow).joined(separator: ", ") + "]"
    case .map(let entries):
      return "{"
        + entries.map { scalar($0.key) + ": " + flow($0.value) }
        .joined(separator: ", ") + "}"
    }
  }

  /// A scalar that YAML reads as this text.
  static func scalar(_ text: String) -> String {
    if isPlain(text) { return text }
    let isPrintable = text.unicodeScalars.allSatisfy(isPrintable)
    if isPrintable, !text.has("'") { return "'" + text + "'" }
    return "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, first.isLetter || first == UInt8(ascii: "/"),
      text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "/._+@%=-".utf8.contains($0) })
    else { return false }
    // `yes` and `on` are texts in YAML 1.2.
    return !["null", "true", "false"].contains(text.lowercased())
  }

  /// True if YAML accepts the character unescaped within a line, and a terminal shows it.
  static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.steersTerminal { return false }
    return switch scalar.value {
    case 0x20...0x7e, 0xa0...0x2027, 0x202a...0xd7ff, 0xe000...0xfefe, 0xff00...0xfffd,
      0x10000...0x10ffff:
      true
    default: false
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\t": return "\\t"
    case "\r": return "\\r"
    default:
      if isPrintable(scalar) { return String(Character(scalar)) }
      let digits = String(scalar.value, radix: 16)
      let width = scalar.value < 0x100 ? 2 : 4
      return (width == 2 ? "\\x" : "\\u") + String(repeating: "0", count: width - digits.count)
        + digits
    }
  }
}
