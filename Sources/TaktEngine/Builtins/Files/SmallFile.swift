import Glibc

/// Reads files that are short by their nature.
enum SmallFile {
  /// The whole file; one that is longer than `bytesMax`, or no file, is an error. A pipe without a
  /// writer is not waited for.
  static func read(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
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
