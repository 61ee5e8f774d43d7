/// A run's number: 1, 2, 3 … in the life of the process.
package struct RunID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package var description: String { String(number) }

  // Inlinable, so that other modules' dictionaries of runs are made for this type.

  @inlinable package static func == (left: Self, right: Self) -> Bool {
    left.number == right.number
  }

  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(number) }

  /// Orders runs by their creation.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
