/// Where lines end, by libyaml's rules, so that its marks and our lines are the same.
enum LineBreak {
  /// A carriage return or a line feed.
  static func isPlain(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

  /// The offset of each line's first byte; the first is `start`.
  static func lineStarts(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> [Int] {
    var starts = [start]
    var index = start
    while index < end {
      let length = length(in: bytes, at: index, end: end)
      if length > 0 { starts.append(index + length) }
      index += max(1, length)
    }
    return starts
  }

  /// How many bytes a line break at `index` has; 0 when there is none.
  private static func length(
    in bytes: UnsafeBufferPointer<UInt8>, at index: Int, end: Int
  ) -> Int {
    func byte(_ distance: Int) -> UInt8 { index + distance < end ? bytes[index + distance] : 0 }
    switch bytes[index] {
    case 0x0a: return 1
    case 0x0d: return byte(1) == 0x0a ? 2 : 1
    case 0xc2: return byte(1) == 0x85 ? 2 : 0
    case 0xe2: return byte(1) == 0x80 && (byte(2) == 0xa8 || byte(2) == 0xa9) ? 3 : 0
    default: return 0
    }
  }
}
