extension Zone {
  /// Reads the bytes of a compiled zone file (TZif, RFC 8536); nil when they are none.
  ///
  /// Only the 64-bit part is read, which every system has written since 2005. Leap seconds are
  /// passed over, as POSIX time does.
  package init?(name: String, tzif bytes: [UInt8]) {
    var reader = TZifReader(bytes: bytes)
    guard let first = reader.header(), first.version >= 2 else { return nil }
    guard reader.skip(first.bodySize(timeSize: 4)), let header = reader.header() else { return nil }

    var starts: [Int64] = []
    for _ in 0..<header.timeCount {
      guard let start = reader.integer(bytes: 8) else { return nil }
      starts.append(start)
    }
    var kinds: [Int] = []
    for _ in 0..<header.timeCount {
      guard let kind = reader.integer(bytes: 1) else { return nil }
      kinds.append(Int(kind) & 0xff)
    }
    var offsets: [Int] = []
    var daylight: [Bool] = []
    for _ in 0..<header.typeCount {
      guard let offset = reader.integer(bytes: 4), let flag = reader.integer(bytes: 1),
        reader.skip(1)
      else { return nil }
      offsets.append(Int(offset))
      daylight.append(flag != 0)
    }
    let tail =
      header.characterCount + header.leapCount * 12 + header.standardCount + header.universalCount
    guard reader.skip(tail), let footer = reader.footer(), let initial = offsets.first,
      kinds.allSatisfy({ $0 < offsets.count }), starts == starts.sorted()
    else { return nil }
    self.init(
      name: name, initialOffsetSeconds: initial,
      transitions: zip(starts, kinds).map {
        Transition(start: $0, offsetSeconds: offsets[$1], isDaylight: daylight[$1])
      },
      rule: ZoneRule(posix: footer))
  }
}

private struct TZifReader {
  package struct Header {
    var version: Int
    var universalCount: Int
    var standardCount: Int
    var leapCount: Int
    var timeCount: Int
    var typeCount: Int
    var characterCount: Int

    func bodySize(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + characterCount
        + leapCount * (timeSize + 4) + standardCount + universalCount
    }
  }

  package let bytes: [UInt8]
  package var position = 0

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, position + count <= bytes.count else { return false }
    position += count
    return true
  }

  /// A big-endian number, signed by its highest bit.
  package mutating func integer(bytes count: Int) -> Int64? {
    guard position + count <= bytes.count else { return nil }
    var value = UInt64(0)
    for byte in bytes[position..<position + count] { value = value << 8 | UInt64(byte) }
    position += count
    let unused = UInt64(64 - count * 8)
    return Int64(bitPattern: value << unused) >> Int64(unused)
  }

  package mutating func header() -> Header? {
    guard position + 44 <= bytes.count, bytes[position..<position + 4].elementsEqual("TZif".utf8)
    else { return nil }
    let version = bytes[position + 4]
    position += 20
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = integer(bytes: 4), count >= 0 else { return nil }
      counts.append(Int(count))
    }
    return Header(
      version: version == 0 ? 1 : Int(version) - 48, universalCount: counts[0],
      standardCount: counts[1], leapCount: counts[2], timeCount: counts[3], typeCount: counts[4],
      characterCount: counts[5])
  }

  /// The `TZ` string between two line ends; empty when the file gives no rule.
  package func footer() -> String? {
    guard position < bytes.count, bytes[position] == 10,
      let end = bytes[(position + 1)...].firstIndex(of: 10)
    else { return nil }
    return String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
  }
}
