import TaktCore

/// Reads one time field of a crontab, character by character, as cron does.
struct CronFieldReader {
  private let field: CronField
  /// Counted from 0, for the refusal.
  private let number: Int
  private let dialect: CronDialect
  private var rest: Substring.UnicodeScalarView
  /// Days of the week from 0 to 6.
  private(set) var values: Set<Int> = []
  /// The parts of the list in takt's notation; nil if takt needs another text for the same values.
  private(set) var text: String?
  /// True if cron draws a random value.
  private(set) var isRandom = false
  /// Characters at the end that cron ignores.
  private(set) var ignored = ""

  init(
    _ text: String, _ field: CronField, number: Int, dialect: CronDialect
  ) throws(CronFields.Refusal) {
    self.field = field
    self.number = number
    self.dialect = dialect
    rest = text.unicodeScalars[...]
    var parts: [String] = []
    var isPlain = true
    repeat {
      let start = rest
      switch try readPart() {
      case .asItStands: parts.append(String(start[..<rest.startIndex]))
      case .random(let low, let high): parts.append("H(\(low)-\(high))")
      case .otherwise: isPlain = false
      }
    } while consume(",")
    ignored = String(rest)
    if !ignored.isEmpty {
      guard dialect == .debian else { throw refusal("cron refuses '\(ignored)' here") }
      isPlain = false
    }
    self.text = isPlain ? parts.joined(separator: ",") : nil
  }

  /// takt's notation for a part of the list.
  private enum Part {
    case asItStands
    case random(Int, Int)
    /// takt gives the same text another meaning.
    case otherwise
  }

  private mutating func readPart() throws(CronFields.Refusal) -> Part {
    var low = field.values.lowerBound
    var high = field.values.upperBound
    var isRange = false
    var isSunday = false
    if !consume("*") {
      if dialect == .cronie, consume("~") { return try readRandom(from: low) }
      low = try readValue()
      high = low
      if consume("-") {
        high = try readValue()
        isRange = true
      } else if dialect == .cronie, consume("~") {
        return try readRandom(from: low)
      } else if rest.first == "/" {
        throw refusal("cron refuses a step without a range")
      }
    }
    var step = 1
    if consume("/") {
      guard let given = Self.number(readWord()), given > 0 else {
        throw refusal("cron refuses this step")
      }
      step = given
    } else if dialect == .cronie, isRange, low > 0, high == 0 {
      // In every field, cronie reads a Sunday at the end as day 7.
      high = 7
      isSunday = true
    }
    // Debian's cron checks the bounds of a range, cronie only the values in it.
    if dialect == .debian || !isRange { try check(low) }
    if dialect == .debian { try check(high) }
    for value in stride(from: low, through: high, by: step) {
      try check(value)
      values.insert(field == .dayOfWeek ? value % 7 : value)
    }
    // takt reads a backward range as one that wraps round the end of the field.
    return low <= high && (field == .dayOfWeek || !isSunday) ? .asItStands : .otherwise
  }

  /// Reads the rest of a range with `~`.
  private mutating func readRandom(from low: Int) throws(CronFields.Refusal) -> Part {
    var high = field.values.upperBound
    if let next = rest.first, next != "," { high = try readValue() }
    guard low <= high else { throw refusal("cron refuses a range that runs backwards") }
    try check(low)
    try check(high)
    values.formUnion((low...high).map { field == .dayOfWeek ? $0 % 7 : $0 })
    isRandom = true
    return .random(low, high)
  }

  private mutating func consume(_ sign: Unicode.Scalar) -> Bool {
    guard rest.first == sign else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func readWord() -> String {
    let word = rest.prefix {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
    }
    rest = rest[word.endIndex...]
    return String(String.UnicodeScalarView(word))
  }

  private mutating func readValue() throws(CronFields.Refusal) -> Int {
    let word = readWord()
    if let index = field.names.firstIndex(of: word.uppercased()) {
      return field.values.lowerBound + index
    }
    guard let value = Self.number(word) else {
      throw refusal("cron refuses this \(field.rawValue)")
    }
    return value
  }

  /// Decimal, with any number of leading zeros.
  private static func number(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ $0 > 0x2f && $0 < 0x3a })
    else { return nil }
    return Int(text)
  }

  private func check(_ value: Int) throws(CronFields.Refusal) {
    guard field.values.contains(value) else {
      throw refusal(
        "cron refuses this \(field.rawValue): \(value) is outside \(field.values.lowerBound) to "
          + "\(field.values.upperBound)")
    }
  }

  private func refusal(_ sentence: String) -> CronFields.Refusal {
    CronFields.Refusal(field: number, sentence: sentence)
  }
}

extension CronField {
  func list(of values: Set<Int>) -> String {
    values.count == (self == .dayOfWeek ? 7 : self.values.count)
      ? "*" : values.sorted().map(String.init).joined(separator: ",")
  }
}
