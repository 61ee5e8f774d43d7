/// The start and the end of an output, with secrets masked.
package struct KeptOutput: Hashable, Sendable {
  private struct Parts: Hashable, Sendable {
    var head: [UInt8] = []
    var tail: [UInt8] = []
    var droppedBytes = 0
    var marks: [OutputMark] = []

    var isEmpty: Bool { head.isEmpty && tail.isEmpty && droppedBytes == 0 }

    /// Drops partial characters on either side of the gap.
    mutating func trim() {
      guard droppedBytes > 0 else { return }
      let (cut, rest) = (head.cutCharacterBytes, tail.continuationBytes)
      head.removeLast(cut)
      tail.removeFirst(rest)
      droppedBytes += cut + rest
    }

    // Outputs are the same if their bytes are, whenever those came.
    static func == (left: Self, right: Self) -> Bool {
      left.head == right.head && left.tail == right.tail
        && left.droppedBytes == right.droppedBytes
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(head)
      hasher.combine(tail)
      hasher.combine(droppedBytes)
    }
  }

  /// Nil for an empty output: most runs print nothing.
  private var parts: Shared<Parts>?

  private init(_ parts: Parts) { self.parts = parts.isEmpty ? nil : Shared(parts) }

  package init(
    head: [UInt8] = [], tail: [UInt8] = [], droppedBytes: Int = 0, marks: [OutputMark] = []
  ) {
    self.init(Parts(head: head, tail: tail, droppedBytes: droppedBytes, marks: marks))
  }

  package init() {}

  /// The rest of an output that was cut at any byte, without parts of characters.
  package init(cutTo head: [UInt8], _ tail: [UInt8], droppedBytes: Int, marks: [OutputMark]) {
    var parts = Parts(head: head, tail: tail, droppedBytes: droppedBytes, marks: marks)
    parts.trim()
    self.init(parts)
  }

  package var head: [UInt8] { parts?.value.head ?? [] }
  /// The last bytes, except those in `head`.
  package var tail: [UInt8] { parts?.value.tail ?? [] }
  /// The number of bytes missing between the two.
  package var droppedBytes: Int { parts?.value.droppedBytes ?? 0 }
  package var isEmpty: Bool { parts == nil }
  /// The times and streams of its bytes, in order.
  package var marks: [OutputMark] { parts?.value.marks ?? [] }

  /// Its start and its end, half of `bytesMax` each.
  package func cut(to bytesMax: Int) -> KeptOutput {
    let excess = head.count + tail.count - bytesMax
    guard excess > 0 else { return self }
    // The tail follows the head at once if nothing is missing.
    let bytes = droppedBytes == 0 ? head + tail : head
    let start = Array(bytes.prefix(min(bytesMax / 2, head.count)))
    let end = Array((droppedBytes == 0 ? bytes : tail).suffix(bytesMax - start.count))
    return KeptOutput(
      cutTo: start, end,
      droppedBytes: droppedBytes + head.count + tail.count - start.count - end.count,
      marks: marks)
  }

  /// This output with another behind it, cut to `keepBytes`: half at either end.
  package func followed(by next: KeptOutput, keepBytes: Int) -> KeptOutput {
    guard var result = parts?.value else { return next }
    if next.isEmpty { return self }
    let count = result.head.count + result.droppedBytes + result.tail.count
    result.marks += next.marks.map { mark in
      var mark = mark
      mark.offset += count
      return mark
    }
    var rest = next.head[...]
    if droppedBytes == 0, tail.isEmpty {
      let room = max(0, keepBytes / 2 - head.count)
      result.head += rest.prefix(room)
      rest = rest.dropFirst(room)
    }
    if next.droppedBytes > 0 {
      // The missing part is between them: only the end of the other can follow.
      result.droppedBytes += result.tail.count + rest.count + next.droppedBytes
      result.tail = next.tail
    } else {
      result.tail += rest + next.tail
    }
    let excess = max(0, result.tail.count - (keepBytes - keepBytes / 2))
    result.tail.removeFirst(excess)
    result.droppedBytes += excess
    result.trim()
    return KeptOutput(result)
  }
}

extension KeptOutput {
  /// The end of the output as text of at most `bytesMax` bytes in UTF-8; it starts with a whole
  /// character. Parts that are no UTF-8 are shown as U+FFFD; if something is missing between the
  /// start and the end, only the end is used.
  package func endText(bytesMax: Int) -> String {
    let bytes = droppedBytes == 0 ? head + tail : tail
    var end = bytes.suffix(max(0, bytesMax))
    if end.count < bytes.count || droppedBytes > 0 { end = end.dropFirst(end.continuationBytes) }
    var text = String(decoding: end, as: UTF8.self).unicodeScalars[...]
    // A byte that is no text has become a character of three.
    while case let excess = text.utf8Count - max(0, bytesMax), excess > 0 {
      text = text.dropFirst((excess + 3) / 4)
    }
    return String(text)
  }
}

extension Substring.UnicodeScalarView {
  fileprivate var utf8Count: Int { Substring(self).utf8.count }
}
