import TaktCore

/// Texts that a comment of YAML has cut short.
extension Reporter {
  /// Warns of texts that end within quotes, if the comment after them has the closing one.
  func warnOfCutTexts(in entries: [YAMLEntry], owner: KeyOwner) {
    for entry in entries where entry.key != JobKey.secrets.name {
      warnOfCutTexts(in: entry.value, of: entry.key, owner: owner)
    }
  }

  private func warnOfCutTexts(in node: YAMLNode, of key: String?, owner: KeyOwner) {
    switch node.content {
    case .invalid: break
    case .mapping(let entries): warnOfCutTexts(in: entries, owner: owner)
    case .sequence(let items):
      for item in items { warnOfCutTexts(in: item, of: nil, owner: owner) }
    case .scalar(let scalar):
      guard scalar.isPlain, let quote = OpenQuote.of(scalar.text),
        let end = end(of: scalar.text, at: node.mark),
        let comment = comment(behind: end), comment.text.contains(quote)
      else { return }
      report(
        .suspicious, severity: .warning, at: comment.mark, PlainText.commentMessage,
        hint: key == JobKey.run.name
          ? PlainText.quotesHint + ", or below '\(JobKey.run): |'" : PlainText.quotesHint,
        owner: owner)
    }
  }

  /// The end of a text that starts at a place of the file; nil if something else is there, such as
  /// an anchor.
  private func end(of text: String, at mark: YAMLMark) -> YAMLMark? {
    // Lines of a text are joined, so that spaces do not count.
    var rest = text.unicodeScalars.filter { !$0.properties.isWhitespace }[...]
    var (number, column) = (Int(mark.line), Int(mark.column) - 1)
    while let line = source.text(ofLine: number) {
      for (place, scalar) in line.unicodeScalars.enumerated().dropFirst(column)
      where !scalar.properties.isWhitespace {
        guard scalar == rest.popFirst() else { return nil }
        if rest.isEmpty {
          return YAMLMark(line: UInt32(clamping: number), column: UInt32(clamping: place + 2))
        }
      }
      (number, column) = (number + 1, 0)
    }
    return nil
  }
}

/// A quote within a text, as shells and people use them.
private enum OpenQuote {
  /// The quote that is open at the end of a text; nil for none.
  static func of(_ text: String) -> Character? {
    let (single, double) = (UInt8(ascii: "'"), UInt8(ascii: "\""))
    var quote: UInt8?
    var isEscaped = false
    var isInWord = false
    for byte in text.utf8 {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\"), quote != single {
        isEscaped = true
      } else if let open = quote {
        if byte == open { quote = nil }
      } else if byte == double || byte == single && !isInWord {
        // Within a word it is an apostrophe.
        quote = byte
      }
      isInWord =
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte >= 0x80
    }
    return quote.map { Character(Unicode.Scalar($0)) }
  }
}
