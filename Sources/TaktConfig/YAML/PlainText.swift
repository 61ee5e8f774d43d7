/// An unquoted text in a file: YAML ends it at the start of a comment.
enum PlainText {
  static let commentMessage = "'#' starts a comment here, which ends the text before it"
  static let quotesHint = "put the whole text in quotes"
}

extension Reporter {
  /// The comment after the end of a text, on its line or on the next one that is not blank. The
  /// existence of a comment is no secret.
  func comment(behind end: YAMLMark) -> (mark: YAMLMark, text: String)? {
    var (number, column) = (Int(end.line), Int(end.column) - 1)
    while let line = source.text(ofLine: number)?.unicodeScalars {
      let rest = line.dropFirst(column)
      let words = rest.drop { $0 == " " || $0 == "\t" }
      if let first = words.first {
        guard first == "#" else { return nil }
        let place = column + rest.count - words.count
        return (
          YAMLMark(line: UInt32(clamping: number), column: UInt32(clamping: place + 1)),
          String(words)
        )
      }
      (number, column) = (number + 1, 0)
    }
    return nil
  }
}
