import TaktCore

extension ForeignNode {
  subscript(key: String) -> ForeignNode? {
    guard case .map(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  var text: String? { if case .scalar(let text) = content { text } else { nil } }

  /// The defaults fill in what is missing: maps merge key by key, and lists are joined.
  func merged(over defaults: ForeignNode?) -> ForeignNode {
    guard let defaults else { return self }
    switch (defaults.content, content) {
    case (.map(let base), .map(let own)):
      let kept = base.map { entry in
        guard let value = self[entry.key] else { return entry }
        return ForeignEntry(
          key: entry.key, at: entry.place, value: value.merged(over: entry.value))
      }
      return ForeignNode(.map(kept + own.filter { defaults[$0.key] == nil }), at: place)
    case (.map, .null): return defaults
    case (.list(let base), .list(let own)): return ForeignNode(.list(base + own), at: place)
    default: return self
    }
  }

  /// The text, with an empty value as an empty text.
  var textOrEmpty: String? { if case .null = content { "" } else { text } }

  var items: [ForeignNode] { if case .list(let items) = content { items } else { [] } }

  /// A list of texts, or one text as a list; nil for anything else.
  var texts: [String]? {
    switch content {
    case .scalar(let text): return [text]
    case .list(let items):
      let texts = items.compactMap(\.text)
      return texts.count == items.count ? texts : nil
    case .null, .map: return nil
    }
  }
}

extension ForeignNode? {
  func merged(over defaults: ForeignNode?) -> ForeignNode? {
    self?.merged(over: defaults) ?? defaults
  }
}

extension ForeignNode {
  /// The places of its values; those in a mapping are at their keys.
  fileprivate var leafPlaces: Set<SourceLocation> {
    switch content {
    case .scalar, .null: [place]
    case .list(let items): items.reduce(into: []) { $0.formUnion($1.leafPlaces) }
    case .map(let entries):
      entries.reduce(into: []) { places, entry in
        switch entry.value.content {
        case .scalar, .null: places.insert(entry.place)
        case .list, .map: places.formUnion(entry.value.leafPlaces)
        }
      }
    }
  }
}

/// The values of a document, each to be settled in the report.
struct ForeignLeaves {
  let report: ImportReport
  /// With the path of its keys, such as `spec.schedule`.
  private var leaves: [(path: String, token: SourceToken)] = []

  init(_ document: ForeignNode, _ report: ImportReport) {
    self.report = report
    collect(document, path: "", place: document.place)
    for leaf in leaves { report.expect(leaf.token) }
  }

  private mutating func collect(_ node: ForeignNode, path: String, place: SourceLocation) {
    switch node.content {
    case .scalar(let text):
      leaves.append((path, SourceToken("\(path): \(text)", at: place)))
    case .null: break
    case .list(let items):
      for item in items { collect(item, path: path, place: item.place) }
    case .map(let entries):
      for entry in entries {
        collect(
          entry.value, path: path.isEmpty ? entry.key : "\(path).\(entry.key)",
          place: entry.place)
      }
    }
  }

  /// Those of all leaves at the path and below it.
  private func tokens(_ path: String) -> [SourceToken] { found(path).map(\.token) }

  private func found(_ path: String) -> [(path: String, token: SourceToken)] {
    leaves.filter { $0.path == path || $0.path.hasPrefix(path + ".") }
  }

  func keep(_ path: String, as key: String, in job: String? = nil) {
    for token in tokens(path) { report.keep(token, as: key, in: job) }
  }

  func differ(_ path: String, _ sentence: String, in job: String? = nil) {
    for token in tokens(path) { report.differ(token, sentence, in: job) }
  }

  /// - Parameter severity: nil for that of each key in the table.
  func lose(
    _ path: String, _ sentence: String, in job: String? = nil, severity: LossSeverity? = nil
  ) {
    for leaf in found(path) {
      report.lose(
        leaf.token, sentence, in: job, severity: severity ?? ForeignKey.severity(of: leaf.path),
        subject: leaf.path)
    }
  }

  /// - Parameter node: a mapping or a list of this document.
  private func tokens(of node: ForeignNode) -> [SourceToken] {
    let places = node.leafPlaces
    return leaves.map(\.token).filter { places.contains($0.place) }
  }

  func keep(_ node: ForeignNode, as key: String, in job: String? = nil) {
    for token in tokens(of: node) { report.keep(token, as: key, in: job) }
  }

  func differ(_ node: ForeignNode, _ sentence: String, in job: String? = nil) {
    for token in tokens(of: node) { report.differ(token, sentence, in: job) }
  }

  func lose(_ node: ForeignNode, _ sentence: String, in job: String? = nil) {
    for token in tokens(of: node) { report.lose(token, sentence, in: job) }
  }

  /// Reports all open leaves as kept.
  func keepRest(as key: String) {
    for leaf in leaves where report.isOpen(leaf.token) { report.keep(leaf.token, as: key) }
  }

  /// Reports all open leaves as lost.
  func loseRest(_ sentence: String) {
    for leaf in leaves where report.isOpen(leaf.token) {
      report.lose(
        leaf.token, sentence, severity: ForeignKey.severity(of: leaf.path), subject: leaf.path)
    }
  }
}
