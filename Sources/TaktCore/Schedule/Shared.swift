/// A value that its copies share: cheap to copy and to compare, however large it is. It is only a
/// box; `SpecPool` and others decide about its copies.
///
/// Inlinable, so that other modules' uses are made for the type of the value.
package struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline final class Box: Sendable {
    @usableFromInline let value: Value

    @inlinable init(_ value: Value) { self.value = value }
  }

  @usableFromInline private(set) var box: Box

  @inlinable package init(_ value: Value) { box = Box(value) }

  /// Lent, not copied.
  @inlinable package var value: Value {
    _read { yield box.value }
  }

  /// Gives this copy a value of its own; the others keep theirs.
  @inlinable package mutating func change(_ body: (inout Value) -> Void) {
    var value = box.value
    body(&value)
    box = Box(value)
  }

  /// True if both are copies of one, and so equal without a comparison.
  @inlinable package func isCopy(of other: Self) -> Bool { box === other.box }

  /// The same for all copies of one, as long as there are any.
  package var identity: ObjectIdentifier { ObjectIdentifier(box) }

  @inlinable package static func == (left: Self, right: Self) -> Bool {
    left.box === right.box || left.box.value == right.box.value
  }

  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
