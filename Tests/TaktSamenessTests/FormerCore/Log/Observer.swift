/// Where records go.
///
/// Safe from any thread; never blocks and never fails its caller.
package protocol Observer: AnyObject, Sendable {
  /// Takes records in their order. Records of one machine are handed over in their order; those
  /// that belong together come together, so that a writer is woken once for them.
  func observe(_ records: [LogRecord])
}

extension Observer {
  package func observe(_ record: LogRecord) { observe([record]) }
}

/// Several observers as one; each gets all records.
package final class Observers: Observer {
  private let all: [any Observer]

  package init(_ all: [any Observer]) { self.all = all }

  package func observe(_ records: [LogRecord]) {
    for observer in all { observer.observe(records) }
  }
}
