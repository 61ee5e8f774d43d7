/// A job's identity: its key in the jobs file.
package struct JobName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let text: String

  /// Nil unless the text is `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= 128, first.isLetter || first.isDigit,
      bytes.allSatisfy(\.isNameByte)
    else { return nil }
    self.text = text
  }

  /// Replaces the name of a missing job.
  static let placeholder = JobName(checked: "nobody")

  private init(checked text: String) { self.text = text }

  package var description: String { text }

  // Inlinable, so that other modules' dictionaries of jobs are made for this type.

  @inlinable package static func == (left: Self, right: Self) -> Bool { left.text == right.text }

  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// By the order of their characters.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

  /// Names of different order compare as their orders do: the first eight characters as a number.
  /// A start puts all jobs in order: the load of 100,000 jobs in `make bench ONLY=peers`.
  var order: UInt64 {
    var order: UInt64 = 0
    var count = 0
    for byte in text.utf8.prefix(8) {
      order = order << 8 | UInt64(byte)
      count += 1
    }
    return order << UInt64(8 * (8 - count))
  }
}
