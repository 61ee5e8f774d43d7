import TaktTime

/// A search for local times without regard to any zone.
protocol LocalSearch {
  static var ticksPerSecond: Int64 { get }

  /// The first match that is not before `local`, in ticks since 1970-01-01T00:00:00 as if the zone
  /// were UTC; nil when there is none.
  func first(from local: Int64) -> Int64?
}

/// Finds the instants of local times under a policy for clock changes: it goes from one span of
/// constant offset to the next until a match exists in one of them.
struct LocalWalk<Search: LocalSearch> {
  private let search: Search
  private let zone: Zone
  private let gap: DSTPolicy.Gap
  private let overlap: DSTPolicy.Overlap
  /// The earliest instant that counts, in ticks like all times here.
  private var start: Int64
  private var span: TickSpan
  /// The last search: there is nothing between the two local times.
  private var known: (from: Int64, match: Int64)?

  /// Searches from an instant that counts. A rule that recurs within the hour continues through
  /// both passes of a repeated one.
  init(search: Search, zone: Zone, dst: DSTPolicy, recursWithinHour: Bool, from start: Int64) {
    self.search = search
    self.zone = zone
    gap = dst.gap
    overlap = recursWithinHour ? .both : dst.overlap
    self.start = start
    // An instant right after a gap belongs to the gap too.
    span = Self.span(of: zone, at: start - 1)
  }

  private struct TickSpan {
    var start: Int64
    var end: Int64
    var offset: Int64
  }

  private static func span(of zone: Zone, at time: Int64) -> TickSpan {
    let span = zone.span(atEpochSeconds: time.flooredQuotient(by: Search.ticksPerSecond))
    return TickSpan(
      start: ticks(span.start), end: ticks(span.end), offset: ticks(Int64(span.offsetSeconds)))
  }

  private static func ticks(_ seconds: Int64) -> Int64 {
    let (ticks, overflow) = seconds.multipliedReportingOverflow(by: Search.ticksPerSecond)
    return overflow ? (seconds < 0 ? .min : .max) : ticks
  }

  private static var day: Int64 { 86_400 * Search.ticksPerSecond }

  mutating func next() -> Int64? {
    while true {
      let from = start + span.offset
      guard var match = match(from: from) else { return lastPass(from: from) }
      if overlap == .first, let later = endOfRepeat(near: match) {
        // The local time comes for the second time; what is due then has run.
        guard let after = self.match(from: later) else { return nil }
        match = after
      }
      let instant = match - span.offset
      if instant < span.end, !isFirstPassUnwanted(instant) { return instant }
      guard span.end != .max else { return nil }
      let next = Self.span(of: zone, at: span.end)
      let resumes = span.end + next.offset
      if instant >= span.end, match < resumes, gap == .runAfter { return span.end }
      go(to: next, resumes: resumes, from: from, match: match)
    }
  }

  private mutating func match(from local: Int64) -> Int64? {
    if let known, known.from <= local, local <= known.match { return known.match }
    guard let match = search.first(from: local) else { return nil }
    known = (local, match)
    return match
  }

  /// Enters the next span, or a later one when the match is far away.
  private mutating func go(to next: TickSpan, resumes: Int64, from: Int64, match: Int64) {
    // Three days are more than all offsets and changes together.
    let near = match - 3 * Self.day
    if resumes >= from, near > next.end {
      start = near
      span = Self.span(of: zone, at: near)
    } else {
      start = span.end
      span = next
    }
  }

  /// The local time at which this span stops repeating the one before; nil when the match, which
  /// is in this span, is no repetition.
  private func endOfRepeat(near match: Int64) -> Int64? {
    guard span.start != .min else { return nil }
    let sinceStart = match - span.offset - span.start
    guard sinceStart < 2 * Self.day else { return nil }
    let before = Self.span(of: zone, at: span.start - 1)
    let end = span.start + before.offset
    return match < end ? end : nil
  }

  /// True if only second passes count and this instant is in a first one.
  private func isFirstPassUnwanted(_ instant: Int64) -> Bool {
    guard overlap == .second, span.end != .max, span.end - instant < 2 * Self.day else {
      return false
    }
    let next = Self.span(of: zone, at: span.end)
    return instant + span.offset >= span.end + next.offset
  }

  /// Once the last local match is over, its second pass may still come.
  private mutating func lastPass(from local: Int64) -> Int64? {
    guard overlap != .first, span.end != .max, span.end - start < 2 * Self.day else { return nil }
    let next = Self.span(of: zone, at: span.end)
    let resumes = span.end + next.offset
    guard resumes < local, let match = search.first(from: resumes) else { return nil }
    let instant = match - next.offset
    return instant < next.end ? instant : nil
  }
}
