/// The braces before `each` in a text: two start a value of `for_each`, and four stand for two that
/// start none.
///
/// `{{{{each.v}}` is the text `{{each.v}}`. Braces before other words are plain text.
package enum EachBraces {
  /// Two or more braces, with `each` after them.
  package struct Run {
    package var range: Range<String.Index>
    /// Pairs of braces that stand for themselves, each written as four.
    package var escapedPairs: Int
    /// The braces after those: 0 to 3, of which the last two start a value.
    package var rest: Int
  }

  package static func runs(in text: Substring) -> [Run] {
    let bytes = text.utf8
    guard bytes.contains(brace) else { return [] }
    var runs: [Run] = []
    var start = bytes.startIndex
    while let open = bytes[start...].firstIndex(of: brace) {
      let end = bytes[open...].firstIndex { $0 != brace } ?? bytes.endIndex
      let count = bytes.distance(from: open, to: end)
      if count > 1, beginsWithEach(bytes[end...]) {
        runs.append(Run(range: open..<end, escapedPairs: count / 4, rest: count % 4))
      }
      start = end
    }
    return runs
  }

  /// The text as a jobs file has to write it.
  package static func escaped(_ text: String) -> String {
    rewritten(text) { run in
      let count = 4 * run.escapedPairs + run.rest
      return 4 * (count / 2) + count % 2
    }
  }

  /// The plain text of one without values.
  package static func unescaped(_ text: String) -> String {
    rewritten(text) { 2 * $0.escapedPairs + $0.rest }
  }

  /// - Parameter count: the number of braces to write for a run.
  private static func rewritten(_ text: String, _ count: (Run) -> Int) -> String {
    let runs = runs(in: text[...])
    if runs.isEmpty { return text }
    var whole = ""
    var start = text.startIndex
    for run in runs {
      whole += text[start..<run.range.lowerBound] + String(repeating: "{", count: count(run))
      start = run.range.upperBound
    }
    return whole + text[start...]
  }

  private static let brace = UInt8(ascii: "{")

  /// True if `each` is the first word, in letters of any case, with blanks before it.
  private static func beginsWithEach(_ bytes: Substring.UTF8View) -> Bool {
    let word = bytes.drop { " \t\r\n".utf8.contains($0) }
    guard word.prefix(4).map({ $0 | 0x20 }) == Array("each".utf8) else { return false }
    guard let next = word.dropFirst(4).first else { return true }
    return !(0x61...0x7a).contains(next | 0x20) && !(0x30...0x39).contains(next)
      && next != UInt8(ascii: "_") && next != UInt8(ascii: "-") && next < 0x80
  }
}
