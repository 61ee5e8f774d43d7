import Synchronization

/// Counts handler calls.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  func add() { number.wrappingAdd(1, ordering: .relaxed) }
  var value: Int { number.load(ordering: .relaxed) }
}
