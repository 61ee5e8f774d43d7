/// The bytes of one file, at an address that stays where it is while this object lives.
final class FileBytes {
  /// What was read; initialised in whole, and freed with this object.
  let buffer: UnsafeBufferPointer<UInt8>

  /// Takes over memory that `allocate(capacity:)` gave, of which the first `count` bytes are set.
  init(adopting memory: UnsafeMutablePointer<UInt8>, count: Int) {
    buffer = UnsafeBufferPointer(start: memory, count: count)
  }

  /// A copy of bytes that are in memory already.
  convenience init(_ bytes: some Collection<UInt8>) {
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
    let end = memory.initialize(fromContentsOf: bytes)
    // The capacity is at least one, so the buffer has a base address; without it nothing is lost.
    if let base = memory.baseAddress {
      self.init(adopting: base, count: end)
    } else {
      self.init(adopting: .allocate(capacity: 1), count: 0)
    }
  }

  deinit {
    buffer.deallocate()
  }
}
