import Glibc

/// Reads and writes files that are short by their nature, within a bound.
package enum SmallFile {
  package static let pathOnly: Int32 = 0o10_000_000

  /// Flags that open a file for reading without waiting, such as for the writer of a pipe, and
  /// without making a terminal takt's own.
  package static let readingFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

  /// The target of a link; nil if it cannot be read.
  package static func link(_ path: String) -> String? {
    (try? linkBytes { readlink(path, $0, $1) }).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The target of a link in an open folder; the folder's descriptor may be the link itself, with
  /// an empty name.
  package static func link(_ name: String, in folder: Int32) throws(SystemError) -> String {
    let bytes = try linkBytes { readlinkat(folder, name, $0, $1) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SystemError("readlink", number: EILSEQ)
    }
    return text
  }

  /// Resolves all links; nil with `errno` if the path leads nowhere.
  package static func realPath(_ path: String) -> String? {
    realpath(path, nil).map { resolved in
      // `realpath` has allocated it, and nobody else has it.
      defer { free(resolved) }
      return String(cString: resolved)
    }
  }

  private static func linkBytes(
    _ read: (UnsafeMutablePointer<CChar>, Int) -> Int
  ) throws(SystemError) -> [UInt8] {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = target.withUnsafeMutableBufferPointer { buffer in
      // No more bytes are written than the buffer has, which is not empty.
      buffer.baseAddress.map { read($0, buffer.count - 1) } ?? 0
    }
    guard count > 0 else { throw SystemError("readlink", number: count < 0 ? errno : ENOENT) }
    return target[..<count].map(UInt8.init(bitPattern:))
  }

  /// The whole file; one that is longer than `bytesMax`, or no regular file, is an error.
  package static func read(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, readingFlags)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    return try read(descriptor, bytesMax: bytesMax)
  }

  package static func read(_ descriptor: Int32, bytesMax: Int) throws(SystemError) -> [UInt8] {
    let type = try FileStatus(of: descriptor).type
    // A pipe that nobody has open for writing would read as an empty file.
    guard type == .file else {
      throw SystemError("read", number: type == .folder ? EISDIR : EINVAL)
    }
    return try readToEnd(descriptor, bytesMax: bytesMax)
  }

  /// All that a descriptor yields until its end, whatever it is; more than `bytesMax` is `EFBIG`.
  package static func readToEnd(_ descriptor: Int32, bytesMax: Int) throws(SystemError) -> [UInt8] {
    try bytes(of: descriptor, bytesMax: bytesMax).withBytes { Array($0) }
  }

  /// The same at an address that stays. A file that grows meanwhile is read to one byte past the
  /// bound at most.
  ///
  /// - Parameter size: the number of bytes expected.
  package static func bytes(
    of descriptor: Int32, expecting size: Int = 0, bytesMax: Int
  ) throws(SystemError) -> FileBytes {
    var capacity = min(bytesMax, max(size, 4096)) + 1
    var memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    var count = 0
    var number: Int32?
    while number == nil {
      // `count` never passes `capacity`, so the range asked for lies inside the allocation.
      let result = Glibc.read(descriptor, memory + count, capacity - count)
      if result == 0 { break }
      if result < 0 {
        if errno != EINTR { number = errno }
        continue
      }
      count += result
      if count > bytesMax {
        number = EFBIG
      } else if count == capacity {
        capacity = min(bytesMax + 1, capacity * 2)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: memory, count: count)
        memory.deallocate()
        memory = larger
      }
    }
    let bytes = FileBytes(adopting: memory, count: count)
    if let number { throw SystemError("read", number: number) }
    return bytes
  }

  /// The first bytes of a file, at most so many; nil when it cannot be read.
  package static func head(_ path: String, bytesMax: Int) -> [UInt8]? {
    let descriptor = open(path, readingFlags)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return head(descriptor, bytesMax: bytesMax)
  }

  /// The same of a name in an open folder; a link is not followed.
  package static func head(_ name: String, in folder: Int32, bytesMax: Int) -> [UInt8]? {
    let descriptor = openat(folder, name, readingFlags | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return head(descriptor, bytesMax: bytesMax)
  }

  /// The first bytes of an open file, from its start wherever it has been read to.
  package static func head(_ descriptor: Int32, bytesMax: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < bytesMax {
      // The kernel hands out files of its own a page at a time.
      let room = min(4096, bytesMax - bytes.count)
      let start = bytes.count
      var count = 0
      bytes.append(
        contentsOf: [UInt8](unsafeUninitializedCapacity: room) { buffer, length in
          count = pread(descriptor, buffer.baseAddress, room, off_t(start))
          length = max(0, count)
        })
      if count < 0, errno != EINTR { return nil }
      if count == 0 { break }
    }
    return bytes
  }

  /// Writes a file that must not exist yet. One that cannot be written whole is removed: half of it
  /// would be in the way of the next try.
  ///
  /// - Throws: `EEXIST` if something is there, links included.
  package static func create(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    if let number = bytes.write(to: descriptor).number {
      unlink(path)
      throw SystemError("write", number: number)
    }
  }
}
