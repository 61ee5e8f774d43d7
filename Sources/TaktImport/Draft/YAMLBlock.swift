import TaktCore

/// A text as a block of YAML: `|` for several lines, `>` for a long line, folded at blanks.
struct YAMLBlock {
  /// With the line end.
  let text: String

  /// Nil for a text that is better, or can only be, quoted.
  init?(_ text: String, leadBytes: Int, indent: Int) {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    let endsLine = lines.count > 1 && lines.last?.isEmpty == true
    if endsLine { lines.removeLast() }
    guard lines.allSatisfy(Self.isPlain), let first = lines.first?.unicodeScalars.first,
      first != "\t", first != " ", lines.last?.isEmpty == false
    else { return nil }
    var head = "|"
    if lines.count == 1 {
      guard leadBytes + text.utf8.count + 2 >= YAMLWriter.widthMax,
        let folded = Self.fold(lines[0], indent)
      else { return nil }
      lines = folded
      head = ">"
    }
    let blanks = String(repeating: " ", count: indent)
    self.text =
      head + (endsLine ? "\n" : "-\n")
      + lines.map { ($0.isEmpty ? "" : blanks + $0) + "\n" }.joined()
  }

  /// True if a block keeps all of it, and nothing in it has another meaning there.
  private static func isPlain(_ line: String) -> Bool {
    let scalars = line.unicodeScalars
    return scalars.last != " " && scalars.last != "\t"
      && scalars.allSatisfy { YAMLWriter.isPrintable($0) || $0 == "\t" }
  }

  /// Folds a long line, only at single blanks; nil if it has none.
  private static func fold(_ line: String, _ indent: Int) -> [String]? {
    guard !line.has("\t") else { return nil }
    var lines: [String] = []
    var current = ""
    let words = line.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false)
      .map(String.init)
    for (number, word) in words.enumerated() {
      // An empty word is a blank next to another one.
      let canBreak = number > 0 && !word.isEmpty && !words[number - 1].isEmpty
      if canBreak, indent + current.utf8.count + word.utf8.count + 1 > YAMLWriter.widthMax {
        lines.append(current)
        current = word
      } else {
        current += (number > 0 ? " " : "") + word
      }
    }
    lines.append(current)
    return lines.count > 1 ? lines : nil
  }
}
