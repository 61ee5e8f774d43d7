package struct RunParameters: Hashable, Sendable {
  /// Replace those of the job under `with`.
  package var values: Parameters
  /// For a command, over its `env`.
  package var environment: [String: String]
  /// The form for records of the run.
  package var shown: ShownParameters

  package init(
    values: Parameters = [:], environment: [String: String] = [:],
    shown: ShownParameters = ShownParameters()
  ) {
    self.values = values
    self.environment = environment
    self.shown = shown
  }
}

/// Parameters of a triggered run as its records show them: within bounds, and with secrets masked.
package struct ShownParameters: Hashable, Sendable {
  /// Longer texts are cut.
  private static let charactersMax = 1000
  /// Names and texts together; what is beyond is counted.
  private static let bytesMax = 16_384

  package private(set) var texts: [String: String] = [:]
  package private(set) var omittedCount = 0

  package var isEmpty: Bool { texts.isEmpty && omittedCount == 0 }

  package init() {}

  package init(kept texts: [String: String], omittedCount: Int) {
    self.texts = texts
    self.omittedCount = omittedCount
  }

  /// - Parameter secrets: the names of those that are never shown.
  package init(_ given: [String: String], secrets: Set<String> = []) {
    var bytes = 0
    for (name, text) in given.sorted(by: { $0.key < $1.key }) {
      let shown =
        secrets.contains(name)
        ? SensitiveText.mask : Self.cut(SensitiveText.masked(text, of: name))
      bytes += name.utf8.count + shown.utf8.count
      if bytes > Self.bytesMax {
        omittedCount += 1
      } else {
        texts[name] = shown
      }
    }
  }

  /// All of them in a line: `month=2026-05 year=2026`.
  package var words: String {
    let set = texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return (set + (omittedCount > 0 ? ["… and \(omittedCount) more"] : [])).joined(separator: " ")
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > charactersMax else { return text }
    let kept = text.unicodeScalars.prefix(charactersMax)
    return kept.endIndex == text.unicodeScalars.endIndex ? text : String(kept) + "…"
  }
}
