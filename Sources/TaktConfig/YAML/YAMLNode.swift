/// One value of a YAML text with its place; aliases and merge keys are resolved.
struct YAMLNode: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
    /// A mistake that has been reported already.
    case invalid
  }

  var mark: YAMLMark
  var content: Content

  /// The value of a key of a mapping; nil for none.
  subscript(key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }
}

struct YAMLEntry: Hashable, Sendable {
  var key: String
  var keyMark: YAMLMark
  var value: YAMLNode
}

/// A key of a mapping that is being walked, before its value is read.
struct YAMLKey {
  var text: String
  var mark: YAMLMark
  /// True if the same key occurred earlier in the mapping, which has been reported.
  var isDuplicate = false
}

/// The keys of a mapping so far: a linear search while they are few, a hash table when they are
/// many.
struct YAMLKeyIndex {
  private var positions: [String: Int] = [:]

  /// The index of `key` in `entries`; nil if it is new and may be appended.
  mutating func insert(_ key: String, into entries: [YAMLEntry]) -> Int? {
    if entries.count < 12 { return entries.firstIndex { $0.key == key } }
    // From here on each key passes this line before it is appended, so only the first time finds
    // entries that are not in the index.
    if positions.count < entries.count {
      for (position, entry) in entries.enumerated() { positions[entry.key] = position }
    }
    if let position = positions[key] { return position }
    positions[key] = entries.count
    return nil
  }
}
