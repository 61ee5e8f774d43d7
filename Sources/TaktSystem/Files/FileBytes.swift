/// The bytes of one file, at an address that stays where it is while this object lives.
package final class FileBytes {
  private let buffer: UnsafeBufferPointer<UInt8>

  /// Takes over memory that `allocate(capacity:)` gave, of which the first `count` bytes are set.
  init(adopting memory: UnsafeMutablePointer<UInt8>, count: Int) {
    buffer = UnsafeBufferPointer(start: memory, count: count)
  }

  /// A copy of bytes that are in memory already.
  package convenience init(_ bytes: [UInt8]) {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
    bytes.withUnsafeBufferPointer { source in
      // As many bytes are set as are counted, and there is room for all of them.
      if let start = source.baseAddress { memory.initialize(from: start, count: source.count) }
    }
    self.init(adopting: memory, count: bytes.count)
  }

  deinit {
    buffer.deallocate()
  }

  /// Lends the bytes for the time of the call.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withExtendedLifetime(self) { body(buffer) }
  }
}
