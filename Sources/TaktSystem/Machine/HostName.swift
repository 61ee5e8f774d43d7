import Glibc

package enum HostName {
  /// Read from the kernel at the first use; `localhost` where it has none.
  package static let current: String = {
    var buffer = [CChar](repeating: 0, count: 256)
    let result = gethostname(&buffer, buffer.count - 1)
    let name = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return result == 0 && isValid(name) ? name : "localhost"
  }()

  package static func isLocal(_ text: String) -> Bool {
    ["localhost", "127.0.0.1", "::1", "[::1]", current].contains(text)
  }

  /// Checks that a text can be a host name in mails and headers.
  package static func isValid(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 255
      && text.utf8.allSatisfy { byte in
        byte > 0x20 && byte < 0x7f && !"<>()\\,;\"@".utf8.contains(byte)
      }
  }
}
