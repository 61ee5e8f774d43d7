extension CronExpression {
  /// The first instant strictly after `instant` at which the expression is due in the zone; nil
  /// when there is none before the year 2262.
  ///
  /// Instants are whole seconds. `rule` says what two given day fields mean together, `dst` what
  /// becomes of local times that a clock change skips or repeats.
  public func next(
    after instant: WallInstant, in zone: Zone, days rule: CronDayRule = .any,
    dst: DSTPolicy = .cron
  ) -> WallInstant? {
    let start = instant.nanoseconds.flooredQuotient(by: 1_000_000_000) + 1
    var walk = CronWalk(
      search: CronSearch(expression: self, rule: rule), zone: zone, gap: dst.gap,
      overlap: recursWithinHour ? .both : dst.overlap, from: start)
    guard let seconds = walk.next() else { return nil }
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : WallInstant(nanoseconds: nanoseconds)
  }
}

/// Goes from one span of constant offset to the next until a local match exists in one of them.
private struct CronWalk {
  let search: CronSearch
  let zone: Zone
  let gap: DSTPolicy.Gap
  let overlap: DSTPolicy.Overlap
  /// The earliest instant that counts, in seconds.
  private var start: Int64
  private var span: ZoneSpan
  /// The last search: there is nothing between the two local times.
  private var known: (from: Int64, match: Int64)?

  init(
    search: CronSearch, zone: Zone, gap: DSTPolicy.Gap, overlap: DSTPolicy.Overlap,
    from start: Int64
  ) {
    self.search = search
    self.zone = zone
    self.gap = gap
    self.overlap = overlap
    self.start = start
    // An instant right after a gap belongs to the gap too.
    span = zone.span(atEpochSeconds: start - 1)
  }

  mutating func next() -> Int64? {
    while true {
      let from = start + Int64(span.offsetSeconds)
      guard var match = match(from: from) else { return lastPass(from: from) }
      if overlap == .first, let later = endOfRepeat(near: match) {
        // The local time comes for the second time; what is due then has run.
        guard let after = self.match(from: later) else { return nil }
        match = after
      }
      let instant = match - Int64(span.offsetSeconds)
      if instant < span.end, !isFirstPassUnwanted(instant) { return instant }
      guard span.end != .max else { return nil }
      let next = zone.span(atEpochSeconds: span.end)
      let resumes = span.end + Int64(next.offsetSeconds)
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
  private mutating func go(to next: ZoneSpan, resumes: Int64, from: Int64, match: Int64) {
    // Three days are more than all offsets and changes together.
    let near = match - 3 * 86_400
    if resumes >= from, near > next.end {
      start = near
      span = zone.span(atEpochSeconds: near)
    } else {
      start = span.end
      span = next
    }
  }

  /// The local time at which this span stops repeating the one before; nil when the match, which
  /// is in this span, is no repetition.
  private func endOfRepeat(near match: Int64) -> Int64? {
    guard span.start != .min else { return nil }
    let sinceStart = match - Int64(span.offsetSeconds) - span.start
    guard sinceStart < 2 * 86_400 else { return nil }
    let before = zone.span(atEpochSeconds: span.start - 1)
    let end = span.start + Int64(before.offsetSeconds)
    return match < end ? end : nil
  }

  /// Whether only second passes count and this instant is in a first one.
  private func isFirstPassUnwanted(_ instant: Int64) -> Bool {
    guard overlap == .second, span.end != .max, span.end - instant < 2 * 86_400 else {
      return false
    }
    let next = zone.span(atEpochSeconds: span.end)
    return instant + Int64(span.offsetSeconds) >= span.end + Int64(next.offsetSeconds)
  }

  /// When the last local match is over, its second pass may still come.
  private mutating func lastPass(from local: Int64) -> Int64? {
    guard overlap != .first, span.end != .max, span.end - start < 2 * 86_400 else { return nil }
    let next = zone.span(atEpochSeconds: span.end)
    let resumes = span.end + Int64(next.offsetSeconds)
    guard resumes < local, let match = search.first(from: resumes) else { return nil }
    let instant = match - Int64(next.offsetSeconds)
    return instant < next.end ? instant : nil
  }
}
