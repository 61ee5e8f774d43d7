/// Removes the sequences for terminals from a program's output, whose bytes come in pieces of any
/// size. Each line becomes the result of `withoutTerminalSequences`, however it was cut.
package struct TerminalStripper: Sendable {
  /// A longer sequence is not waited for: only its start is left out then.
  static let pendingBytesMax = 4096

  /// The start of a sequence whose rest has not come yet.
  private var pending: [UInt8] = []

  package init() {}

  /// True if the next bytes may continue a sequence.
  package var isWithinSequence: Bool { !pending.isEmpty }

  package mutating func strip(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let all = pending + bytes
    pending = []
    var stripped: [UInt8] = []
    stripped.reserveCapacity(all.count)
    var rest = all[...]
    // No sequence continues past the end of a line, so that one without an end hides no other
    // line.
    while let end = rest.firstIndex(of: 10) {
      stripped += Array(rest[..<end]).withoutTerminalSequences
      stripped.append(10)
      rest = rest[(end + 1)...]
    }
    stripOpen(Array(rest), into: &stripped)
    return stripped
  }

  /// The rest, once the output has ended.
  package mutating func finish() -> [UInt8] {
    defer { pending = [] }
    return pending.withoutTerminalSequences
  }

  private mutating func stripOpen(_ line: [UInt8], into stripped: inout [UInt8]) {
    var ends = TerminalStringEnds()
    var next = 0
    while next < line.count {
      let byte = line[next]
      guard byte == 0x1B || byte == 0xC2 else {
        stripped.append(byte)
        next += 1
        continue
      }
      let sequence = TerminalSequence(in: line, at: next, &ends)
      let isOpen = next + 1 == line.count || sequence?.isComplete == false
      if isOpen, line.count - next <= Self.pendingBytesMax {
        pending = Array(line[next...])
        return
      }
      if let sequence {
        next = sequence.range.upperBound
      } else {
        if byte != 0x1B { stripped.append(byte) }
        next += 1
      }
    }
  }
}
