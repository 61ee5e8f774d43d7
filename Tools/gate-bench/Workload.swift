/// The threads whose instructions count.
enum CountedThreads: String {
  /// The thread that calls `run`.
  case one
  /// All threads, while `run` lets callgrind count.
  case all
}

/// One row of the instruction gate: work that is always the same.
protocol Workload {
  static var name: String { get }
  /// The counted work, in a few words.
  static var summary: String { get }
  /// Default: one.
  static var threads: CountedThreads { get }

  /// Makes the input, and does some of the work, so that nothing is done for the first time later.
  /// Not counted.
  init() throws

  /// The work. Counted.
  mutating func run() throws

  /// Throws unless the work was done: a workload that does nothing is cheap. Not counted.
  func check() throws
}

/// A workload that did not do its work.
struct WorkloadFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

extension Workload {
  static var threads: CountedThreads { .one }

  func expect<Value: Equatable>(_ what: String, _ actual: Value, is expected: Value) throws {
    if actual != expected { throw WorkloadFailure("\(what): \(actual), not \(expected)") }
  }
}
