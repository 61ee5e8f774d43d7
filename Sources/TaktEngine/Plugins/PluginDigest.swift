import Glibc
import TaktDigest

/// What a manifest means by `sha256`.
package enum PluginDigest {
  /// The SHA-256 of a file in lower-case hexadecimal digits; nil when the file cannot be read.
  package static func ofFile(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var hasher = SHA256()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      hasher.update(buffer[..<count])
    }
    return hasher.finalize().hexadecimal
  }
}
