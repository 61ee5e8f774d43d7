import TaktCore

import TaktTime

/// Keeps the beginning and the end of an output within a bound, and counts what goes between them.
struct KeptOutputBuffer {
  /// What comes within this of what came before is taken to have come with it.
  private static let markInterval = Duration.milliseconds(100)
  /// So many marks are kept of either end at most.
  private static let marksMax = 2048

  private let headBytesMax: Int
  private let tailBytesMax: Int
  private var head: [UInt8] = []
  /// A ring once it is full: the oldest byte is at `start`.
  private var tail: [UInt8] = []
  private var start = 0
  private var droppedBytes = 0
  /// When the bytes came, and from where: those of the head, and those behind it.
  private var headMarks: [OutputMark] = []
  private var tailMarks: [OutputMark] = []
  private var lastMark: OutputMark?

  /// Keeps `keepBytes` at most: the first half of them from the beginning, the rest from the end.
  init(keepBytes: Int) {
    headBytesMax = max(0, keepBytes) / 2
    tailBytesMax = max(0, keepBytes) - headBytesMax
  }

  /// What is kept, in order.
  var kept: KeptOutput {
    KeptOutput(
      cutTo: head, Array(tail[start...] + tail[..<start]), droppedBytes: droppedBytes,
      marks: headMarks + keptTailMarks)
  }

  /// The last byte that came; nil for none.
  var lastByte: UInt8? {
    tail.isEmpty ? head.last : tail[(start + tail.count - 1) % tail.count]
  }

  /// Takes bytes that came as `mark` says; where in the output is seen here.
  mutating func append(_ bytes: UnsafeRawBufferPointer, _ mark: OutputMark) {
    if !bytes.isEmpty { add(mark) }
    append(bytes)
  }

  private mutating func add(_ mark: OutputMark) {
    if let last = lastMark, last.stream == mark.stream, last.attempt == mark.attempt {
      let passed = mark.at - last.at
      if passed >= .zero, passed < Self.markInterval { return }
    }
    var mark = mark
    mark.offset = head.count + droppedBytes + tail.count
    lastMark = mark
    if mark.offset < headBytesMax {
      if headMarks.count < Self.marksMax { headMarks.append(mark) }
      return
    }
    tailMarks.append(mark)
    guard tailMarks.count >= 2 * Self.marksMax else { return }
    tailMarks = Array(keptTailMarks.suffix(Self.marksMax))
    // Of which stream the bytes before it are is no longer known.
    tailMarks[0].stream = .other
  }

  /// The marks of the tail, from that of its first byte on.
  private var keptTailMarks: ArraySlice<OutputMark> {
    let from = head.count + droppedBytes
    let first = tailMarks.lastIndex { $0.offset <= from } ?? tailMarks.startIndex
    return tailMarks[first...]
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let forHead = min(headBytesMax - head.count, bytes.count)
    head.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<forHead]))
    appendToTail(UnsafeRawBufferPointer(rebasing: bytes[forHead...]))
  }

  private mutating func appendToTail(_ bytes: UnsafeRawBufferPointer) {
    let excess = max(0, tail.count + bytes.count - tailBytesMax)
    droppedBytes += excess
    // What would not stay is not even copied.
    var rest = bytes[max(0, bytes.count - tailBytesMax)...]
    let room = tailBytesMax - tail.count
    tail.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest.prefix(room)))
    rest = rest.dropFirst(room)
    while !rest.isEmpty {
      let piece = min(rest.count, tail.count - start)
      tail.withUnsafeMutableBytes { ring in
        UnsafeMutableRawBufferPointer(rebasing: ring[start..<(start + piece)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(piece)))
      }
      start = (start + piece) % tail.count
      rest = rest.dropFirst(piece)
    }
  }
}
