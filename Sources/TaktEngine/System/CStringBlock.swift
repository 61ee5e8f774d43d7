import TaktSystem
/// Strings in C's format, in one piece of memory: a list of pointers with nil at its end.
struct CStringBlock {
  private var bytes: [UInt8] = []
  private var offsets: [Int] = []
  /// True if a string had a zero byte, at which C would cut it.
  private(set) var hasZeroByte = false
  var count: Int { offsets.count }

  init() {}

  init(_ strings: [String]) {
    for string in strings { append(string.utf8) }
  }

  mutating func append(_ string: some Collection<UInt8>) {
    offsets.append(bytes.count)
    add(string)
  }

  /// Appends `NAME=value`.
  mutating func append(_ name: String, _ value: some Collection<UInt8>) {
    append(name.utf8)
    bytes[bytes.count - 1] = UInt8(ascii: "=")
    add(value)
  }

  private mutating func add(_ string: some Collection<UInt8>) {
    let start = bytes.count
    bytes.append(contentsOf: string)
    // `memchr` keeps the performance gate's `run` fast.
    let hasZero = bytes.withUnsafeBytes { all in
      UnsafeRawBufferPointer(rebasing: all[start...]).firstIndex(ofByte: 0) != nil
    }
    if hasZero { hasZeroByte = true }
    bytes.append(0)
  }

  mutating func append(_ other: CStringBlock) {
    offsets += other.offsets.map { $0 + bytes.count }
    bytes += other.bytes
    if other.hasZeroByte { hasZeroByte = true }
  }

  /// The pointers are valid within `body` only.
  mutating func withPointers<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let offsets = offsets
    return bytes.withUnsafeMutableBytes { bytes in
      withUnsafeTemporaryAllocation(
        of: UnsafeMutablePointer<CChar>?.self, capacity: offsets.count + 1
      ) { pointers in
        for (index, offset) in offsets.enumerated() {
          // Every offset lies within the bytes, which are not accessed as another type meanwhile.
          pointers.initializeElement(
            at: index,
            to: bytes.baseAddress.map { ($0 + offset).assumingMemoryBound(to: CChar.self) })
        }
        pointers.initializeElement(at: offsets.count, to: nil)
        // Never empty: it has at least the terminating nil.
        return body(pointers.baseAddress.unsafelyUnwrapped)
      }
    }
  }
}
