/// Several observers as one; each gets all records.
package final class Observers: Observer {
  private let all: [any Observer]

  /// Hands records to these, in this order.
  package init(_ all: [any Observer]) { self.all = all }

  /// Hands records on.
  package func observe(_ records: [LogRecord]) {
    for observer in all { observer.observe(records) }
  }
}
