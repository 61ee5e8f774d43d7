import TaktCore
import TaktSystem

/// Splits a stream of bytes into lines, and a longer line into pieces. Buffers at most one piece.
struct LineSplitter {
  /// A longer line is cut into pieces of this size, less the start of a character or a sequence.
  static let lineBytesMax = 8192
  /// The limit for lines that programs read: one that is cut is no JSON.
  static let rawLineBytesMax = 65_536

  /// True if a line that a program overwrites counts by its present state, however long its bytes
  /// are, as it does for people.
  let isForPeople: Bool
  private let bytesMax: Int
  private var partial: [UInt8] = []

  init(isForPeople: Bool = true, bytesMax: Int = Self.lineBytesMax) {
    self.isForPeople = isForPeople
    self.bytesMax = bytesMax
  }

  init(for format: OutputPolicy.Format) {
    switch format {
    case .record: self.init()
    case .raw: self.init(isForPeople: false, bytesMax: Self.rawLineBytesMax)
    }
  }

  /// Passes each line that ends within `bytes`, without its end, to `body`. Once `body` returns
  /// false the lines of this call are only counted, including the refused one, which is much faster
  /// than a child can write; returns their number.
  mutating func feed(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    var rest = bytes
    var skipped = 0
    while let end = rest.firstIndex(ofByte: 10) {
      let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      if skipped > 0 {
        skipped += 1
        continue
      }
      if partial.isEmpty, line.count <= bytesMax {
        if !body(line) { skipped = 1 }
      } else {
        append(line, &skipped, body)
        if skipped == 0, !partial.withUnsafeBytes(body) { skipped = 1 }
      }
      partial.removeAll(keepingCapacity: true)
    }
    append(rest, &skipped, body)
    return skipped
  }

  /// Passes on an unfinished last line; returns the number of refused lines.
  mutating func finish(_ body: (UnsafeRawBufferPointer) -> Bool) -> Int {
    defer { partial = [] }
    return partial.isEmpty || partial.withUnsafeBytes(body) ? 0 : 1
  }

  private mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ skipped: inout Int,
    _ body: (UnsafeRawBufferPointer) -> Bool
  ) {
    var rest = bytes
    while partial.count + rest.count > bytesMax {
      let room = bytesMax - partial.count
      partial.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<room]))
      rest = UnsafeRawBufferPointer(rebasing: rest[room...])
      if skipped == 0, isForPeople, TerminalLine.goesBack(partial) {
        partial = TerminalLine.open(partial)
        if partial.count <= bytesMax / 2 { continue }
      }
      let cut =
        isForPeople ? TerminalLine.unfinishedBytes(of: partial) : partial.cutCharacterBytes
      let isTaken =
        skipped == 0
        && partial.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropLast(cut))) }
      if !isTaken { skipped += 1 }
      partial.removeFirst(partial.count - cut)
    }
    partial.append(contentsOf: rest)
  }
}
