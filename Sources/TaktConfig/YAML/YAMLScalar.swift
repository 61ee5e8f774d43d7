/// One scalar: its own text, and its type in YAML 1.2's core schema.
struct YAMLScalar: Hashable, Sendable {
  enum Kind: Hashable {
    case null
    case boolean(Bool)
    /// Nil if it does not fit.
    case integer(Int?)
    case float
    case string
  }

  /// The text without quotes, escapes resolved.
  var text: String
  /// True without quotes, and outside a block.
  var isPlain: Bool
  var tag: YAMLTag?

  /// The type of the scalar: quotes and tags count, `yes` and `on` are strings.
  var kind: Kind {
    switch tag {
    case nil: isPlain ? Self.coreKind(of: text) : .string
    case .null, .boolean, .integer, .float: Self.coreKind(of: text)
    case .string, .sequence, .mapping, .nonSpecific, .unknown: .string
    }
  }

  /// True if its kind is null: a fast test for each value.
  var isNull: Bool {
    switch tag {
    case nil: isPlain && Self.isNull(text)
    case .null, .boolean, .integer, .float: Self.isNull(text)
    case .string, .sequence, .mapping, .nonSpecific, .unknown: false
    }
  }

  var isBlank: Bool { isPlain && text.isEmpty && tag == nil }

  var fitsTag: Bool {
    switch (tag, Self.coreKind(of: text)) {
    case (nil, _), (.string, _), (.nonSpecific, _): true
    case (.null, .null), (.boolean, .boolean), (.integer, .integer), (.float, .float): true
    case (.float, .integer): true
    default: false
    }
  }

  private static func coreKind(of text: String) -> Kind {
    guard let first = text.utf8.first, !isNull(text) else { return .null }
    // The first byte decides for most texts.
    switch first {
    case UInt8(ascii: "t"), UInt8(ascii: "T"):
      return ["true", "True", "TRUE"].contains(text) ? .boolean(true) : .string
    case UInt8(ascii: "f"), UInt8(ascii: "F"):
      return ["false", "False", "FALSE"].contains(text) ? .boolean(false) : .string
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      return integer(text).map { .integer($0.value) } ?? (isFloat(text) ? .float : .string)
    default: return .string
    }
  }

  private static func isNull(_ text: String) -> Bool {
    switch text.utf8.count {
    case 0: true
    case 1: text == "~"
    case 4: text == "null" || text == "Null" || text == "NULL"
    default: false
    }
  }

  private static func integer(_ text: String) -> (value: Int?, Void)? {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] where text.hasPrefix(prefix) {
      let digits = text.dropFirst(2)
      let isNumber = !digits.isEmpty && digits.allSatisfy { $0.isASCII && isDigit($0, radix) }
      return isNumber ? (Int(digits, radix: radix), ()) : nil
    }
    let hasSign = text.hasPrefix("+") || text.hasPrefix("-")
    let digits = hasSign ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy(isDecimal) else { return nil }
    return (Int(text), ())
  }

  private static func isDigit(_ character: Character, _ radix: Int) -> Bool {
    character.hexDigitValue.map { $0 < radix } ?? false
  }

  private static func isDecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Accepts `[-+]? ( . digits | digits ( . digits? )? ) ( [eE] [-+]? digits )?`, infinities and
  /// not-a-number.
  private static func isFloat(_ text: String) -> Bool {
    if [".nan", ".NaN", ".NAN"].contains(text) { return true }
    var rest = text.utf8[...]
    if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() }
    if [".inf", ".Inf", ".INF"].contains(String(Substring(rest))) { return true }
    let whole = rest.prefix(while: isDecimal).count
    rest = rest.dropFirst(whole)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = rest.prefix(while: isDecimal).count
      rest = rest.dropFirst(fraction)
    }
    guard whole + fraction > 0 else { return false }
    if let exponent = rest.first, "eE".utf8.contains(exponent) {
      rest.removeFirst()
      if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() }
      let digits = rest.prefix(while: isDecimal).count
      if digits == 0 { return false }
      rest = rest.dropFirst(digits)
    }
    return rest.isEmpty
  }
}

/// The tag of a node. Only the tags of YAML's core schema are known.
enum YAMLTag: Hashable, Sendable {
  case string, null, boolean, integer, float, sequence, mapping
  /// `!`: the node without resolution, a scalar as text.
  case nonSpecific
  /// Any other, with its whole text.
  case unknown(String)

  /// Parses a tag from libyaml, with its handle resolved.
  init(_ text: String) {
    switch text {
    case "!": self = .nonSpecific
    case "tag:yaml.org,2002:str": self = .string
    case "tag:yaml.org,2002:null": self = .null
    case "tag:yaml.org,2002:bool": self = .boolean
    case "tag:yaml.org,2002:int": self = .integer
    case "tag:yaml.org,2002:float": self = .float
    case "tag:yaml.org,2002:seq": self = .sequence
    case "tag:yaml.org,2002:map": self = .mapping
    default: self = .unknown(text)
    }
  }

  /// The form in a file: `!!python/x`, `!secret`.
  static func written(_ text: String) -> String {
    let core = "tag:yaml.org,2002:"
    return text.hasPrefix(core) ? "!!" + text.dropFirst(core.count) : text
  }
}
