package indirect enum DraftValue: Hashable, Sendable {
  /// Any text; quoted if necessary.
  case text(String)
  /// A number, a duration or a word that needs no quotes.
  case word(String)
  case list([DraftValue])
  case map([DraftEntry])

  /// A mapping that keeps the order given.
  static func mapping(_ entries: KeyValuePairs<String, DraftValue>) -> DraftValue {
    .map(entries.map { DraftEntry(key: $0.key, value: $0.value) })
  }

  /// All texts in it, including keys of mappings.
  var texts: [String] {
    switch self {
    case .text(let text), .word(let text): [text]
    case .list(let items): items.flatMap(\.texts)
    case .map(let entries): entries.flatMap { [$0.key] + $0.value.texts }
    }
  }
}

package struct DraftEntry: Hashable, Sendable {
  package var key: String
  package var value: DraftValue
}
