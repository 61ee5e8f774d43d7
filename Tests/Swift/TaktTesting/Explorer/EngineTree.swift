package import TaktCore
package import TaktTime

/// All requests of an explorer to the engine, as a tree: each after those before it.
package final class EngineTree {
  package struct Request: Hashable, Sendable {
    package let at: WallInstant
    package let batch: ClaimBatch
  }

  package private(set) var next: [Request: EngineTree] = [:]

  package init() {}

  func after(_ request: Request) -> EngineTree {
    if let known = next[request] { return known }
    let tree = EngineTree()
    next[request] = tree
    return tree
  }

  /// The number of batches.
  package var count: Int { next.values.reduce(next.count) { $0 + $1.count } }

  /// In the order of their times.
  var ordered: [(request: Request, tree: EngineTree)] {
    next.map { ($0.key, $0.value) }.sorted {
      ($0.request.at, $0.request.batch.number, "\($0.request.batch)")
        < ($1.request.at, $1.request.batch.number, "\($1.request.batch)")
    }
  }
}
