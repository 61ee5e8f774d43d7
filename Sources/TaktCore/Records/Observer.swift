/// Receives records.
///
/// Safe from any thread; never blocks and never fails its caller.
package protocol Observer: AnyObject, Sendable {
  /// Takes records in their order. Records of one machine are handed over in their order; those
  /// that belong together come together, so that a writer is woken once for them.
  func observe(_ records: [LogRecord])

  func observe(_ record: LogRecord)

  /// False if records of this level are never read, so that none need be made. The answer is always
  /// the same.
  func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool
}

extension Observer {
  package func observe(_ record: LogRecord) { observe([record]) }

  package func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool { true }
}

/// Each of several observers gets all records.
package final class Observers: Observer {
  private let all: [any Observer]

  package init(_ all: [any Observer]) { self.all = all }

  package func observe(_ records: [LogRecord]) {
    for observer in all { observer.observe(records) }
  }

  package func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool {
    all.contains { $0.wants(level, routine: isRoutine) }
  }
}
