/// The arguments of a command that a program splits by itself, without a shell.
package enum SplitWords {
  /// As Ofelia does: quotes count at the beginning of a word only and end it, a backslash takes the
  /// next character as it stands. Nil for words with brackets, which it reads in a way of its own.
  package static func ofelia(_ text: String) -> [String]? {
    var words: [String] = []
    var rest = text.unicodeScalars[...]
    while let first = rest.first {
      if first.properties.isWhitespace {
        rest.removeFirst()
        continue
      }
      if "{[(".unicodeScalars.contains(first) { return nil }
      if "|><#".unicodeScalars.contains(first) { return words + [String(rest)] }
      let isQuoted = "'\"`".unicodeScalars.contains(first)
      if isQuoted {
        rest.removeFirst()
        // One quote at the end of the text starts no word.
        if rest.isEmpty { break }
      }
      var word = String.UnicodeScalarView()
      while let scalar = rest.popFirst() {
        if isQuoted ? scalar == first : scalar.properties.isWhitespace { break }
        if scalar == "\\", first != "`" {
          if let next = rest.popFirst() { word.append(next) }
        } else {
          word.append(scalar)
        }
      }
      words.append(String(word))
    }
    return words.first?.isEmpty == false ? words : nil
  }

  /// As a POSIX shell splits a text that has words and quotes alone; nil for others.
  package static func shell(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case quote where quote != nil: quote = nil
      case "'" where quote == nil, "\"" where quote == nil:
        quote = scalar
        word = word ?? .init()
      case "\\" where quote != "'":
        guard let next = rest.popFirst() else { return nil }
        if quote == "\"", next != "\"", next != "\\" { word = (word ?? .init()) + ["\\"] }
        word = (word ?? .init()) + [next]
      case " " where quote == nil, "\t" where quote == nil:
        if let done = word { words.append(String(done)) }
        word = nil
      case "$" where quote != "'", "`" where quote != "'", "\n" where quote == nil: return nil
      case _ where quote == nil && "|&;<>()*?[]#~".unicodeScalars.contains(scalar): return nil
      default: word = (word ?? .init()) + [scalar]
      }
    }
    if let done = word { words.append(String(done)) }
    return quote == nil && words.first?.isEmpty == false ? words : nil
  }
}
