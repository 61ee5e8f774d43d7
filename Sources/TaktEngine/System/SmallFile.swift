import CTaktSystem
import Glibc

/// Reads files that are short by their nature.
enum SmallFile {
  /// As `read`, where the file system may not answer: the thread waits, but the process can end.
  ///
  /// - Parameters:
  ///   - tracesLinks: whether it is looked who may have made the links that lead to the file.
  ///   - check: gets the file's status, and whether somebody other than root may have led here; false
  ///     where that is not looked at.
  static func readApart(
    _ path: String, bytesMax: Int, tracesLinks: Bool,
    check: (_ status: stat, _ isForeign: Bool) throws(SystemError) -> Void
  ) throws(SystemError) -> [UInt8] {
    var status = stat()
    var isForeign: Int32 = 0
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    let count = bytes.withUnsafeMutableBytes {
      tracesLinks
        ? csystem_apart_read(path, &status, $0.baseAddress, $0.count, &isForeign)
        : csystem_apart_read(path, &status, $0.baseAddress, $0.count, nil)
    }
    guard count >= 0 else {
      throw SystemError("read", number: Int32(truncatingIfNeeded: -count))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError("read", number: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    try check(status, isForeign != 0)
    if count > bytesMax { throw SystemError("read", number: EFBIG) }
    return Array(bytes[..<count])
  }

  /// Where a link leads; nil when that cannot be read.
  static func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The whole file; one that is longer than `bytesMax`, or no regular file, is an error. Nothing
  /// is waited for, such as the writer of a pipe.
  static func read(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      // A pipe that nobody has open for writing would read as an empty file.
      throw SystemError("read", number: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError("read")
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      if bytes.count > bytesMax { throw SystemError("read", number: EFBIG) }
    }
  }
}
