import Glibc

/// What tells this start of the machine from others, and this view of its clocks.
package enum BootIdentity {
  /// The kernel's word for this start, and the name space of clocks in which takt is: as long as
  /// both are the same, the monotonic clock has gone on.
  package static func current() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let bytes = (try? SmallFile.read(path, bytesMax: 128)) ?? []
    let word = String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    var buffer = [CChar](repeating: 0, count: 128)
    let count = readlink("/proc/self/ns/time", &buffer, buffer.count - 1)
    let space = String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Without a word from the kernel nothing is taken for the same.
    return word.isEmpty ? "unknown \(AttemptMark.instance)" : "\(word) \(space)"
  }
}
