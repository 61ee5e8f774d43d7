import Dispatch
import TaktTime
import TimerMachine

/// Performs random operations from many threads on machines of one factory, repeatable by a seed as
/// far as threads allow.
///
/// It checks promises that hold under any interleaving: nothing traps, no delivery is claimed after
/// the operation that ended its generation has returned, observers see gapless sequences, and every
/// machine still works afterwards.
public struct OperationStorm: Sendable {
  /// The seed of all random choices.
  public var seed: UInt64
  /// The number of operations of all threads together.
  public var operations: Int
  /// The number of concurrent threads; each operates on every machine. Default 4.
  public var threads = 4
  /// The number of machines that exist at a time. Default 16.
  public var machines = 16

  /// Creates a storm of `operations` operations.
  public init(seed: UInt64, operations: Int) {
    self.seed = seed
    self.operations = operations
  }

  /// Runs the storm, and returns when every machine has proved that it still works.
  ///
  /// - Throws: `ContractViolation` for the first broken promise.
  public func run(on bench: TimerTestBench) throws {
    let slots = (0..<machines).map { StormSlot(name: "storm \($0)", bench: bench) }
    let failure = FirstError()
    let group = DispatchGroup()
    for thread in 0..<threads {
      // A serial queue each: the shared pool would run no more threads than there are processors.
      DispatchQueue(label: "storm thread \(thread)").async(group: group) {
        do {
          try operate(on: slots, of: bench, seed: seed &* 31 &+ UInt64(thread))
        } catch {
          failure.keep(error)
        }
      }
    }
    group.wait()
    try failure.rethrow()
    for slot in slots { try slot.current.conclude(on: bench) }
  }

  private func operate(on slots: [StormSlot], of bench: TimerTestBench, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<(operations / threads) {
      let slot = slots[Int.random(in: 0..<slots.count, using: &generator)]
      if Int.random(in: 0..<50, using: &generator) == 0 {
        slot.replace()
      } else {
        try slot.current.operate(now: bench.now, using: &generator)
      }
    }
  }
}

/// A broken promise of a factory.
public struct ContractViolation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The expectation and what happened instead.
  public let description: String

  /// Creates a violation from its description.
  public init(_ description: String) {
    self.description = description
  }

  /// Throws unless `condition` holds.
  static func unless(
    _ condition: Bool, _ description: @autoclosure () -> String
  ) throws(ContractViolation) {
    if !condition { throw ContractViolation(description()) }
  }
}

/// Keeps the first error of many threads.
final class FirstError: Sendable {
  private let kept = Guarded<(any Error)?>(nil)

  func keep(_ error: any Error) {
    kept.withLock { $0 = $0 ?? error }
  }

  func rethrow() throws {
    if let error = kept.withLock({ $0 }) { throw error }
  }
}
