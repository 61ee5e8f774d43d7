import Glibc

extension SourceText {
  /// True if a text of the file may refer to a value of `for_each`. Most files are rejected at the
  /// speed of memory, so that their jobs need not be searched.
  var mayReferToEach: Bool {
    withText { text in
      guard let start = text.baseAddress else { return false }
      return text.contains("{", from: start) { rest in
        // Spaces and a line continuation are allowed between the braces and the word.
        let word = rest.drop { "{ \t\r\n\\".utf8.contains($0) }.prefix(4)
        return word.elementsEqual("each".utf8) { $0 | 0x20 == $1 }
      }
        // An escape can be any character, and a word can be split over two lines.
        || text.contains("\\", from: start) { rest in
          rest.dropFirst().first.map { "xuU\r\n".utf8.contains($0) } ?? false
        }
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if `isWanted` accepts the rest of the text from any place of a byte.
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
