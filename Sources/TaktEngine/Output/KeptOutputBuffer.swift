import TaktCore

import TaktTime

/// Keeps the start and the end of an output within a limit, and counts the bytes in between.
struct KeptOutputBuffer {
  /// Output within this time of earlier output shares its mark.
  private static let markInterval = Duration.milliseconds(100)
  /// The number of marks kept for either end.
  private static let marksMax = 2048

  private let headBytesMax: Int
  private let tailBytesMax: Int
  private var head: [UInt8] = []
  /// A ring buffer once it is full: the oldest byte is at `start`.
  private var tail: [UInt8] = []
  private var start = 0
  private var droppedBytes = 0
  /// The times and the sources of the bytes: of those in the head, and of those after it.
  private var headMarks: [OutputMark] = []
  private var tailMarks: [OutputMark] = []
  private var lastMark: OutputMark?

  /// Keeps at most `keepBytes`: one half from the start, the rest from the end.
  init(keepBytes: Int) {
    headBytesMax = max(0, keepBytes) / 2
    tailBytesMax = max(0, keepBytes) - headBytesMax
  }

  var kept: KeptOutput {
    KeptOutput(
      cutTo: head, Array(tail[start...] + tail[..<start]), droppedBytes: droppedBytes,
      marks: headMarks + keptTailMarks)
  }

  var lastByte: UInt8? {
    tail.isEmpty ? head.last : tail[(start + tail.count - 1) % tail.count]
  }

  /// Appends bytes with the time and the source in `mark`; the offset is set here.
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
    // The stream of the bytes before it is no longer known.
    tailMarks[0].stream = .other
  }

  /// The marks of the tail, including that of its first byte.
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
    // Bytes that would not stay are not even copied.
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
