/// A range of time in which a zone keeps one offset.
package struct ZoneSpan: Hashable, Sendable {
  /// Its first second since the Unix epoch; `.min` where the zone's knowledge starts.
  package var start: Int64
  /// The first second after it; `.max` when it never ends.
  package var end: Int64
  /// Seconds east of Greenwich.
  package var offsetSeconds: Int
  package var isDaylight: Bool

  @inlinable package func contains(_ seconds: Int64) -> Bool { seconds >= start && seconds < end }
}

extension ZoneSpan {
  fileprivate init(_ transition: Zone.Transition, until end: Int64) {
    self.init(
      start: transition.start, end: end, offsetSeconds: transition.offsetSeconds,
      isDaylight: transition.isDaylight)
  }
}

extension Zone {
  /// The next change of the offset after an instant; nil when there is none.
  package func nextChange(after instant: WallInstant) -> WallInstant? {
    var seconds = instant.nanoseconds.flooredQuotient(by: 1_000_000_000)
    let offset = offsetSeconds(atEpochSeconds: seconds)
    // A change may be one of the name alone.
    // The rule of a damaged zone file may name a span that has ended already.
    while case let end = span(atEpochSeconds: seconds).end, end < Self.lastSecond, end > seconds {
      if offsetSeconds(atEpochSeconds: end) != offset {
        return WallInstant(milliseconds: end * 1000)
      }
      seconds = end
    }
    return nil
  }

  /// The year 2262, where wall instants end.
  private static let lastSecond = Int64.max / 1_000_000_000

  package func span(atEpochSeconds seconds: Int64) -> ZoneSpan {
    if let span = ruledSpan(atEpochSeconds: seconds) { return span }
    guard let last = transitions.last else {
      return rule?.span(atEpochSeconds: seconds, notBefore: .min)
        ?? ZoneSpan(start: .min, end: .max, offsetSeconds: initialOffsetSeconds, isDaylight: false)
    }
    if seconds >= last.start {
      return rule?.span(atEpochSeconds: seconds, notBefore: last.start)
        ?? ZoneSpan(
          start: last.start, end: .max, offsetSeconds: last.offsetSeconds,
          isDaylight: last.isDaylight)
    }
    let count = transitions.count(through: seconds)
    guard count > 0 else {
      return ZoneSpan(
        start: .min, end: transitions[0].start, offsetSeconds: initialOffsetSeconds,
        isDaylight: false)
    }
    return ZoneSpan(transitions[count - 1], until: transitions[count].start)
  }

  /// The span between two changes by the rule that are written out; nil outside them.
  func ruledSpan(atEpochSeconds seconds: Int64) -> ZoneSpan? {
    let ruled = ruled
    guard let first = ruled.first, let last = ruled.last, first.start <= seconds,
      seconds < last.start
    else { return nil }
    let count = ruled.count(through: seconds)
    return ZoneSpan(ruled[count - 1], until: ruled[count].start)
  }
}

extension ZoneRule {
  /// The span that holds the instant; it does not start before `limit`, where the rule does.
  package func span(atEpochSeconds seconds: Int64, notBefore limit: Int64) -> ZoneSpan {
    guard let daylight else {
      return ZoneSpan(
        start: limit, end: .max, offsetSeconds: standardOffsetSeconds, isDaylight: false)
    }
    let year = CivilTime(epochSeconds: seconds + Int64(standardOffsetSeconds)).year
    let (first, second) = changes(daylight, year: year)
    let start: Int64
    let end: Int64
    if seconds < first {
      (start, end) = (changes(daylight, year: year - 1).second, first)
    } else if seconds < second {
      (start, end) = (first, second)
    } else {
      (start, end) = (second, changes(daylight, year: year + 1).first)
    }
    let offset = offsetSeconds(atEpochSeconds: seconds)
    return ZoneSpan(
      start: max(limit, start), end: end, offsetSeconds: offset,
      isDaylight: offset == daylight.offsetSeconds)
  }

  /// Both changes of a year, in order.
  func changes(_ daylight: Daylight, year: Int) -> (first: Int64, second: Int64) {
    let start = daylight.start.epochSeconds(year: year, offsetSeconds: standardOffsetSeconds)
    let end = daylight.end.epochSeconds(year: year, offsetSeconds: daylight.offsetSeconds)
    return (min(start, end), max(start, end))
  }
}
