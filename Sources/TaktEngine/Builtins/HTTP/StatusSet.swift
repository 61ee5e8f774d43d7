/// The statuses that a list of words names: `200`, `2xx`, `200..299`.
struct StatusSet: Equatable {
  private var ranges: [ClosedRange<Int>] = []

  /// Nil when a word is none of these.
  init?(_ words: [String]) {
    for word in words {
      guard let range = Self.range(word) else { return nil }
      ranges.append(range)
    }
  }

  /// What a word names.
  static func range(_ word: String) -> ClosedRange<Int>? {
    if word.utf8.count == 3, word.lowercased().hasSuffix("xx"), let first = word.first,
      let hundreds = first.wholeNumberValue, (1...5).contains(hundreds)
    {
      return hundreds * 100...hundreds * 100 + 99
    }
    let ends = word.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
    guard let low = ends.first ?? nil, let high = ends.last ?? nil, ends.count <= 2,
      (100...599).contains(low), (low...599).contains(high)
    else { return nil }
    return low...high
  }

  func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }
}
