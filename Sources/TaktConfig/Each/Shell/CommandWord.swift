import TaktCore

/// A word of a shell's text, as far as it takes to know what a value in it comes to.
struct CommandWord {
  struct Value {
    var number: Int
    var place: ShellPlace
  }

  /// Without its quotes; nil where it has a value or an expansion.
  private(set) var constant: [UInt8]? = []
  /// What stands at its start, before any quote, expansion or value.
  private(set) var lead: [UInt8] = []
  private(set) var hasQuotes = false
  /// Whether a `/` is in it, so that it names no built-in of a shell.
  private(set) var hasSlash = false
  /// The first character outside quotes that may have a meaning of its own beside a value.
  private(set) var oddSign: UInt8?
  /// Whether a `[` is outside quotes: what follows it may be a subscript.
  private(set) var hasBracket = false
  /// Whether a `*` or `?` is outside quotes.
  private(set) var hasPattern = false
  /// Whether it ends with a variable, whose name what comes next would lengthen.
  private(set) var endsWithVariable = false
  /// Whether a `<` or `>` follows it, of which a number would be the descriptor.
  var isBeforeRedirection = false
  var values: [Value] = []
  /// Values of commands in it, `$( )`.
  var innerValues: [Int] = []
  private var isLeadOver = false

  var isEmpty: Bool {
    constant?.isEmpty == true && !hasQuotes && values.isEmpty
  }

  var text: String? { constant.map { String(decoding: $0, as: UTF8.self) } }

  /// The text of a word without quotes and expansions, which may be a keyword.
  var bareText: String? { hasQuotes ? nil : text }

  /// The variable that it sets, where it is `NAME=…` or `NAME+=…`.
  var assignedName: String? {
    guard let sign = lead.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    var name = lead[..<sign]
    if name.last == UInt8(ascii: "+") { name.removeLast() }
    return Self.isName(name) ? String(decoding: name, as: UTF8.self) : nil
  }

  static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.first.map { $0.isWordByte && !$0.isDigit } == true
      && bytes.allSatisfy(\.isWordByte)
  }

  mutating func append(_ byte: UInt8, isQuoted: Bool = false) {
    // What follows `$x:` may be a modifier.
    if isQuoted || byte != UInt8(ascii: ":") { endsWithVariable = false }
    if byte == UInt8(ascii: "/") { hasSlash = true }
    if isQuoted {
      hasQuotes = true
      isLeadOver = true
    } else {
      if byte == UInt8(ascii: "[") { hasBracket = true }
      if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") { hasPattern = true }
      if oddSign == nil, !isPlain(byte) { oddSign = byte }
      if !isLeadOver { lead.append(byte) }
    }
    constant?.append(byte)
  }

  /// Whether a character outside quotes means nothing beside a value.
  private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="): !lead.isEmpty || isLeadOver
    case _ where byte >= 0x80 || byte.isWordByte: true
    default: "/.-:,@%+*?".utf8.contains(byte)
    }
  }

  /// `~/`, which stands for the home folder at the start of a word.
  mutating func appendHome() {
    lead += Array("~/".utf8)
    constant? += Array("~/".utf8)
    hasSlash = true
  }

  mutating func appendQuotes() {
    hasQuotes = true
    isLeadOver = true
    endsWithVariable = false
  }

  mutating func appendExpansion(isVariable: Bool) {
    constant = nil
    isLeadOver = true
    endsWithVariable = isVariable
  }

  mutating func append(value number: Int, _ place: ShellPlace) {
    values.append(Value(number: number, place: place))
    constant = nil
    isLeadOver = true
    endsWithVariable = false
  }
}
