extension CronFieldParser {
  /// `L`, `L-3`, `LW`, `L-3W` in the day of month; false when something else comes next.
  mutating func specialDay() throws(CronProblem) -> Bool {
    guard field == .dayOfMonth else { return false }
    let place = reader.position
    guard reader.consume("l") else { return false }
    var before = 0
    if reader.consume("-") {
      let number = reader.position
      guard let written = reader.number() else { throw problem(.missingValue) }
      guard written <= 30 else {
        throw problem(
          .outOfRange(reader.text(from: number, to: reader.position), 0...30), at: number)
      }
      before = written
    }
    if reader.consume("w") {
      try requireAlone(from: place)
      days.nearestWeekdaysBeforeLast |= 1 << UInt32(before)
    } else {
      days.daysBeforeLast |= 1 << UInt32(before)
    }
    return true
  }

  /// The part after a day: `15W`, `5L`, `FRI#2`; false when none of these comes next.
  mutating func daySuffix(_ day: Int, from place: Int) throws(CronProblem) -> Bool {
    if field == .dayOfMonth {
      guard reader.consume("w") else { return false }
      try requireAlone(from: place)
      days.nearestWeekdays |= 1 << UInt32(day)
      return true
    }
    if reader.consume("l") {
      days.lastWeekdays |= 1 << UInt8(day % 7)
      return true
    }
    guard reader.consume("#") else { return false }
    let number = reader.position
    guard let nth = reader.number() else { throw problem(.missingValue) }
    guard (1...5).contains(nth), reader.position == number + 1 else {
      throw problem(
        .outOfRange(reader.text(from: number, to: reader.position), 1...5), at: number)
    }
    days.nthWeekdays |= 1 << UInt64(day % 7 * 5 + nth - 1)
    return true
  }
}
