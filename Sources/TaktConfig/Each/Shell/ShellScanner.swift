import TaktCore

/// Reads a shell's text to determine the places of its values.
///
/// It allows only what is safe: a value is a word, part of a word of plain characters, or in
/// quotes, as an argument that the shell itself does not evaluate. It reads the forms in which all
/// usual shells agree. At any other it stops, and refuses all values from there on.
struct ShellScanner {
  private enum Sign: Equatable {
    case byte(UInt8)
    case value(Int)
  }

  private let signs: [Sign]
  private var index = 0
  private var places: SettledPlaces
  /// The reason why it has stopped.
  private var doubt: String?
  private var depth = 0

  /// The places of a text's values, in order.
  ///
  /// - Parameter pieces: the text; nil for each value.
  static func places(in pieces: [String?]) -> [ShellPlace] {
    var scanner = ShellScanner(pieces)
    scanner.scanCommands(isInParentheses: false)
    return scanner.places.all(orRefused: scanner.doubt ?? "where takt cannot follow the shell")
  }

  private init(_ pieces: [String?]) {
    var count = 0
    signs = pieces.flatMap { piece -> [Sign] in
      if let piece { return piece.utf8.map(Sign.byte) }
      count += 1
      return [.value(count - 1)]
    }
    places = SettledPlaces(count: count, in: pieces.compactMap(\.self).joined(separator: " "))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static let wordEnds = Array(" \t\n;&|()<>".utf8)

  private func byte(at offset: Int = 0) -> UInt8? {
    guard signs.indices.contains(index + offset), case .byte(let byte) = signs[index + offset]
    else { return nil }
    return byte
  }

  private func next(is character: Unicode.Scalar, at offset: Int = 0) -> Bool {
    byte(at: offset) == UInt8(ascii: character)
  }

  private mutating func skipBlanks() {
    while let byte = byte(), Self.isBlank(byte) { index += 1 }
  }

  private mutating func stop(_ reason: String) {
    if doubt == nil { doubt = reason }
  }

  /// Ends a simple command.
  ///
  /// - Parameter isWhole: false if the text continues in an unread form.
  private mutating func finish(_ command: inout [CommandWord], isWhole: Bool = true) {
    if let reason = places.settle(command, isWhole: isWhole) { stop(reason) }
    command = []
  }

  /// Reads commands up to the end, or to the closing `)`.
  private mutating func scanCommands(isInParentheses: Bool) {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 32 else { return stop("too deep in parentheses") }
    var command: [CommandWord] = []
    while doubt == nil, index < signs.count {
      switch byte() {
      case 0x20, 0x09: index += 1
      case UInt8(ascii: "\n"), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"):
        finish(&command)
        scanSeparator()
      case UInt8(ascii: "#"):
        scanComment(isInParentheses: isInParentheses)
      case UInt8(ascii: "("): scanParenthesis(&command)
      case UInt8(ascii: ")"):
        finish(&command)
        guard isInParentheses else { return stop("behind a ')' on its own") }
        index += 1
        return
      case UInt8(ascii: "<"), UInt8(ascii: ">"): scanRedirection()
      default: scanCommandWord(&command)
      }
    }
    finish(&command, isWhole: doubt == nil && !isInParentheses)
    if isInParentheses { stop("in a '(' that does not end") }
  }

  private mutating func scanSeparator() {
    // Some shells read it as two operators.
    if next(is: "&"), next(is: ">", at: 1) { return stop("behind '&>'") }
    if next(is: ";") {
      for sign in [";", "&", "|"] as [Unicode.Scalar] where next(is: sign, at: 1) {
        return stop("behind ';\(sign)'")
      }
    }
    index += 1
  }

  private mutating func scanComment(isInParentheses: Bool) {
    // Some shells look for the end of a `$(` in comments, too.
    if isInParentheses { return stop("behind a comment in parentheses") }
    while index < signs.count, !next(is: "\n") {
      if case .value(let number) = signs[index] { places.refuse(number, "in a comment") }
      index += 1
    }
  }

  /// Reads a group of commands, or the definition of a function.
  private mutating func scanParenthesis(_ command: inout [CommandWord]) {
    if command.isEmpty {
      if next(is: "(", at: 1) { return stop("behind '(('") }
      index += 1
      return scanCommands(isInParentheses: true)
    }
    if command.count == 1, let name = command[0].bareText, CommandWord.isName(name.utf8),
      !ShellBuiltins.keywords.contains(name), next(is: ")", at: 1)
    {
      index += 2
      command = []
      return
    }
    // It may be part of the word before it.
    if let word = command.popLast() { places.refuse(word, "beside '('") }
    stop("behind '('")
  }

  private mutating func scanRedirection() {
    let isInput = next(is: "<")
    index += 1
    if isInput, next(is: "<") { return stop("behind '<<'") }
    if next(is: "(") { return stop("behind '\(isInput ? "<" : ">")('") }
    if next(is: ">") { index += 1 } else if !isInput, next(is: "|") { index += 1 }
    var isFile = true
    while let byte = byte(), "&|!>".utf8.contains(byte) {
      isFile = false
      index += 1
    }
    skipBlanks()
    let word = scanWord()
    if isFile, doubt == nil {
      places.settle(word)
    } else {
      places.refuse(word, "in a redirection of descriptors")
    }
  }

  private mutating func scanCommandWord(_ command: inout [CommandWord]) {
    let word = scanWord()
    guard doubt == nil else { return places.refuse(word, doubt ?? "") }
    if word.isEmpty { return }
    // The number of a descriptor.
    if next(is: "<") || next(is: ">"), word.bareText?.utf8.allSatisfy(\.isDigit) == true {
      return
    }
    if command.isEmpty, let text = word.bareText {
      if ShellBuiltins.leadingKeywords.contains(text) { return }
      if text == "function" { return stop("behind 'function'") }
      if text == "[[" { return scanCondition(&command, word) }
    }
    command.append(word)
    if command.count == 3, command[0].bareText == "case", word.bareText == "in" {
      places.settle(command[1])
      command = []
      stop("behind 'case'")
    }
  }

  /// Reads the words of `[[ ]]`, which refuse all values.
  private mutating func scanCondition(_ command: inout [CommandWord], _ first: CommandWord) {
    while doubt == nil {
      while let byte = byte(), Self.isBlank(byte) || byte == 0x0a { index += 1 }
      if next(is: "&") && next(is: "&", at: 1) || next(is: "|") && next(is: "|", at: 1) {
        index += 2
        continue
      }
      let word = scanWord()
      if word.isEmpty { return stop("behind '[['") }
      if !word.values.isEmpty || !word.innerValues.isEmpty {
        places.refuse(word, "in '[[ ]]'")
        return stop("behind '[['")
      }
      if word.bareText == "]]" {
        command.append(first)
        return
      }
    }
  }

  private mutating func scanWord() -> CommandWord {
    var word = CommandWord()
    while doubt == nil, index < signs.count {
      guard let byte = byte() else {
        if case .value(let number) = signs[index] {
          word.append(value: number, .word(isAlwaysQuoted: word.endsWithVariable))
        }
        index += 1
        continue
      }
      if Self.wordEnds.contains(byte) { break }
      switch byte {
      case UInt8(ascii: "'"): scanSingleQuotes(&word)
      case UInt8(ascii: "\""): scanDoubleQuotes(&word)
      case UInt8(ascii: "\\"): scanBackslash(&word, isInQuotes: false)
      case UInt8(ascii: "`"): stop("behind a backquote")
      case UInt8(ascii: "$"): scanDollar(&word, isInQuotes: false)
      case UInt8(ascii: "#") where word.isEmpty: return word
      case UInt8(ascii: "~") where word.isEmpty && next(is: "/", at: 1):
        word.appendHome()
        index += 2
      case 0x00..<0x20, 0x7f: stop("behind a control character")
      default:
        word.append(byte)
        index += 1
      }
    }
    word.isBeforeRedirection = next(is: "<") || next(is: ">")
    return word
  }

  private mutating func scanSingleQuotes(_ word: inout CommandWord) {
    index += 1
    word.appendQuotes()
    while index < signs.count {
      switch signs[index] {
      case .byte(UInt8(ascii: "'")):
        index += 1
        return
      case .byte(0x00..<0x09), .byte(0x0b..<0x20), .byte(0x7f):
        return stop("behind a control character")
      case .byte(let byte): word.append(byte, isQuoted: true)
      case .value(let number): word.append(value: number, .singleQuotes)
      }
      index += 1
    }
    stop("in quotes that do not end")
  }

  private mutating func scanDoubleQuotes(_ word: inout CommandWord) {
    index += 1
    word.appendQuotes()
    while doubt == nil, index < signs.count {
      guard let byte = byte() else {
        if case .value(let number) = signs[index] {
          word.append(value: number, .doubleQuotes(isApart: word.endsWithVariable))
        }
        index += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return word.appendQuotes()
      case UInt8(ascii: "\\"): scanBackslash(&word, isInQuotes: true)
      case UInt8(ascii: "`"): stop("behind a backquote")
      case UInt8(ascii: "$"): scanDollar(&word, isInQuotes: true)
      case UInt8(ascii: "[") where word.endsWithVariable: stop("behind a subscript")
      case UInt8(ascii: ":") where word.endsWithVariable: index += 1
      case 0x00..<0x09, 0x0b..<0x20, 0x7f: stop("behind a control character")
      default:
        word.append(byte, isQuoted: true)
        index += 1
      }
    }
    stop("in quotes that do not end")
  }

  private mutating func scanBackslash(_ word: inout CommandWord, isInQuotes: Bool) {
    let hasBlankBefore = index == 0 || byte(at: -1).map { Self.isBlank($0) || $0 == 0x0a } == true
    index += 1
    guard index < signs.count else { return }
    guard let byte = byte() else {
      if case .value(let number) = signs[index] {
        word.append(value: number, .refused("behind a backslash"))
      }
      index += 1
      return
    }
    if byte == 0x0a {
      // A line continuation joins the text on both sides.
      guard hasBlankBefore else { return stop("behind a word on two lines") }
    } else if byte < 0x20 || byte == 0x7f {
      return stop("behind a control character")
    } else {
      if isInQuotes, !"$`\"\\".utf8.contains(byte) {
        word.append(UInt8(ascii: "\\"), isQuoted: true)
      }
      word.append(byte, isQuoted: true)
    }
    index += 1
  }

  /// Reads a `$` and its operand.
  private mutating func scanDollar(_ word: inout CommandWord, isInQuotes: Bool) {
    index += 1
    guard index < signs.count else { return word.append(UInt8(ascii: "$"), isQuoted: isInQuotes) }
    guard let byte = byte() else {
      if case .value(let number) = signs[index] {
        word.append(value: number, .refused("behind a '$'"))
      }
      index += 1
      return
    }
    switch byte {
    case UInt8(ascii: "("):
      word.appendExpansion(isVariable: false)
      if next(is: "(", at: 1) { return scanArithmetic() }
      index += 1
      let start = index
      scanCommands(isInParentheses: true)
      word.innerValues += signs[start..<index].compactMap {
        if case .value(let number) = $0 { number } else { nil }
      }
    case UInt8(ascii: "{"):
      word.appendExpansion(isVariable: false)
      scanBraces()
    case UInt8(ascii: "["): stop("in '$['")
    case UInt8(ascii: "'") where !isInQuotes, UInt8(ascii: "\"") where !isInQuotes:
      stop("behind a quote with '$'")
    case UInt8(ascii: "\\"): stop("behind '$\\'")
    case _ where byte.isWordByte && !byte.isDigit:
      word.appendExpansion(isVariable: true)
      while let byte = self.byte(), byte.isWordByte { index += 1 }
    case _ where byte.isDigit || "@*#?-$!".utf8.contains(byte):
      word.appendExpansion(isVariable: true)
      index += 1
    // A lone `$`, such as the end of a pattern; zsh has variables such as `$+x`, too.
    case _ where " \t\n\"./,|);".utf8.contains(byte):
      word.append(UInt8(ascii: "$"), isQuoted: isInQuotes)
    default: stop("behind a '$'")
    }
  }

  /// Reads `${NAME}` and simple forms of it.
  private mutating func scanBraces() {
    index += 1
    // Some shells run the commands in `${ }`.
    if next(is: " ") { return stop("in or behind '${ }'") }
    while let byte = byte() {
      index += 1
      if byte == UInt8(ascii: "}") { return }
      guard byte >= 0x80 || byte.isWordByte || " #%/:-+=?.,@*!^[]".utf8.contains(byte) else {
        break
      }
    }
    stop("in or behind '${ }'")
  }

  /// Reads `$(( ))` with numbers, names and operators.
  private mutating func scanArithmetic() {
    index += 2
    var parentheses = 0
    while let byte = byte() {
      index += 1
      switch byte {
      case UInt8(ascii: "("): parentheses += 1
      case UInt8(ascii: ")") where parentheses > 0: parentheses -= 1
      case UInt8(ascii: ")") where next(is: ")"):
        index += 1
        return
      case UInt8(ascii: "$") where self.byte().map(\.isWordByte) == true: break
      case _ where byte.isWordByte || " \t+-*/%<>=!&|^~?:,".utf8.contains(byte): break
      default: return stop("in or behind '$(( ))'")
      }
    }
    stop("in or behind '$(( ))'")
  }
}
