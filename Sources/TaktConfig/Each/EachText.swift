import TaktCore

/// A text of a job with `for_each`, in pieces: `backup {{each.tenant}}`.
struct EachText {
  /// What stands between two braces.
  struct Reference: Hashable {
    var variable: String
    /// A key of a value that is a mapping; nil for the value's name.
    var field: String?

    var words: String { "{{each.\(variable)\(field.map { ".\($0)" } ?? "")}}" }
  }

  enum Part {
    case text(String)
    case reference(Reference, ShellPlace)
  }

  /// What reads a text.
  enum Reader {
    case takt
    case shell
    /// A shell of which takt does not know how it reads.
    case unknownShell
    /// An action, which itself puts `{{` for `{{{{`.
    case action
  }

  let reader: Reader
  private(set) var parts: [Part] = []
  /// What looks like a value and is none, as it is written.
  private(set) var misspelled: String?
  private(set) var hasReference = false

  /// Whether nothing but one value stands in it, which is then taken as it was written.
  var isReferenceAlone: Bool {
    if parts.count == 1, case .reference = parts[0] { true } else { false }
  }

  private static let prefix = "each."

  /// Whether a text may have one of them: most have no brace at all.
  static func mayBe(in text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: "{")) && text.contains("{{")
  }

  /// The pieces of a text; nil where it has neither a value nor braces that stand for themselves.
  init?(_ text: String, for reader: Reader) {
    guard Self.mayBe(in: text) else { return nil }
    self.reader = reader
    let runs = EachBraces.runs(in: text[...])
    if runs.isEmpty { return nil }
    var literal = ""
    var start = text.startIndex
    for run in runs where run.range.lowerBound >= start {
      literal += text[start..<run.range.lowerBound]
      start = run.range.upperBound
      literal += String(repeating: "{", count: (reader == .action ? 4 : 2) * run.escapedPairs)
      if run.rest % 2 == 1 { literal += "{" }
      guard run.rest > 1 else { continue }
      guard let (reference, end) = Self.reference(text[start...]) else {
        if misspelled == nil { misspelled = "{{" + text[start...].prefix(30).prefix { $0 != "\n" } }
        literal += "{{"
        continue
      }
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = ""
      parts.append(.reference(reference, .plain))
      hasReference = true
      start = end
    }
    literal += text[start...]
    if !literal.isEmpty { parts.append(.text(literal)) }
    if hasReference { findPlaces() }
  }

  /// Finds out where each value stands for a shell.
  private mutating func findPlaces() {
    let pieces = parts.map { part -> String? in
      if case .text(let text) = part { text } else { nil }
    }
    var places: ArraySlice<ShellPlace>
    switch reader {
    case .takt, .action: return
    case .shell: places = ShellScanner.places(in: pieces)[...]
    case .unknownShell:
      let reason = "in a text for a shell that takt does not know"
      places = pieces.filter { $0 == nil }.map { _ in ShellPlace.refused(reason) }[...]
    }
    for index in parts.indices {
      if case .reference(let reference, _) = parts[index], let place = places.popFirst() {
        parts[index] = .reference(reference, place)
      }
    }
  }

  /// The value that a text begins with, behind its braces, and where it ends.
  private static func reference(_ text: Substring) -> (Reference, end: Substring.Index)? {
    guard let close = text.utf8.firstIndex(where: { "{}\n".utf8.contains($0) }),
      text[close...].hasPrefix("}}")
    else { return nil }
    let word = text[..<close].drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
    let name = String(word)
    guard name == "each" || name.hasPrefix(prefix) else { return nil }
    let names = name.dropFirst(prefix.count).split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let reference = Reference(
      variable: names.first.map(String.init) ?? "", field: names.dropFirst().first.map(String.init))
    return (reference, text.utf8.index(close, offsetBy: 2))
  }
}
