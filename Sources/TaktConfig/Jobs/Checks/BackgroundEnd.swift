/// The end of a shell's text: detects a last command in the background.
enum BackgroundEnd {
  /// Words and signs that close the compound around the last command, or join it to the previous
  /// one.
  private static let closing: Set<String> = [")", "}", ";", "&&", "||", "done", "fi", "esac"]

  /// True if nothing in a text waits for the last process that it starts.
  static func isIn(_ text: String) -> Bool {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return false }
    let all = ShellToken.tokens(of: text)
    // The shell may wait at its own end.
    guard !all.contains(where: { $0.isBare("trap") }) || !all.contains(where: \.namesWait) else {
      return false
    }
    var rest = all[...]
    while let last = rest.last {
      if last.isSign("&") { return true }
      if !last.isQuoted, closing.contains(last.text) {
        rest.removeLast()
        continue
      }
      let start = rest.lastIndex(where: \.isBeforeCommand).map { $0 + 1 } ?? rest.startIndex
      let command = rest[start...]
      guard isIdle(command) else {
        let words = command.drop { $0.text.contains("=") }.map(\.text)
        return innerText(of: words).map { isIn(words[$0]) } ?? false
      }
      rest = rest[..<start]
    }
    return false
  }

  /// The index of the shell's text in a command that starts a shell.
  static func innerText(of words: [String]) -> Int? {
    let command = Wrapper.program(in: words)
    guard let program = command.first, UsualShell.isUsual(program) else { return nil }
    // Options before the text are few.
    return command.indices.dropFirst(2).prefix(8).first {
      UsualShell.readsText(after: Array(command[..<$0]))
    }
  }

  /// True if a command cannot wait for another one.
  private static func isIdle(_ command: ArraySlice<ShellToken>) -> Bool {
    guard let name = command.first, !name.isQuoted else { return false }
    let arguments = command.dropFirst()
    switch name.text {
    case "disown": return true
    case "true", ":": return arguments.isEmpty
    case "exit": return arguments.count < 2 && !arguments.contains(where: \.hasCommand)
    default: return false
    }
  }
}

/// A word of a shell's text, or an operator between words.
private struct ShellToken {
  enum Kind {
    case word
    case quoted
    case sign
  }

  /// Without quotes.
  var text: String
  var kind: Kind

  var isQuoted: Bool { kind == .quoted }
  /// True if another command is in it.
  var hasCommand: Bool { text.contains("$(") || text.contains("`") }
  var namesWait: Bool { text.contains("wait") }

  func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }
  func isBare(_ word: String) -> Bool { kind == .word && text == word }

  /// True if a command starts after it.
  var isBeforeCommand: Bool {
    kind == .sign || kind == .word && ShellBuiltins.leadingKeywords.contains(text)
  }

  /// The words and operators of a text, by the shell's rules; empty for a text that ends within
  /// quotes.
  static func tokens(of text: String) -> [ShellToken] {
    var scanner = ShellTokens(text)
    return scanner.read() ? scanner.tokens : []
  }
}

private struct ShellTokens {
  private var rest: Substring
  private var previous: Character = " "
  private var word: ShellToken?
  private(set) var tokens: [ShellToken] = []

  init(_ text: String) { rest = text[...] }

  /// Returns false if the text ends within quotes or an expansion.
  mutating func read() -> Bool {
    while let sign = rest.popFirst() {
      defer { previous = sign }
      switch sign {
      case "#" where word == nil: rest = rest.drop { !$0.isNewline }
      case _ where sign.isNewline: add(";")
      case _ where sign.isWhitespace: endWord()
      case "(" where previous == "<" || previous == ">": guard readExpansion() else { return false }
      case "(", ")", ";": add(String(sign))
      case "|" where previous == ">": append(sign)
      case "|", "&":
        if sign == "&", isPartOfRedirection {
          append(sign)
        } else if rest.first == sign {
          rest.removeFirst()
          add("\(sign)\(sign)")
        } else {
          // `|&` is a pipe, too.
          if sign == "|", rest.first == "&" { rest.removeFirst() }
          add(String(sign))
        }
      default: guard readWord(sign) else { return false }
      }
    }
    endWord()
    return true
  }

  private var isPartOfRedirection: Bool {
    previous == ">" || previous == "<" || rest.first == ">"
  }

  private mutating func readWord(_ sign: Character) -> Bool {
    switch sign {
    case "\\":
      guard let next = rest.popFirst() else { break }
      // A line continuation.
      if !next.isNewline { append(String(next), as: .quoted) }
    case "'", "\"", "`": return readQuoted(until: sign)
    case "$" where rest.first == "(":
      rest.removeFirst()
      return readExpansion()
    default: append(sign)
    }
    return true
  }

  private mutating func readQuoted(until quote: Character) -> Bool {
    append("", as: .quoted)
    if quote == "`" { append(quote) }
    while let sign = rest.popFirst() {
      if sign == quote { return true }
      if quote != "'", sign == "\\", let next = rest.popFirst() {
        append(quote == "\"" && !"$`\"\\".contains(next) ? "\\\(next)" : String(next))
      } else {
        append(sign)
      }
    }
    return false
  }

  /// Reads `$(…)` or `<(…)`, whose reader waits for its content.
  private mutating func readExpansion() -> Bool {
    var depth = 1
    append("$(")
    while let sign = rest.popFirst() {
      append(sign)
      switch sign {
      case "(": depth += 1
      case ")": depth -= 1
      case "\\": if let next = rest.popFirst() { append(next) }
      case "'", "\"": guard readQuoted(until: sign) else { return false }
      default: break
      }
      if depth == 0 { return true }
    }
    return false
  }

  private mutating func append(_ sign: Character) { append(String(sign)) }

  private mutating func append(_ text: String, as kind: ShellToken.Kind = .word) {
    word = word ?? ShellToken(text: "", kind: .word)
    word?.text += text
    if kind == .quoted { word?.kind = kind }
  }

  private mutating func add(_ sign: String) {
    endWord()
    tokens.append(ShellToken(text: sign, kind: .sign))
  }

  private mutating func endWord() {
    if let word { tokens.append(word) }
    word = nil
  }
}
