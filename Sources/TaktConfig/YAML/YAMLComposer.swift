import TaktCore

/// Makes nodes from events, as many as requested at a time.
///
/// Mistakes that leave the rest readable are reported and skipped; others are thrown.
final class YAMLComposer {
  private struct Anchored {
    var node: YAMLNode
    /// The number of nodes in it.
    var size: Int
    /// The depth of nested collections in it.
    var height: Int
  }

  let reporter: Reporter
  private let events: YAMLEventReader
  private let limits: YAMLLimits
  private var anchors: [String: Anchored] = [:]
  private var openAnchors: Set<String> = []
  private var nodeCount = 0
  private var depth = 0
  private var deepest = 0
  /// The next event, if it has been read ahead.
  private var peeked: YAMLEventReader.Event?
  private var pending: YAMLNode?
  /// The complete entries of the mapping in which reading stopped, of those that `node` started
  /// with.
  private(set) var unfinished: [YAMLEntry] = []

  init(_ source: SourceText, limits: YAMLLimits, reporter: Reporter) {
    self.reporter = reporter
    self.limits = limits
    events = YAMLEventReader(source)
  }

  /// Moves to the root of the file's document.
  func openDocument() throws(YAMLStop) {
    _ = try next()
    guard try next() == .documentStart else { throw .empty }
    if try peek() == .scalar, events.scalar.isBlank { throw .empty }
  }

  /// Moves from the end of the root to the end of the file.
  func closeDocument() throws(YAMLStop) {
    _ = try next()
    if try next() == .documentStart { throw .manyDocuments(events.mark) }
  }

  /// The whole of the next value.
  func node() throws(YAMLStop) -> YAMLNode {
    if let node = pending {
      pending = nil
      return node
    }
    let node = try compose(try next(), isOutermost: true)
    do {
      // A value is complete if the text after it can be read: a line with a wrong indentation ends
      // the value before it, which would then seem to lack something.
      _ = try peek()
    } catch {
      if case .mapping(let entries) = node.content { unfinished = entries }
      throw error
    }
    return node
  }

  /// Walks through the next value key by key if it is a mapping, and returns it otherwise. `visit`
  /// takes each key's value, whole or by another walk.
  func walk(_ visit: (YAMLKey) throws(YAMLStop) -> Void) throws(YAMLStop) -> YAMLNode? {
    if pending == nil, try peek() == .mappingStart, events.anchor == nil {
      _ = try next()
      let mark = events.mark
      _ = check(events.tag, on: .mapping, at: mark)
      try count(1, at: mark)
      try enter(mark)
      try walkEntries(visit)
      depth -= 1
      return nil
    }
    // An alias, or a mapping with an anchor, which must be kept as a whole.
    let node = try node()
    guard case .mapping(let entries) = node.content else { return node }
    for entry in entries {
      pending = entry.value
      try visit(YAMLKey(text: entry.key, mark: entry.keyMark))
    }
    return nil
  }

  /// From this number of keys on, the total is estimated, as if all were of one length: a growing
  /// table is copied again and again.
  private static let manyKeys = 1000

  private func walkEntries(_ visit: (YAMLKey) throws(YAMLStop) -> Void) throws(YAMLStop) {
    var places: [String: YAMLMark] = [:]
    var merged: [YAMLEntry] = []
    while let key = try nextKey() {
      if key.isMerge {
        merged += mergedEntries(try node(), at: key.mark)
        continue
      }
      guard let text = key.text else {
        _ = try compose(try next())
        continue
      }
      if places.count == Self.manyKeys {
        places.reserveCapacity(places.count * min(64, events.partsOfTotal))
      }
      let first = places.updateValue(key.mark, forKey: text)
      if let first {
        places[text] = first
        reportDuplicate(text, at: key.mark, first: first)
      }
      try visit(YAMLKey(text: text, mark: key.mark, isDuplicate: first != nil))
    }
    for entry in merged where places.updateValue(entry.keyMark, forKey: entry.key) == nil {
      pending = entry.value
      try visit(YAMLKey(text: entry.key, mark: entry.keyMark))
    }
  }

  /// Composes the value that starts with an event, the reader's last.
  private func compose(
    _ event: YAMLEventReader.Event, isOutermost: Bool = false
  ) throws(YAMLStop) -> YAMLNode {
    let mark = events.mark
    try count(1, at: mark)
    switch event {
    case .scalar: return scalar(at: mark)
    case .alias: return try resolve(events.anchor ?? "", at: mark)
    case .sequenceStart:
      let tag = events.tag
      return try collection(at: mark, anchor: events.anchor) { () throws(YAMLStop) in
        let items = try self.items()
        return self.check(tag, on: .sequence, at: mark) ? .sequence(items) : .invalid
      }
    case .mappingStart:
      let tag = events.tag
      return try collection(at: mark, anchor: events.anchor) { () throws(YAMLStop) in
        let entries = try self.entries(isOutermost: isOutermost)
        return self.check(tag, on: .mapping, at: mark) ? .mapping(entries) : .invalid
      }
    case .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
      // The parser never returns these in place of a value.
      return YAMLNode(mark: mark, content: .invalid)
    }
  }

  private func scalar(at mark: YAMLMark) -> YAMLNode {
    let scalar = events.scalar
    let isRight = scalar.tag == nil || check(scalar, at: mark)
    let node = YAMLNode(mark: mark, content: isRight ? .scalar(scalar) : .invalid)
    if let anchor = events.anchor { anchors[anchor] = Anchored(node: node, size: 1, height: 0) }
    return node
  }

  private func collection(
    at mark: YAMLMark, anchor: String?, _ body: () throws(YAMLStop) -> YAMLNode.Content
  ) throws(YAMLStop) -> YAMLNode {
    try enter(mark)
    defer { depth -= 1 }
    guard let anchor else { return YAMLNode(mark: mark, content: try body()) }
    let outerDeepest = deepest
    let before = nodeCount
    deepest = depth
    openAnchors.insert(anchor)
    let node = YAMLNode(mark: mark, content: try body())
    openAnchors.remove(anchor)
    anchors[anchor] = Anchored(
      node: node, size: nodeCount - before + 1, height: deepest - depth + 1)
    deepest = max(deepest, outerDeepest)
    return node
  }

  private func items() throws(YAMLStop) -> [YAMLNode] {
    var items: [YAMLNode] = []
    while true {
      let event = try next()
      if event == .sequenceEnd { return items }
      items.append(try compose(event))
    }
  }

  private func entries(isOutermost: Bool) throws(YAMLStop) -> [YAMLEntry] {
    var keys = YAMLKeyIndex()
    var entries: [YAMLEntry] = []
    entries.reserveCapacity(4)
    var merged: [YAMLEntry] = []
    do {
      while let key = try nextKey() {
        let value = try value(of: key.text, at: key.mark)
        if key.isMerge {
          merged += mergedEntries(value, at: key.mark)
        } else if let text = key.text {
          if let first = keys.insert(text, into: entries) {
            reportDuplicate(text, at: key.mark, first: entries[first].keyMark)
          } else {
            entries.append(YAMLEntry(key: text, keyMark: key.mark, value: value))
          }
        }
      }
    } catch {
      if isOutermost { unfinished = entries }
      throw error
    }
    for entry in merged where keys.insert(entry.key, into: entries) == nil {
      entries.append(entry)
    }
    return entries
  }

  /// The value of a key; below `secrets`, none of its text gets into a message.
  private func value(of key: String?, at mark: YAMLMark) throws(YAMLStop) -> YAMLNode {
    guard key == JobKey.secrets.name else { return try compose(try next()) }
    return try reporter.concealing(.secrets) { () throws(YAMLStop) in
      do throws(YAMLStop) {
        let node = try compose(try next())
        reporter.hideLines(from: mark, through: events.lastLine)
        return node
      } catch {
        reporter.hideLines(from: mark, through: nil)
        throw error
      }
    }
  }

  /// The next key of a mapping, nil at its end; `text` is nil for a key that is no scalar, which
  /// has been reported.
  private func nextKey() throws(YAMLStop) -> (text: String?, isMerge: Bool, mark: YAMLMark)? {
    let event = try next()
    if event == .mappingEnd { return nil }
    let mark = events.mark
    let node = try compose(event)
    guard case .scalar(let scalar) = node.content else {
      if node.content != .invalid {
        reporter.report(
          .wrongType, at: mark, "a key must be a text, not a list or a mapping",
          hint: "put the text in quotes")
      }
      return (nil, false, mark)
    }
    let isMerge = scalar.isPlain && scalar.tag == nil && scalar.text == "<<"
    return (scalar.text, isMerge, mark)
  }

  private func resolve(_ name: String, at mark: YAMLMark) throws(YAMLStop) -> YAMLNode {
    guard !openAnchors.contains(name), let anchored = anchors[name] else {
      reportUnknownAlias(name, at: mark)
      return YAMLNode(mark: mark, content: .invalid)
    }
    try count(anchored.size - 1, at: mark)
    deepest = max(deepest, depth + anchored.height)
    if depth + anchored.height > limits.depth { throw .tooDeep(mark) }
    return anchored.node
  }

  private func mergedEntries(_ node: YAMLNode, at mark: YAMLMark) -> [YAMLEntry] {
    switch node.content {
    case .mapping(let entries): return entries
    case .invalid: return []
    case .sequence(let items) where items.allSatisfy(\.isMappingOrInvalid):
      return items.flatMap { mergedEntries($0, at: mark) }
    case .scalar, .sequence:
      reporter.report(
        .badMerge, at: node.mark, "'<<' takes a mapping or a list of mappings",
        hint: "write '<<: *name' for a mapping with the anchor '&name'")
      return []
    }
  }

  private enum Shape { case sequence, mapping }

  private func check(_ tag: YAMLTag?, on shape: Shape, at mark: YAMLMark) -> Bool {
    switch (tag, shape) {
    case (nil, _), (.nonSpecific, _), (.sequence, .sequence), (.mapping, .mapping): return true
    case (.unknown(let text), _): reportUnknownTag(text, at: mark)
    default:
      reporter.report(
        .badTag, at: mark, "this tag does not fit \(shape == .mapping ? "a mapping" : "a list")",
        hint: "remove it")
    }
    return false
  }

  private func check(_ scalar: YAMLScalar, at mark: YAMLMark) -> Bool {
    if scalar.fitsTag { return true }
    if case .unknown(let text) = scalar.tag {
      reportUnknownTag(text, at: mark)
    } else {
      reporter.report(
        .badTag, at: mark,
        (reporter.isHidden(mark) ? "this value" : "'\(scalar.text.shortened)'")
          + " does not fit its tag",
        hint: "remove the tag")
    }
    return false
  }

  private func reportUnknownAlias(_ name: String, at mark: YAMLMark) {
    if reporter.isHidden(mark) {
      reporter.report(.unknownAlias, at: mark, "there is no anchor for this alias above it")
    } else if openAnchors.contains(name) {
      reporter.report(
        .unknownAlias, at: mark, "the alias '*\(name.shortened)' is inside the value that it names")
    } else {
      reporter.report(
        .unknownAlias, at: mark, "there is no anchor '&\(name.shortened)' above this alias",
        hint: nearestAnchor(to: name).map { "did you mean '*\($0)'?" })
    }
  }

  private func nearestAnchor(to name: String) -> String? {
    // An anchor can be a secret itself, written without quotes.
    let known = anchors.filter { !reporter.isHidden($0.value.node.mark) }
    return NearestName.of(name, among: known.keys)
  }

  private func reportUnknownTag(_ text: String, at mark: YAMLMark) {
    let name = reporter.isHidden(mark) ? "" : " '\(YAMLTag.written(text).shortened)'"
    reporter.report(
      .badTag, at: mark, "unknown tag\(name)",
      hint: "remove it, or quote a text that starts with '!'")
  }

  private func reportDuplicate(_ key: String, at mark: YAMLMark, first: YAMLMark) {
    reporter.report(
      .duplicateKey, at: mark,
      "duplicate key '\(key.shortened)'; first used at "
        + reporter.source.place(of: first).location.description)
  }

  private func next() throws(YAMLStop) -> YAMLEventReader.Event {
    if let event = peeked {
      peeked = nil
      return event
    }
    return try events.next()
  }

  private func peek() throws(YAMLStop) -> YAMLEventReader.Event {
    if let event = peeked { return event }
    let event = try events.next()
    peeked = event
    return event
  }

  private func count(_ nodes: Int, at mark: YAMLMark) throws(YAMLStop) {
    nodeCount += nodes
    if nodeCount > limits.nodes { throw .tooManyNodes(mark) }
  }

  private func enter(_ mark: YAMLMark) throws(YAMLStop) {
    depth += 1
    deepest = max(deepest, depth)
    if depth > limits.depth { throw .tooDeep(mark) }
  }
}

extension YAMLNode {
  fileprivate var isMappingOrInvalid: Bool {
    switch content {
    case .mapping, .invalid: true
    case .scalar, .sequence: false
    }
  }
}

struct YAMLLimits {
  /// The depth of nested collections.
  var depth = 64
  /// The number of nodes, those of aliases counted each time.
  var nodes = 10_000_000
}
