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
    case reference(Reference, ShellContext)
  }

  private(set) var parts: [Part] = []

  /// Whether nothing but one value stands in it, which is then taken as it was written.
  var isReferenceAlone: Bool {
    if parts.count == 1, case .reference = parts[0] { true } else { false }
  }

  private static let prefix = "each."

  /// Whether a text may have one of them: most have no brace at all.
  static func mayBe(in text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: "{")) && text.contains("{{")
  }

  /// The pieces of a text; nil where it refers to no value.
  ///
  /// - Parameter isForShell: whether a shell reads it.
  init?(_ text: String, isForShell: Bool) {
    guard Self.mayBe(in: text) else { return nil }
    var literal = ""
    var scanner = isForShell ? ShellScanner() : nil
    var hasReference = false
    var rest = Substring(text)
    while let open = rest.range(of: "{{") {
      let before = rest[..<open.lowerBound]
      literal += before
      scanner?.scan(before)
      rest = rest[open.upperBound...]
      // `{{{{` stands for two braces, in texts in which actions replace something.
      if rest.hasPrefix("{{") {
        literal += "{{{{"
        rest = rest.dropFirst(2)
        continue
      }
      guard let close = rest.range(of: "}}"),
        let reference = Self.reference(rest[..<close.lowerBound])
      else {
        literal += "{{"
        continue
      }
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = ""
      parts.append(.reference(reference, scanner?.context ?? .plain))
      scanner?.passValue()
      hasReference = true
      rest = rest[close.upperBound...]
    }
    guard hasReference else { return nil }
    literal += rest
    if !literal.isEmpty { parts.append(.text(literal)) }
  }

  private static func reference(_ text: Substring) -> Reference? {
    let word = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
    let name = String(word)
    guard name == "each" || name.hasPrefix(prefix) else { return nil }
    let names = name.dropFirst(prefix.count).split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return Reference(
      variable: names.first.map(String.init) ?? "", field: names.dropFirst().first.map(String.init))
  }
}

extension Substring {
  /// Where a short text first stands.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = utf8.startIndex
    let wanted = Array(text.utf8)
    while let found = utf8[start...].firstIndex(of: wanted[0]) {
      let end = utf8.index(found, offsetBy: wanted.count, limitedBy: utf8.endIndex)
      if let end, utf8[found..<end].elementsEqual(wanted) { return found..<end }
      start = utf8.index(after: found)
    }
    return nil
  }
}
