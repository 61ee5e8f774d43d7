import TimerMachine

/// The promises of every timer factory, as clauses to check one by one.
///
/// Run it on your own factory:
/// ```swift
/// @Test(arguments: TimerFactoryContract.clauses)
/// func `my factory keeps`(clause: TimerFactoryContract.Clause) throws {
///   try clause.check(TimerTestBench(factory: MyFactory(), queue: DispatchQueue(label: "test")))
/// }
/// ```
public enum TimerFactoryContract {
  /// A promise and its check.
  public struct Clause: Sendable, CustomStringConvertible {
    /// The promise as a sentence.
    public let description: String
    private let body: @Sendable (TimerTestBench) throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (TimerTestBench) throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Checks the promise on its own bench. Blocks for up to a second in real time.
    ///
    /// - Throws: `ContractViolation` when the promise is broken.
    public func check(_ bench: TimerTestBench) throws {
      try body(bench)
    }
  }

  /// Every clause, the simplest first.
  public static let clauses: [Clause] =
    adapterClauses + scheduleClauses + operationClauses + handlerClauses + lifeClauses
}
