import TaktCore

/// The words of a command, split as by its shell, without expansions.
struct CommandWords {
  struct Word {
    /// Without quotes; a dollar sign marks an expansion.
    var text = ""
    /// True for the file of a redirection.
    var isTarget = false

    var isExpanded: Bool { text.has("$") }
  }

  /// The words of each command in a list, a pipe or a group.
  private(set) var segments: [[Word]] = [[]]
  private var word: Word?
  private var isTarget = false

  init(_ command: String) {
    var rest = command.unicodeScalars[...]
    while let sign = rest.popFirst() {
      switch sign {
      case " ", "\t", "\r": endWord()
      case "&" where rest.first == ">": redirect(&rest)
      case ">", "<":
        if let digits = word?.text, digits.allSatisfy({ $0.isASCII && $0.isNumber }) { word = nil }
        redirect(&rest)
      case "(" where rest.first == "(" && word == nil:
        Self.skip(to: ")", from: "(", depth: 1, &rest)
        endSegment()
      case ";", "&", "|", "\n", "(", ")": endSegment()
      case "#" where word == nil: rest = rest.drop { $0 != "\n" }
      default: add(sign, &rest)
      }
    }
    endSegment()
  }

  private mutating func add(_ sign: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView) {
    var word = self.word ?? Word()
    switch sign {
    case "'":
      while let next = rest.popFirst(), next != "'" { word.text.unicodeScalars.append(next) }
    case "\"":
      while let next = rest.popFirst(), next != "\"" {
        switch next {
        case "\\": if let escaped = rest.popFirst() { word.text.unicodeScalars.append(escaped) }
        case "$", "`": Self.expand(next, &word, &rest)
        default: word.text.unicodeScalars.append(next)
        }
      }
    case "\\": if let escaped = rest.popFirst() { word.text.unicodeScalars.append(escaped) }
    case "$", "`": Self.expand(sign, &word, &rest)
    default: word.text.unicodeScalars.append(sign)
    }
    self.word = word
  }

  /// Skips an expansion.
  private static func expand(
    _ sign: Unicode.Scalar, _ word: inout Word, _ rest: inout Substring.UnicodeScalarView
  ) {
    word.text.append("$")
    if sign == "`" {
      while let next = rest.popFirst(), next != "`" {}
      return
    }
    let pairs: [Unicode.Scalar: Unicode.Scalar] = ["(": ")", "{": "}", "[": "]"]
    guard let open = rest.first, let close = pairs[open] else {
      rest = rest.drop { $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
      return
    }
    skip(to: close, from: open, depth: 0, &rest)
  }

  private static func skip(
    to close: Unicode.Scalar, from open: Unicode.Scalar, depth: Int,
    _ rest: inout Substring.UnicodeScalarView
  ) {
    var depth = depth
    while let next = rest.popFirst() {
      if next == open { depth += 1 }
      if next == close { depth -= 1 }
      if depth == 0 { return }
    }
  }

  private mutating func redirect(_ rest: inout Substring.UnicodeScalarView) {
    endWord()
    while let next = rest.first, "<>&|-".unicodeScalars.contains(next) { rest.removeFirst() }
    isTarget = true
  }

  private mutating func endWord() {
    guard var word = self.word else { return }
    self.word = nil
    word.isTarget = isTarget
    isTarget = false
    if ["{", "}"].contains(word.text) { return endSegment() }
    segments[segments.count - 1].append(word)
  }

  private mutating func endSegment() {
    endWord()
    isTarget = false
    if segments.last?.isEmpty == false { segments.append([]) }
  }
}
