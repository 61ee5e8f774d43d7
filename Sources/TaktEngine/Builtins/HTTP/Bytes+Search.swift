extension [UInt8] {
  /// Whether these bytes stand in it somewhere.
  func holds(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    guard count >= bytes.count else { return false }
    return indices.prefix(count - bytes.count + 1).contains {
      self[$0] == first && self[$0..<($0 + bytes.count)].elementsEqual(bytes)
    }
  }
}
