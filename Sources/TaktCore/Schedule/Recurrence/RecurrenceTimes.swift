import TaktTime

/// Single times of a recurrence: by its clock, and instants where the clock changes.
struct RecurrenceTimes: Hashable, Sendable {
  /// In seconds as if the zone were UTC, ascending.
  let local: [Int64]
  /// In seconds since the epoch, ascending: times of other zones near a clock change, where a local
  /// time may be two instants or none.
  let instants: [Int64]

  /// - Parameter zone: that of the recurrence; nil where it is not known: all instants stay.
  init(local: [Int64] = [], instants: [Int64] = [], in zone: Zone? = nil) {
    let plain = instants.map { zone?.plainTime(at: $0) }
    self.local = Set(local + plain.compactMap(\.self)).sorted()
    self.instants = Set(zip(instants, plain).compactMap { $1 == nil ? $0 : nil }).sorted()
  }

  var isEmpty: Bool { local.isEmpty && instants.isEmpty }

  var count: Int { local.count + instants.count }

  /// `20260105T090000,20271031T013000Z`
  var text: String {
    (local.map(RecurrenceTime.text) + instants.map { RecurrenceTime.text($0) + "Z" })
      .joined(separator: ",")
  }

  /// All of them by the clock of a zone.
  func byClock(in zone: Zone) -> RecurrenceTimes {
    RecurrenceTimes(
      local: local + instants.map { $0 + Int64(zone.offsetSeconds(atEpochSeconds: $0)) })
  }

  /// True if the instant of a local time is among the instants.
  func hasInstant(ofDateTime local: Int64, in zone: Zone) -> Bool {
    !instants.isEmpty && instants.has(zone.instant(ofDateTime: local))
  }
}

extension Zone {
  /// The local time of an instant; nil within a day of a clock change.
  fileprivate func plainTime(at instant: Int64) -> Int64? {
    let (span, day) = (self.span(atEpochSeconds: instant), Int64(86_400))
    guard span.start < instant - day, instant + day < span.end else { return nil }
    return instant + Int64(span.offsetSeconds)
  }

  /// The local time that a clock change skips and RFC 5545 reads as an instant; nil for none.
  func skippedTime(at instant: Int64) -> Int64? {
    let span = self.span(atEpochSeconds: instant)
    guard span.start != .min else { return nil }
    let before = offsetSeconds(atEpochSeconds: span.start - 1)
    guard instant - span.start < Int64(span.offsetSeconds - before) else { return nil }
    return instant + Int64(before)
  }
}

extension [Int64] {
  /// The first element of an ascending list that is not before `value`.
  func first(notBefore value: Int64) -> Int64? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < count ? self[low] : nil
  }

  func has(_ value: Int64) -> Bool { !isEmpty && first(notBefore: value) == value }
}
