import CLibMD

/// The SHA-256 hash function (FIPS 180-4), for bytes that come in pieces or all at once.
package struct SHA256: Sendable {
  private var context = SHA2_CTX()

  package init() { SHA256Init(&context) }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { add($0) }
    if isContiguous == nil { Array(bytes).withUnsafeBufferPointer { add($0) } }
  }

  package consuming func finalize() -> SHA256Digest {
    // The library writes all bytes of the digest.
    var bytes = [UInt8](repeating: 0, count: SHA256Digest.count)
    SHA256Final(&bytes, &context)
    return SHA256Digest(bytes: bytes)
  }

  package static func hash(_ bytes: some Sequence<UInt8>) -> SHA256Digest {
    var function = SHA256()
    function.update(bytes)
    return function.finalize()
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    // The library reads `bytes.count` bytes and keeps no pointer.
    if !bytes.isEmpty { SHA256Update(&context, bytes.baseAddress, bytes.count) }
  }
}
