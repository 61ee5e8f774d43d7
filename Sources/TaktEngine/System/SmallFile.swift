import Glibc

/// Reads files that are short by their nature.
enum SmallFile {
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
    return try read(descriptor, bytesMax: bytesMax)
  }

  /// The same of a file that is open.
  static func read(_ descriptor: Int32, bytesMax: Int) throws(SystemError) -> [UInt8] {
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
