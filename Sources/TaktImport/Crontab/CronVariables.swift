/// The variables of a crontab above the current line.
struct CronVariables {
  struct Variable {
    var name: String
    var value: String
    var token: SourceToken
  }

  private(set) var variables: [Variable] = []

  /// The last assignment counts.
  subscript(name: String) -> String? { variables.last { $0.name == name }?.value }

  /// A bound, because each job gets all of them.
  static let countMax = 100

  /// Returns false if there are too many.
  mutating func add(_ variable: Variable) -> Bool {
    guard variables.count < Self.countMax else { return false }
    variables.append(variable)
    return true
  }

  /// Reads `NAME = value` as cron does: both can be quoted, with nothing after the value; nil for
  /// another line.
  static func read(_ line: SourceLine, in trimmed: Range<Int>, dialect: CronDialect) -> Variable? {
    var rest = line.scalars[trimmed]
    let name: ArraySlice<Unicode.Scalar>
    if let quote = consumeQuote(&rest) {
      name = rest.prefix { $0 != quote && $0 != "=" }
      rest = rest[name.endIndex...]
      guard rest.popFirst() == quote else { return nil }
    } else {
      name = rest.prefix { $0 != "=" && !SourceLine.isSpace($0) }
      rest = rest[name.endIndex...]
    }
    rest = rest.drop(while: SourceLine.isSpace)
    guard rest.popFirst() == "=" else { return nil }
    rest = rest.drop(while: SourceLine.isSpace)
    while let last = rest.last, SourceLine.isSpace(last) { rest.removeLast() }
    // Debian's cron refuses an empty value without quotes.
    if rest.isEmpty, dialect == .debian { return nil }
    if let quote = consumeQuote(&rest) {
      let value = rest.prefix { $0 != quote }
      guard value.endIndex == rest.endIndex - 1 else { return nil }
      rest = value
      if dialect == .debian { rest = stripped(rest) }
    }
    var end = trimmed.upperBound
    while end > trimmed.lowerBound, SourceLine.isSpace(line.scalars[end - 1]) { end -= 1 }
    let token = line.token(trimmed.lowerBound..<end)
    return Variable(name: text(name), value: text(rest), token: token)
  }

  /// A line that cron reads as this variable; nil if there is none.
  static func line(_ name: String, _ value: String, dialect: CronDialect) -> String? {
    for quote in value.isEmpty ? ["\""] : ["", "\"", "'"] {
      let text = "\(name)=\(quote)\(value)\(quote)"
      let line = SourceLine(file: "", number: 1, scalars: Array(text.unicodeScalars))
      guard text.utf8.count <= dialect.lineBytesMax, let trimmed = line.trimmed,
        let variable = read(line, in: trimmed, dialect: dialect)
      else { continue }
      // Texts that compare as equal may differ in bytes.
      if variable.name == name, Array(variable.value.utf8) == Array(value.utf8) { return text }
    }
    return nil
  }

  /// Reads `NAME=value` as anacron does: the value is the rest of the line.
  static func readPlain(_ line: SourceLine, in trimmed: Range<Int>) -> Variable? {
    let scalars = line.scalars[trimmed.lowerBound...]
    let name = scalars.prefix { $0 != "=" && !SourceLine.isBlank($0) }
    var rest = scalars[name.endIndex...].drop(while: SourceLine.isBlank)
    guard !name.isEmpty, rest.popFirst() == "=" else { return nil }
    return Variable(name: text(name), value: text(rest), token: line.token(trimmed))
  }

  /// Reads `NAME = value` as supercronic does: the value is the rest of the line, without quotes
  /// around all of it.
  static func readUntilEnd(_ line: SourceLine, in trimmed: Range<Int>) -> Variable? {
    guard var variable = readPlain(line, in: trimmed) else { return nil }
    variable.value = String(variable.value.drop { $0 == " " || $0 == "\t" })
    let value = variable.value
    if value.utf8.count > 1, let first = value.first, first == "\"" || first == "'",
      value.last == first
    {
      variable.value = String(value.dropFirst().dropLast())
    }
    return variable
  }

  private static func consumeQuote(_ rest: inout ArraySlice<Unicode.Scalar>) -> Unicode.Scalar? {
    guard let first = rest.first, first == "\"" || first == "'" else { return nil }
    rest.removeFirst()
    return first
  }

  /// Debian's cron strips blanks from the end of a quoted value, and one more pair of quotes.
  private static func stripped(_ value: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
    var value = value
    while let last = value.last, SourceLine.isSpace(last) { value.removeLast() }
    if value.count >= 2, let first = value.first, first == "\"" || first == "'", value.last == first
    {
      value = value.dropFirst().dropLast()
    }
    return value
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
