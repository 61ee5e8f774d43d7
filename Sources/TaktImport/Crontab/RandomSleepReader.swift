struct RandomSleepReader {
  var rest: Substring
  private let shell: RandomSleep.Shell
  private var needsRandom = false

  /// A time from `least` to `least + span` seconds, all equally likely.
  struct Time: Equatable {
    var least: Int
    var span: Int

    static let max = 31_536_000

    /// Nil for a constant time, and for more than a year.
    init?(least: Int, span: Int, scale: Int = 1) {
      guard (0...Self.max).contains(least), (1...Self.max).contains(span),
        (least + span) * scale <= Self.max
      else { return nil }
      self.least = least * scale
      self.span = span * scale
    }
  }

  init(_ text: Substring, shell: RandomSleep.Shell) {
    rest = text
    self.shell = shell
  }

  /// Reads a command that waits and does nothing else, up to its end.
  mutating func statement() -> (time: Time, needsRandom: Bool, text: Substring)? {
    let start = rest
    for folder in ["/usr/bin/", "/bin/"] where consume(folder) { break }
    let time: Time?
    if consumeWord("sleep") {
      time = argument()
    } else if consumeWord("bash"), consumeWord("-c"), consume("'") {
      var inner = RandomSleepReader(rest, shell: .bash)
      guard let wait = inner.statement(), inner.consume("'"), !wait.text.contains("'") else {
        return nil
      }
      rest = inner.rest
      time = wait.time
    } else {
      time = script(after: "sleep")
    }
    guard let time else { return nil }
    skipBlanks()
    for redirection in [">/dev/null", "> /dev/null", "2>&1", "2>/dev/null", "2> /dev/null"]
    where consume(redirection) { skipBlanks() }
    return (time, needsRandom, start[..<rest.startIndex])
  }

  // MARK: Words

  mutating func consume(_ text: String) -> Bool {
    guard rest.hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.count)
    return true
  }

  /// Consumes a word and the blanks after it.
  private mutating func consumeWord(_ word: String) -> Bool {
    guard rest.hasPrefix(word), let next = rest.dropFirst(word.count).first,
      next == " " || next == "\t"
    else { return false }
    rest = rest.dropFirst(word.count)
    skipBlanks()
    return true
  }

  mutating func skipBlanks() {
    rest = rest.drop { $0 == " " || $0 == "\t" }
  }

  private mutating func number() -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    // A number with a leading zero may be octal.
    guard let value = Int(digits), value <= Time.max, digits == "0" || !digits.hasPrefix("0")
    else { return nil }
    rest = rest[digits.endIndex...]
    return value
  }

  // MARK: The argument of sleep

  private mutating func argument() -> Time? {
    let isQuoted = consume("\"")
    guard let value = value() else { return nil }
    var scale = 1
    for (unit, factor) in [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)] where consume(unit) {
      scale = factor
      break
    }
    if isQuoted, !consume("\"") { return nil }
    guard rest.first.map({ " \t;&'>".contains($0) }) ?? false else { return nil }
    return Time(least: value.least, span: value.span, scale: scale)
  }

  private mutating func value() -> Time? {
    if consume("$((") {
      let value = sum()
      return consume("))") ? value : nil
    }
    if shell == .bash, consume("$[") {
      let value = sum()
      return consume("]") ? value : nil
    }
    if shell == .bash, consume("$RANDOM") || consume("${RANDOM}") { return Self.random }
    return substitution { reader in reader.printed() }
  }

  private static let random = Time(least: 0, span: 32_768)

  /// `$(…)` or the same in backquotes.
  private mutating func substitution(_ body: (inout Self) -> Time?) -> Time? {
    for (start, end) in [("$(", ")"), ("`", "`")] where consume(start) {
      skipBlanks()
      let value = body(&self)
      skipBlanks()
      return consume(end) ? value : nil
    }
    return nil
  }

  /// `RANDOM % 300`, with optional parentheses and an optional number to add.
  private mutating func sum() -> Time? {
    skipBlanks()
    defer { skipBlanks() }
    var added = 0
    if let first = number() {
      skipBlanks()
      guard consume("+") else { return nil }
      skipBlanks()
      added = first
    }
    guard let value = remainder() else { return nil }
    skipBlanks()
    if added == 0, consume("+") {
      skipBlanks()
      guard let last = number() else { return nil }
      added = last
    }
    return Time(least: value.least + added, span: value.span)
  }

  private mutating func remainder() -> Time? {
    if consume("(") {
      skipBlanks()
      let value = remainder()
      skipBlanks()
      return consume(")") ? value : nil
    }
    let source: Time?
    if consume("RANDOM") {
      needsRandom = true
      source = Self.random
    } else if shell == .bash, consume("$RANDOM") || consume("${RANDOM}") {
      source = Self.random
    } else {
      source = substitution { reader in reader.bytes(max: 4) }
    }
    guard let source else { return nil }
    skipBlanks()
    guard consume("%") else { return source }
    skipBlanks()
    guard let divisor = number(), divisor > 0 else { return nil }
    return Time(least: 0, span: min(divisor, source.span))
  }

  // MARK: Programs that print a number

  private mutating func printed() -> Time? {
    if consumeWord("shuf") { return shuffled() }
    if shell == .bash, consumeWord("expr") { return consumeWord("$RANDOM") ? expression() : nil }
    if rest.hasPrefix("od ") { return bytes(max: 2) }
    return script(after: "print")
  }

  /// `-i 0-300 -n 1` in any order.
  private mutating func shuffled() -> Time? {
    var time: Time?
    var isOne = false
    while true {
      skipBlanks()
      if consume("-i") || consume("--input-range=") {
        skipBlanks()
        guard time == nil, let least = number(), consume("-"), let most = number() else {
          return nil
        }
        time = Time(least: least, span: most - least)
        if time == nil { return nil }
      } else if consume("-n") || consume("--head-count=") {
        skipBlanks()
        guard number() == 1 else { return nil }
        isOne = true
      } else {
        break
      }
    }
    if !isOne, consume("|") {
      skipBlanks()
      isOne = consume("head -n 1") || consume("head -n1") || consume("head -1")
    }
    return isOne ? time : nil
  }

  /// Reads the operands after `expr $RANDOM`.
  private mutating func expression() -> Time? {
    guard consumeWord("%"), let divisor = number(), divisor > 0 else { return nil }
    skipBlanks()
    guard consumeWord("+") else { return Time(least: 0, span: min(divisor, 32_768)) }
    return number().flatMap { Time(least: $0, span: min(divisor, 32_768)) }
  }

  /// `od -An -N2 -tu2 /dev/urandom`: the bytes of one unsigned number.
  private mutating func bytes(max: Int) -> Time? {
    guard consumeWord("od") else { return nil }
    var (count, size) = (0, 0)
    var isPlain = false
    while true {
      skipBlanks()
      if consumeWord("-An") || consumeWord("-vAn") || consumeWord("-A n") {
        isPlain = true
      } else if consumeWord("-v") {
        continue
      } else if consume("-N") {
        skipBlanks()
        guard let number = number() else { return nil }
        count = number
      } else if consume("-tu") || consume("-t u") {
        guard let number = number() else { return nil }
        size = number
      } else {
        break
      }
    }
    _ = consume("<")
    skipBlanks()
    guard consume("/dev/urandom") || consume("/dev/random"), isPlain, count == size,
      [1, 2, 4].contains(count), count <= max
    else { return nil }
    // Four bytes are only used for a remainder.
    return Time(least: 0, span: count == 4 ? Time.max : 1 << (8 * count))
  }
}
