import Glibc

struct InotifyEvent {
  /// The watch it came from; -1 for an overflow.
  var watch: Int32
  /// The `IN_` bits.
  var mask: UInt32
  /// The entry of the watched folder, without the final zero; empty for the watched file or folder
  /// itself.
  var name: [CChar]

  func has(_ bits: Int32) -> Bool { mask & UInt32(bitPattern: bits) != 0 }

  static func events(in buffer: UnsafeRawBufferPointer) -> [InotifyEvent] {
    let headBytes = 16
    var events: [InotifyEvent] = []
    var offset = 0
    while offset + headBytes <= buffer.count {
      let watch = buffer.loadUnaligned(fromByteOffset: offset, as: Int32.self)
      let mask = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      let nameBytes = Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
      let start = offset + headBytes
      let end = min(start + nameBytes, buffer.count)
      let name = buffer[start..<end].prefix { $0 != 0 }.map { CChar(truncatingIfNeeded: $0) }
      events.append(InotifyEvent(watch: watch, mask: mask, name: name))
      offset = end
    }
    return events
  }
}
