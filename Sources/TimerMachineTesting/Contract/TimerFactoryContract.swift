import TimerMachine

/// What every timer factory must do, one clause at a time.
///
/// Run it on a factory of your own:
/// ```swift
/// @Test(arguments: TimerFactoryContract.clauses)
/// func `my factory keeps`(clause: TimerFactoryContract.Clause) throws {
///   try clause.check(TimerTestBench(factory: MyFactory(), queue: DispatchQueue(label: "test")))
/// }
/// ```
public enum TimerFactoryContract {
  /// One promise and how to check it.
  public struct Clause: Sendable, CustomStringConvertible {
    /// The promise as a sentence.
    public let description: String
    private let body: @Sendable (TimerTestBench) throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (TimerTestBench) throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Checks the promise on a bench of its own. It blocks, in real time for up to a second.
    ///
    /// - Throws: `ContractViolation` when the promise is broken.
    public func check(_ bench: TimerTestBench) throws {
      try body(bench)
    }
  }

  /// Every clause, the plainest first.
  public static let clauses: [Clause] =
    adapterClauses + scheduleClauses + operationClauses + handlerClauses + lifeClauses
}
