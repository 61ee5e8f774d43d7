import TaktTime

/// Finds the instant of a local time as the C library's `mktime` does, which systemd's schedules
/// rest on: a repeated time is read with the offset that was last in use, a skipped one by the
/// offset on one side of the gap, preferring daylight time.
struct LocalClock {
  let zone: Zone
  /// The offset in use, in seconds east of Greenwich.
  private var offset: Int64
  /// The span that was looked up last.
  private var span: ZoneSpan

  struct Reading {
    /// Seconds since the epoch.
    var seconds: Int64
    /// The local time then; another than was asked for when that one is skipped.
    var localSeconds: Int64
    var isDaylight: Bool
  }

  init(zone: Zone, atEpochSeconds seconds: Int64) {
    self.zone = zone
    span = zone.span(atEpochSeconds: seconds)
    offset = Int64(span.offsetSeconds)
  }

  private mutating func read(_ seconds: Int64) -> Reading {
    if !span.contains(seconds) { span = zone.span(atEpochSeconds: seconds) }
    return Reading(
      seconds: seconds, localSeconds: seconds + Int64(span.offsetSeconds),
      isDaylight: span.isDaylight)
  }

  /// The instant of a local time; nil when none is found or it stands before the epoch.
  mutating func instant(of cursor: LocalCursor) -> Reading? {
    // A 60th second, which might be a leap second, is counted from the 59th.
    let excess = Int64(max(0, cursor.second - 59))
    let local = cursor.localSeconds - excess
    guard let near = nearest(to: local, isDaylight: cursor.isDaylight) else { return nil }
    var reading = near.reading
    if !near.isInGap, let isDaylight = cursor.isDaylight, reading.isDaylight != isDaylight {
      guard let other = extrapolated(local, from: reading, isDaylight: isDaylight) else {
        return nil
      }
      reading = other
    }
    offset = local - reading.seconds
    if excess > 0 { reading = read(reading.seconds + excess) }
    return reading.seconds < 0 ? nil : reading
  }

  /// Corrects a first guess by its error until it fits, or until it swings over a gap.
  private mutating func nearest(
    to local: Int64, isDaylight: Bool?
  ) -> (reading: Reading, isInGap: Bool)? {
    var guess = local - offset
    var (last, beforeLast) = (guess, guess)
    var wasDaylight = false
    for _ in 0..<6 {
      let reading = read(guess)
      let error = local - reading.localSeconds
      if error == 0 { return (reading, false) }
      let isSwinging = guess == beforeLast && guess != last
      let isPreferred =
        isDaylight.map { $0 != reading.isDaylight } ?? (!wasDaylight || reading.isDaylight)
      if isSwinging, isPreferred { return (reading, true) }
      (beforeLast, last) = (last, guess)
      guess += error
      wasDaylight = reading.isDaylight
    }
    return nil
  }

  /// The instant by the offset of the nearest time, in steps of about a week to both sides, that
  /// is or is not daylight time as it was asked for.
  private mutating func extrapolated(
    _ local: Int64, from reading: Reading, isDaylight: Bool
  ) -> Reading? {
    let step: Int64 = 601_200
    let reach: Int64 = 536_454_000 / 2 + step
    for distance in stride(from: step, to: reach, by: Int64.Stride(step)) {
      for probe in [reading.seconds - distance, reading.seconds + distance] {
        let found = read(probe)
        if found.isDaylight == isDaylight {
          return read(local - (found.localSeconds - found.seconds))
        }
      }
    }
    return nil
  }
}
