/// Whose instructions a workload counts.
enum CountedThreads: String {
  /// Those of the thread that calls `run`.
  case one
  /// Those of all threads, while `run` lets callgrind count.
  case all
}

/// One row of the instruction gate: work that is the same each time.
protocol Workload {
  /// The row's name.
  static var name: String { get }
  /// What is counted, in a few words.
  static var summary: String { get }
  /// Default: one.
  static var threads: CountedThreads { get }

  /// Makes the input, and does some of the work so that nothing is done for the first time later.
  /// Not counted.
  init() throws

  /// The work. Counted.
  mutating func run() throws

  /// Throws unless the work was done: a workload that does nothing is cheap. Not counted.
  func check() throws
}

/// A workload that did not do what it is there for.
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
