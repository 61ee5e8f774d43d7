import TaktCore

/// A word of a shell's text, with the details that determine the effect of a value in it.
struct CommandWord {
  struct Value {
    var number: Int
    var place: ShellPlace
  }

  /// The word without its quotes; nil if it has a value or an expansion.
  private(set) var constant: [UInt8]? = []
  /// The text before any quote, expansion or value.
  private(set) var lead: [UInt8] = []
  private(set) var hasQuotes = false
  /// True if it contains `/`, so that it names no built-in of a shell.
  private(set) var hasSlash = false
  /// The first unquoted character that may have a special meaning next to a value.
  private(set) var oddSign: UInt8?
  /// True for an unquoted `[`: a subscript may follow.
  private(set) var hasBracket = false
  /// True for an unquoted `*` or `?`.
  private(set) var hasPattern = false
  /// True if it ends with a variable, whose name the next character would lengthen.
  private(set) var endsWithVariable = false
  /// True before `<` or `>`, where a number would be a descriptor.
  var isBeforeRedirection = false
  var values: [Value] = []
  /// Values in commands within it, `$( )`.
  var innerValues: [Int] = []
  private var isLeadOver = false

  var isEmpty: Bool {
    constant?.isEmpty == true && !hasQuotes && values.isEmpty
  }

  var text: String? { constant.map { String(decoding: $0, as: UTF8.self) } }

  /// The text of a word without quotes and expansions, which may be a keyword.
  var bareText: String? { hasQuotes ? nil : text }

  /// The variable that `NAME=…` or `NAME+=…` sets.
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
    // The text after `$x:` may be a modifier.
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

  /// True if an unquoted character has no special meaning next to a value.
  private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="): !lead.isEmpty || isLeadOver
    case _ where byte >= 0x80 || byte.isWordByte: true
    default: "/.-:,@%+*?".utf8.contains(byte)
    }
  }

  /// Appends `~/`, the home folder at the start of a word.
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
