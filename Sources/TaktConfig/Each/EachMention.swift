import Glibc

extension SourceText {
  /// Whether a text of the file may refer to a value of `for_each`. Most files are passed over at the
  /// speed of memory, so that their jobs need not be looked through.
  var mayReferToEach: Bool {
    withText { text in
      guard let start = text.baseAddress else { return false }
      return text.contains("{", from: start) { rest in
        // Spaces, and a line that goes on, may stand between the braces and the word.
        let word = rest.drop { "{ \t\r\n\\".utf8.contains($0) }.prefix(4)
        return word.elementsEqual("each".utf8) { $0 | 0x20 == $1 }
      }
        // Any character may be written as its number, and a word on two lines.
        || text.contains("\\", from: start) { rest in
          rest.dropFirst().first.map { "xuU\r\n".utf8.contains($0) } ?? false
        }
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether `isWanted` holds for the rest of the text at any place of a byte.
  fileprivate func contains(
    _ byte: Unicode.Scalar, from start: UnsafePointer<UInt8>, where isWanted: (Slice<Self>) -> Bool
  ) -> Bool {
    var index = 0
    // `memchr` reads `count - index` bytes from `start + index`: those of this buffer.
    while index < count, let found = memchr(start + index, Int32(byte.value), count - index) {
      index = start.distance(to: found.assumingMemoryBound(to: UInt8.self))
      if isWanted(self[index...]) { return true }
      index += 1
    }
    return false
  }
}
