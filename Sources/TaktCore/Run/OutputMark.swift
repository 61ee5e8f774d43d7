package import TaktTime

/// A place in an output after which bytes came from another stream, or at another time.
package struct OutputMark: Hashable, Sendable {
  package enum Stream: UInt8, CaseIterable, Sendable {
    /// Printed by takt, a built-in or a plugin, or from an unknown stream.
    case other = 0
    case stdout = 1
    case stderr = 2

    /// `stdout`, `stderr`; nil for neither.
    package var name: String? {
      switch self {
      case .other: nil
      case .stdout: "stdout"
      case .stderr: "stderr"
      }
    }
  }

  /// The bytes of the output before it, those that are not kept included.
  package var offset: Int
  package var stream: Stream
  package var at: WallInstant
  /// The attempt that printed; 0 if it is known otherwise.
  package var attempt: Int

  package init(offset: Int = 0, stream: Stream, at: WallInstant, attempt: Int = 0) {
    self.offset = offset
    self.stream = stream
    self.at = at
    self.attempt = attempt
  }
}

/// Marks in the ledger: for each the distances from the mark before, and the stream.
package enum OutputMarkText {
  private static let numberBytesMax = 10

  package static func encode(_ marks: [OutputMark]) -> [UInt8] {
    var bytes: [UInt8] = []
    var (offset, time) = (0, Int64(0))
    for mark in marks {
      append(UInt64(max(0, mark.offset - offset)), to: &bytes)
      let distance = mark.at.milliseconds &- time
      // The clock may have been set back: the sign is in the lowest bit.
      append(UInt64(bitPattern: (distance << 1) ^ (distance >> 63)), to: &bytes)
      bytes.append(mark.stream.rawValue)
      (offset, time) = (mark.offset, mark.at.milliseconds)
    }
    return bytes
  }

  /// Leaves out the marks behind a damaged one.
  package static func decode(_ bytes: [UInt8]) -> [OutputMark] {
    var marks: [OutputMark] = []
    var rest = bytes[...]
    var (offset, time) = (0, Int64(0))
    while let step = number(&rest), let distance = number(&rest), let byte = rest.popFirst(),
      let stream = OutputMark.Stream(rawValue: byte), step < UInt64(1) << 50
    {
      offset += Int(step)
      time = time &+ (Int64(bitPattern: distance >> 1) ^ -Int64(bitPattern: distance & 1))
      guard offset < 1 << 60 else { break }
      marks.append(
        OutputMark(offset: offset, stream: stream, at: WallInstant(milliseconds: time)))
    }
    return marks
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var number = UInt64(0)
    for place in 0..<numberBytesMax {
      guard let byte = bytes.popFirst() else { return nil }
      number |= UInt64(byte & 0x7F) << (7 * place)
      if byte < 0x80 { return number }
    }
    return nil
  }
}

extension KeptOutput {
  /// A piece of an output that came from one stream at one time.
  package struct Piece: Hashable, Sendable {
    package var bytes: ArraySlice<UInt8>
    /// Bytes missing before it.
    package var droppedBefore: Int
    /// Nil if unknown, as in a ledger of an earlier version.
    package var mark: OutputMark?
  }

  package var pieces: [Piece] {
    let (head, tail, marks) = (self.head, self.tail, self.marks)
    var pieces: [Piece] = []
    var next = 0
    var current: OutputMark?
    func add(_ bytes: [UInt8], from start: Int, droppedBefore: Int) {
      var (position, dropped) = (0, droppedBefore)
      while position < bytes.count {
        while next < marks.count, marks[next].offset <= start + position {
          current = marks[next]
          next += 1
        }
        let end = next < marks.count ? min(marks[next].offset - start, bytes.count) : bytes.count
        pieces.append(
          Piece(bytes: bytes[position..<end], droppedBefore: dropped, mark: current))
        (position, dropped) = (end, 0)
      }
    }
    add(head, from: 0, droppedBefore: 0)
    add(tail, from: head.count + droppedBytes, droppedBefore: droppedBytes)
    return pieces
  }
}
