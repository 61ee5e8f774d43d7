/// One value of a YAML text with its place; aliases and merge keys are resolved.
struct YAMLNode: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
    /// Wrong in a way that has been reported already: nobody need say more.
    case invalid
  }

  var mark: YAMLMark
  var content: Content

  /// The value of a key of a mapping; nil where there is none.
  subscript(key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }
}

/// One key of a mapping with its value.
struct YAMLEntry: Hashable, Sendable {
  var key: String
  var keyMark: YAMLMark
  var value: YAMLNode
}

/// A key of a mapping that is being walked, before its value is read.
struct YAMLKey {
  var text: String
  var mark: YAMLMark
  /// Whether the same key stood before in the same mapping; that has been reported.
  var isDuplicate = false
}

/// Which keys a mapping has already: looked through while they are few, hashed when they are many.
struct YAMLKeyIndex {
  private var positions: [String: Int] = [:]

  /// Where `key` stands among `entries` already; nil when it is new and may be appended.
  mutating func insert(_ key: String, into entries: [YAMLEntry]) -> Int? {
    if entries.count < 12 { return entries.firstIndex { $0.key == key } }
    // From here on each key goes through this line before it is appended, so only the first
    // time finds entries that are not in the index.
    if positions.count < entries.count {
      for (position, entry) in entries.enumerated() { positions[entry.key] = position }
    }
    if let position = positions[key] { return position }
    positions[key] = entries.count
    return nil
  }
}
