import Glibc

extension UnsafeRawBufferPointer {
  /// Finds a byte by the C library's search, which compares many bytes at once. The pointer that it
  /// returns lies within the buffer.
  package func firstIndex(ofByte byte: UInt8) -> Int? {
    guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - start
  }

  /// Writes all to a descriptor and waits for its reader. Returns the count of bytes written, and
  /// the system's error number if that was not all.
  package func write(to descriptor: Int32) -> (written: Int, number: Int32?) {
    var done = 0
    while done < count {
      let result = Glibc.write(
        descriptor, UnsafeRawBufferPointer(rebasing: self[done...]).baseAddress, count - done)
      if result >= 0 {
        done += result
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      } else if errno != EINTR {
        return (done, errno)
      }
    }
    return (done, nil)
  }
}

extension [UInt8] {
  /// Writes all to a descriptor and waits for its reader. Returns the count of bytes written, and
  /// the system's error number if that was not all.
  package func write(to descriptor: Int32) -> (written: Int, number: Int32?) {
    withUnsafeBytes { $0.write(to: descriptor) }
  }

  package func holds(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    guard count >= bytes.count else { return false }
    return indices.prefix(count - bytes.count + 1).contains {
      self[$0] == first && self[$0..<($0 + bytes.count)].elementsEqual(bytes)
    }
  }
}
