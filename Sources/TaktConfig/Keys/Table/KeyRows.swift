/// The keys of a mapping, in the order of the reference, with an index by name.
package struct KeyRows: RandomAccessCollection, ExpressibleByArrayLiteral, Hashable, Sendable {
  private let entries: [KeyEntry]
  /// Indices into `entries`, each in the slot of its name's hash or in the next free one; -1 for a
  /// free slot. At most half of the slots are taken. Looked up for each key; measured by the gate's
  /// `load`.
  private let slots: [Int16]

  package init(_ entries: [KeyEntry]) {
    self.entries = entries
    var size = 8
    while size < entries.count * 2 { size *= 2 }
    var slots = [Int16](repeating: -1, count: size)
    for (place, entry) in entries.enumerated() {
      var slot = Self.hash(entry.name) & (size - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int16(place)
    }
    self.slots = slots
  }

  package init(arrayLiteral entries: KeyEntry...) { self.init(entries) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { entries.count }
  package subscript(place: Int) -> KeyEntry { entries[place] }

  /// Nil for a key that the mapping may not have.
  subscript(name: String) -> KeyEntry? {
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] >= 0 {
      let entry = entries[Int(slots[slot])]
      if entry.name == name { return entry }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Enough to distinguish a few dozen names, and cheap for a name of any length.
  private static func hash(_ name: String) -> Int {
    let bytes = name.utf8
    guard let first = bytes.first, let last = bytes.last else { return 0 }
    return bytes.count &* 37 &+ Int(first) &* 5 &+ Int(last) &* 11
  }
}
