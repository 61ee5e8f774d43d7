import TaktCore

/// Commands of which a comment of YAML has cut off the end.
extension SpecBuilder {
  func warnOfCutCommands(of raw: RawJob) {
    eachCommand(of: raw) { field in
      guard case .text(let text)? = field.value, ShellQuotes.areOpen(in: text),
        let comment = reporter.comment(behind: text, at: field.mark)
      else { return }
      reporter.report(
        .suspicious, severity: .warning, at: comment, PlainText.commentMessage,
        hint: PlainText.commentHint + ", or below '\(JobKey.run): |'", owner: raw.owner)
    }
  }
}

/// The quotes of a shell.
private enum ShellQuotes {
  /// Whether a text ends within quotes.
  static func areOpen(in text: String) -> Bool {
    var quote: UInt8?
    var isEscaped = false
    for byte in text.utf8 {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "'") {
        isEscaped = true
      } else if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      }
    }
    return quote != nil
  }
}

extension Reporter {
  /// The place of the comment that ends a text without quotes, which may have several lines; nil where
  /// none does.
  fileprivate func comment(behind text: String, at mark: YAMLMark) -> YAMLMark? {
    var number = Int(mark.line)
    var start = Int(mark.column) - 1
    var rest = text.unicodeScalars.count
    while rest > 0, let line = line(number) {
      if let comment = PlainText.comment(in: line, from: start) {
        return YAMLMark(line: UInt32(clamping: number), column: UInt32(clamping: comment + 1))
      }
      let scalars = line.unicodeScalars.dropFirst(start)
      // Lines are joined by one space.
      rest -= scalars.count + 1
      number += 1
      start = self.line(number)?.unicodeScalars.prefix { $0 == " " || $0 == "\t" }.count ?? 0
    }
    return nil
  }
}
