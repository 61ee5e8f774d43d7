/// Some runs in order. Mostly a job has one or none, which takes no memory of its own.
struct RunList: Sendable {
  private(set) var first: RunID?
  private var others: [RunID] = []

  var isEmpty: Bool { first == nil }

  var count: Int { first == nil ? 0 : 1 + others.count }

  var all: [RunID] { first.map { [$0] + others } ?? [] }

  mutating func append(_ run: RunID) {
    if first == nil { first = run } else { others.append(run) }
  }

  mutating func remove(_ run: RunID) {
    if first == run {
      first = others.isEmpty ? nil : others.removeFirst()
    } else {
      others.removeAll { $0 == run }
    }
  }
}
