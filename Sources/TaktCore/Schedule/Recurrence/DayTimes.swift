/// Times of a day: each of some hours with each of some minutes and seconds.
struct DayTimes: Hashable, Sendable {
  /// Bits 0 to 23.
  var hours: UInt32
  /// Bits 0 to 59.
  var minutes: UInt64
  /// Bits 0 to 59.
  var seconds: UInt64

  var count: Int {
    hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount
  }

  /// The first that is not before `time`, in seconds of the day; nil when all are.
  func first(from time: Int64) -> Int64? {
    guard time < 86_400 else { return nil }
    let (hour, minute, second) = (Int(time) / 3600, Int(time) / 60 % 60, Int(time) % 60)
    if hours >> UInt32(hour) & 1 == 1 {
      if minutes >> UInt64(minute) & 1 == 1, let second = Self.next(seconds, from: second) {
        return Int64(hour * 3600 + minute * 60 + second)
      }
      if let minute = Self.next(minutes, from: minute + 1) {
        return Int64(hour * 3600 + minute * 60 + seconds.trailingZeroBitCount)
      }
    }
    return Self.next(UInt64(hours), from: hour + 1).map { hour in
      Int64(hour * 3600 + minutes.trailingZeroBitCount * 60 + seconds.trailingZeroBitCount)
    }
  }

  /// The time at a place in their order, from 0.
  subscript(index: Int) -> Int64 {
    let (secondCount, minuteCount) = (seconds.nonzeroBitCount, minutes.nonzeroBitCount)
    let hour = Self.bit(index / secondCount / minuteCount, of: UInt64(hours))
    let minute = Self.bit(index / secondCount % minuteCount, of: minutes)
    return Int64(hour * 3600 + minute * 60 + Self.bit(index % secondCount, of: seconds))
  }

  /// The first bit that is set, from a place on.
  static func next(_ bits: UInt64, from place: Int) -> Int? {
    guard place < 64, case let left = bits >> UInt64(place), left != 0 else { return nil }
    return place + left.trailingZeroBitCount
  }

  private static func bit(_ index: Int, of bits: UInt64) -> Int {
    var rest = bits
    for _ in 0..<index { rest &= rest - 1 }
    return rest.trailingZeroBitCount
  }
}
