import TaktCore

extension RandomSleepReader {
  /// Reads a script of perl, Python or awk that waits (`sleep`) or prints a number (`print`), and
  /// does nothing else.
  mutating func script(after verb: String) -> Time? {
    guard let (language, text) = quotedScript() else { return nil }
    var script = text[...]
    while script.last == ";" { script.removeLast() }
    switch language {
    case "perl":
      guard script.hasPrefix(verb) else { return nil }
      return Self.perl(Self.withoutParentheses(script.dropFirst(verb.count)))
    case "awk":
      let lead = "BEGIN{srand();\(verb)"
      guard verb == "print", script.hasPrefix(lead), script.hasSuffix("}") else { return nil }
      var value = script.dropFirst(lead.count).dropLast()
      if value.last == ";" { value.removeLast() }
      return Self.product(Self.whole(value), "rand()")
    default: return Self.python(script, verb)
    }
  }

  /// The language, and the script without blanks; nil if the shell or the program would read
  /// another text.
  private mutating func quotedScript() -> (language: String, text: String)? {
    for (words, language) in [
      ("perl -e ", "perl"), ("perl -le ", "perl"), ("awk ", "awk"), ("python3 -c ", "python"),
      ("python -c ", "python"), ("python2 -c ", "python"),
    ] where consume(words) {
      skipBlanks()
      guard let quote = rest.first, quote == "'" || quote == "\"" else { return nil }
      rest.removeFirst()
      let body = rest.prefix { $0 != quote }
      rest = rest[body.endIndex...]
      guard consume(String(quote)), quote == "'" || !body.contains(where: { "$`\\!".contains($0) })
      else { return nil }
      return (language, body.filter { $0 != " " && $0 != "\t" })
    }
    return nil
  }

  /// `rand(300)`, `int(rand(300))`, `int rand 300`: perl sleeps whole seconds anyway.
  private static func perl(_ text: Substring) -> Time? {
    let random = whole(text)
    guard random.hasPrefix("rand") else { return nil }
    return number(withoutParentheses(random.dropFirst(4))).flatMap { Time(least: 0, span: $0) }
  }

  /// `import random; import time; time.sleep(random.random() * 300)`, and other functions of the
  /// module.
  private static func python(_ script: Substring, _ verb: String) -> Time? {
    var statements = script.split(separator: ";")
    guard let last = statements.popLast() else { return nil }
    let allowed: Set<Substring> = [
      "importrandom", "importtime", "importrandom,time", "importtime,random",
    ]
    guard statements.allSatisfy(allowed.contains),
      statements.contains(where: { $0.contains("random") }),
      verb == "print" || statements.contains(where: { $0.contains("time") })
    else { return nil }
    let lead = verb == "sleep" ? "time.sleep(" : "print("
    guard last.hasPrefix(lead), last.hasSuffix(")") else { return nil }
    let value = last.dropFirst(lead.count).dropLast()
    for (name, isInclusive) in [("randint", true), ("uniform", true), ("randrange", false)] {
      let lead = "random.\(name)("
      guard value.hasPrefix(lead), value.hasSuffix(")") else { continue }
      let texts = value.dropFirst(lead.count).dropLast().split(separator: ",")
      let numbers = texts.compactMap(Self.number)
      guard numbers.count == texts.count, let most = numbers.last else { return nil }
      if numbers.count == 1, !isInclusive { return Time(least: 0, span: most) }
      return numbers.count == 2 ? Time(least: numbers[0], span: most - numbers[0]) : nil
    }
    return product(whole(value), "random.random()")
  }

  /// `x*300` or `300*x`.
  private static func product(_ text: Substring, _ factor: String) -> Time? {
    let number: Substring
    if text.hasPrefix(factor + "*") {
      number = text.dropFirst(factor.count + 1)
    } else if text.hasSuffix("*" + factor) {
      number = text.dropLast(factor.count + 1)
    } else {
      return nil
    }
    return Self.number(number).flatMap { Time(least: 0, span: $0) }
  }

  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy(\.isDigit), let value = Int(text), value <= Time.max else {
      return nil
    }
    return value
  }

  /// The text without an `int` around it.
  private static func whole(_ text: Substring) -> Substring {
    text.hasPrefix("int") ? withoutParentheses(text.dropFirst(3)) : text
  }

  /// The text without one pair of parentheses around all of it.
  private static func withoutParentheses(_ text: Substring) -> Substring {
    guard text.first == "(", text.last == ")" else { return text }
    var depth = 0
    for (number, sign) in text.enumerated() {
      depth += sign == "(" ? 1 : sign == ")" ? -1 : 0
      if depth == 0, number < text.count - 1 { return text }
    }
    return text.dropFirst().dropLast()
  }
}
