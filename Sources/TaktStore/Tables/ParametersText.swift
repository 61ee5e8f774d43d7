import FoundationEssentials

/// Parameters of a run as the ledger keeps them: a JSON object of texts.
enum ParametersText {
  static func encode(_ texts: [String: String]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts can always be encoded.
    return (try? encoder.encode(texts)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Nil for a text that is no such object.
  static func decode(_ text: String) -> [String: String]? {
    try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))
  }
}
