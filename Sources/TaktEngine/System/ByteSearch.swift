import Glibc

extension UnsafeRawBufferPointer {
  /// Where a byte stands first, by the C library's search, which looks at many bytes at once. The
  /// pointer that it returns lies within the buffer.
  func firstIndex(ofByte byte: UInt8) -> Int? {
    guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - start
  }
}

extension [UInt8] {
  /// Whether these bytes stand in it somewhere.
  func holds(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    guard count >= bytes.count else { return false }
    return indices.prefix(count - bytes.count + 1).contains {
      self[$0] == first && self[$0..<($0 + bytes.count)].elementsEqual(bytes)
    }
  }
}
