/// The beginning and the end of an output. Secrets are masked in it.
package struct KeptOutput: Hashable, Sendable {
  /// The first bytes.
  package var head: [UInt8]
  /// The last bytes, as far as they are not in `head`.
  package var tail: [UInt8]
  /// How many bytes between the two are gone.
  package var droppedBytes: Int

  /// Nothing unless told otherwise.
  package init(head: [UInt8] = [], tail: [UInt8] = [], droppedBytes: Int = 0) {
    self.head = head
    self.tail = tail
    self.droppedBytes = droppedBytes
  }

  /// Whether nothing was printed.
  package var isEmpty: Bool { head.isEmpty && tail.isEmpty && droppedBytes == 0 }

  /// This output with another behind it, of which so many bytes are kept: half at either end.
  func followed(by next: KeptOutput, keepBytes: Int) -> KeptOutput {
    if isEmpty { return next }
    var result = self
    var rest = next.head[...]
    if droppedBytes == 0, tail.isEmpty {
      let room = max(0, keepBytes / 2 - head.count)
      result.head += rest.prefix(room)
      rest = rest.dropFirst(room)
    }
    if next.droppedBytes > 0 {
      // What is gone lies between: only the end of the other can follow.
      result.droppedBytes += result.tail.count + rest.count + next.droppedBytes
      result.tail = next.tail
    } else {
      result.tail += rest + next.tail
    }
    let excess = max(0, result.tail.count - (keepBytes - keepBytes / 2))
    result.tail.removeFirst(excess)
    result.droppedBytes += excess
    return result
  }
}
