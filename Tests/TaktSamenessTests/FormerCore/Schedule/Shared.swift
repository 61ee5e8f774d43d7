/// A value that its copies share until one of them is changed: cheap to copy, however much is in it.
struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
  /// `@unchecked Sendable`: it is changed only by `change`, and only while one copy alone holds it.
  /// Who reads it on another thread does so through a copy of its own, and then there are two.
  private final class Box: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  var value: Value { box.value }

  mutating func change(_ body: (inout Value) -> Void) {
    if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
    body(&box.value)
  }

  static func == (left: Self, right: Self) -> Bool {
    left.box === right.box || left.box.value == right.box.value
  }

  func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
