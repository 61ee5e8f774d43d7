/// A job's identity: its key in the jobs file.
package struct JobName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let text: String

  /// Nil unless the text is `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= 128, Self.isAlphanumeric(first),
      bytes.allSatisfy({ Self.isAlphanumeric($0) || "._-".utf8.contains($0) })
    else { return nil }
    self.text = text
  }

  package var description: String { text }

  // Inlinable, so that other modules' dictionaries of jobs are made for this type.

  @inlinable package static func == (left: Self, right: Self) -> Bool { left.text == right.text }

  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// By the order of their characters.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
