/// A control sequence of ECMA-48, such as one that sets a colour.
package struct TerminalSequence {
  package enum Kind: Hashable, Sendable {
    /// `ESC [ … letter`, with its parameters and its final byte.
    case control(parameters: Range<Int>, final: UInt8)
    /// Any other: a string such as a title, or a short escape.
    case other
  }

  package var kind: Kind
  package var range: Range<Int>
  /// False where its end is missing, which bytes behind these may bring.
  package var isComplete = true

  /// The sequence that starts at `start`; nil where none does. A string without its end is only its
  /// first two bytes, so that it hides no text.
  package init?(in bytes: [UInt8], at start: Int, _ ends: inout TerminalStringEnds) {
    var next = start + 1
    let introducer: UInt8
    switch bytes[start] {
    case 0x1B:
      guard next < bytes.count else { return nil }
      introducer = bytes[next]
      next += 1
    // The same controls as one character, U+0080 to U+009F.
    case 0xC2:
      guard next < bytes.count, (0x80...0x9F).contains(bytes[next]) else { return nil }
      introducer = bytes[next] - 0x40
      next += 1
    default: return nil
    }
    let afterIntroducer = next
    kind = .other
    switch introducer {
    case UInt8(ascii: "["):
      while next < bytes.count, (0x30...0x3F).contains(bytes[next]) { next += 1 }
      let parameters = afterIntroducer..<next
      while next < bytes.count, (0x20...0x2F).contains(bytes[next]) { next += 1 }
      if next < bytes.count, (0x40...0x7E).contains(bytes[next]) {
        kind = .control(parameters: parameters, final: bytes[next])
        next += 1
      } else {
        isComplete = next < bytes.count
      }
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      let endsAtBell = introducer == UInt8(ascii: "]")
      let end = ends.next(in: bytes, from: next, endsAtBell: endsAtBell)
      isComplete = end != nil
      next = end ?? next
    case 0x20...0x2F:
      while next < bytes.count, (0x20...0x2F).contains(bytes[next]) { next += 1 }
      isComplete = next < bytes.count
      if isComplete, (0x30...0x7E).contains(bytes[next]) { next += 1 }
    case 0x30...0x7E: break
    default: next = start + 1
    }
    range = start..<next
  }
}

/// The ends of strings in one text. It is searched once, however many strings start in it.
package struct TerminalStringEnds {
  private struct Search {
    var from = Int.max
    /// The bytes that end a string; nil where none do.
    var found: Range<Int>?

    func knows(from start: Int) -> Bool {
      from <= start && (found.map { $0.lowerBound >= start } ?? true)
    }
  }

  private var anyEnd = Search()
  private var noBell = Search()

  /// The first place behind the string whose text begins at `start`.
  fileprivate mutating func next(in bytes: [UInt8], from start: Int, endsAtBell: Bool) -> Int? {
    let known = endsAtBell ? anyEnd : noBell
    if known.knows(from: start) { return known.found?.upperBound }
    let search = Search(
      from: start, found: Self.search(in: bytes, from: start, endsAtBell: endsAtBell))
    if endsAtBell { anyEnd = search } else { noBell = search }
    return search.found?.upperBound
  }

  private static func search(in bytes: [UInt8], from start: Int, endsAtBell: Bool) -> Range<Int>? {
    for place in start..<max(start, bytes.count) {
      switch bytes[place] {
      case 0x07 where endsAtBell: return place..<place + 1
      case 0x1B where place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "\\"):
        return place..<place + 2
      case 0xC2 where place + 1 < bytes.count && bytes[place + 1] == 0x9C:
        return place..<place + 2
      default: break
      }
    }
    return nil
  }
}

extension [UInt8] {
  /// The bytes without colours and other sequences for terminals.
  package var withoutTerminalSequences: [UInt8] {
    guard contains(where: { $0 == 0x1B || $0 == 0xC2 }) else { return self }
    var rest: [UInt8] = []
    var ends = TerminalStringEnds()
    var next = 0
    while next < count {
      if let sequence = TerminalSequence(in: self, at: next, &ends) {
        next = sequence.range.upperBound
      } else {
        if self[next] != 0x1B { rest.append(self[next]) }
        next += 1
      }
    }
    return rest
  }
}
