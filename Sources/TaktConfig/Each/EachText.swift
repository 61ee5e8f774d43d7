import TaktCore

/// A text of a job with `for_each`, in pieces: `backup {{each.tenant}}`.
struct EachText {
  /// The content of a pair of braces.
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

  enum Reader {
    case takt
    case shell
    /// A shell whose syntax takt does not know.
    case unknownShell
    /// An action, which itself replaces `{{{{` by `{{`.
    case action
  }

  let reader: Reader
  private(set) var parts: [Part] = []
  /// A misspelled reference, as it is written.
  private(set) var misspelled: String?
  private(set) var hasReference = false

  /// True if the text is a single reference, which then keeps the type of the value.
  var isReferenceAlone: Bool {
    if parts.count == 1, case .reference = parts[0] { true } else { false }
  }

  private static let prefix = "each."

  /// A fast test: most texts have no brace at all.
  static func mayBe(in text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: "{")) && text.contains("{{")
  }

  /// Nil for a text without references and without escaped braces.
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

  /// Determines the place of each value for a shell.
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

  /// The reference at the start of a text, after its braces, and its end.
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
