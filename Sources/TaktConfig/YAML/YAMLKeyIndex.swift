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
