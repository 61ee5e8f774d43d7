package import TaktTime

/// Times of the clock by RFC 5545: a first instant, a rule, single times beside it, and times that are
/// left out.
///
/// Two that mean the same times in the same way are equal, however they are written.
package struct Recurrence: Hashable, Sendable {
  /// The first instant, in local seconds as if the zone were UTC.
  let start: Int64
  /// Nil where there are single times only.
  let rule: RecurrenceRule?
  /// Single times beside the rule.
  private(set) var dates: RecurrenceTimes
  /// Times that are left out.
  private(set) var exceptions: RecurrenceTimes
  /// The last local time of the rule; `max` where there is none, or none is known, and `min` for a
  /// rule that has no times.
  private let last: Int64

  /// The longest that a rule with COUNT may be: its end is found when it is read.
  static let countMax = 10_000

  /// The most single times, and the most that are left out.
  static let datesMax = 10_000

  init(
    start: Int64, rule: RecurrenceRule?, dates: RecurrenceTimes = RecurrenceTimes(),
    exceptions: RecurrenceTimes = RecurrenceTimes()
  ) {
    self.start = start
    self.rule = rule
    self.dates = dates
    self.exceptions = exceptions
    last = rule?.lastTime ?? .max
  }

  /// Reads a text such as `DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;INTERVAL=2`, and the TZID in
  /// it; nil if it has none.
  ///
  /// - Parameter zone: the zone of a TZID, or of nil; it gives nil for one that does not exist.
  ///   Without it RDATE and EXDATE are refused in another zone than DTSTART or UTC.
  package static func read(
    _ text: String, zone: ((String?) -> Zone?)? = nil
  ) throws(RecurrenceProblem) -> (recurrence: Recurrence, zoneName: String?) {
    var parser = RecurrenceParser(text, zone: zone)
    return try parser.recurrence()
  }

  /// Reads a normal form from the ledger; nil for any other text.
  package init?(stored text: String) {
    // Earlier versions took all days of a week if BYWEEKNO was given without days.
    let days = ["BYDAY=", "BYMONTHDAY=", "BYYEARDAY="]
    let isEarlier = text.contains("BYWEEKNO=") && !days.contains(where: text.contains)
    let whole =
      isEarlier ? text.replacing("BYWEEKNO=", with: "BYDAY=MO,TU,WE,TH,FR,SA,SU;BYWEEKNO=") : text
    guard let read = try? Self.read(whole) else { return nil }
    self = read.recurrence
  }

  /// True if it recurs within the hour, or from hour to hour. Such a rule runs in both passes of a
  /// repeated hour.
  package var recursWithinHour: Bool { rule.map { $0.frequency.seconds != nil } ?? false }

  /// Its default for clock changes.
  package var ownDST: DSTPolicy { DSTPolicy(gap: recursWithinHour ? .skip : .runAfter) }

  /// The first instant strictly after `instant`; nil when there is none before the year 2262. Instants
  /// are whole seconds.
  package func next(after instant: WallInstant, in zone: Zone, dst: DSTPolicy) -> WallInstant? {
    var from = instant.nanoseconds.flooredQuotient(by: 1_000_000_000) + 1
    while true {
      let slot = firstOfClock(from: from, in: zone, dst: dst)
      let seconds = min(slot ?? .max, dates.instants.first(notBefore: from) ?? .max)
      let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      if overflow { return nil }
      guard leavesOut(seconds, isOfClock: seconds == slot, in: zone, dst: dst) else {
        return WallInstant(nanoseconds: nanoseconds)
      }
      from = seconds + 1
    }
  }

  /// The first slot that a local time gives, from a second since the epoch on.
  private func firstOfClock(from: Int64, in zone: Zone, dst: DSTPolicy) -> Int64? {
    var walk = LocalWalk(
      search: self, zone: zone, dst: dst, recursWithinHour: recursWithinHour, from: from)
    guard let seconds = walk.next() else { return nil }
    if case .instant(let end)? = rule?.end, seconds > end { return nil }
    return seconds
  }

  /// True if a slot is left out, in seconds since the epoch. The search of local times has passed
  /// over those that are left out by the clock.
  private func leavesOut(_ seconds: Int64, isOfClock: Bool, in zone: Zone, dst: DSTPolicy) -> Bool {
    if isOfClock, exceptions.instants.isEmpty { return false }
    if exceptions.instants.has(seconds) { return true }
    let span = zone.span(atEpochSeconds: seconds)
    guard isOfClock else { return exceptions.local.has(seconds + Int64(span.offsetSeconds)) }
    // A skipped time runs when its gap ends, and RFC 5545 reads it as a later instant.
    guard span.start == seconds,
      zone.span(atEpochSeconds: seconds - 1).offsetSeconds < span.offsetSeconds
    else { return false }
    return byClock(in: zone).firstOfClock(from: seconds, in: zone, dst: dst) != seconds
  }

  /// It with all times by the clock of a zone: only local times can be moved.
  func byClock(in zone: Zone) -> Recurrence {
    if dates.instants.isEmpty, exceptions.instants.isEmpty { return self }
    var recurrence = self
    recurrence.dates = dates.byClock(in: zone)
    recurrence.exceptions = RecurrenceTimes(
      local: exceptions.byClock(in: zone).local
        + exceptions.instants.compactMap { zone.skippedTime(at: $0) })
    return recurrence
  }
}

extension Recurrence {
  /// The reason why one that never occurs has no time.
  package func reasonForNone(in zone: Zone, dst: DSTPolicy) -> String {
    if endsBeforeStart(in: zone) { return "UNTIL is before DTSTART" }
    if rule?.meetsTimes == false { return "INTERVAL passes over all times of its other parts" }
    let epoch = WallInstant(milliseconds: 0)
    var (whole, late) = (self, dst)
    whole.exceptions = RecurrenceTimes()
    late.gap = .runAfter
    if whole.next(after: epoch, in: zone, dst: dst) != nil {
      return "EXDATE leaves out all its dates"
    }
    if next(after: epoch, in: zone, dst: late) != nil { return "clock changes skip all its times" }
    return earliest(from: start).map { $0 < 86_400 } ?? false
      ? "all its dates are before 1970" : "no date matches all of its parts"
  }

  /// True if the UNTIL of its rule is before its first instant, so that the rule names no times.
  private func endsBeforeStart(in zone: Zone) -> Bool {
    switch rule?.end {
    case .local(let end): end < start
    case .instant(let end): end + Int64(zone.offsetSeconds(atEpochSeconds: end)) < start
    case .never, .count, nil: false
    }
  }
}

extension Recurrence: LocalSearch {
  static let ticksPerSecond: Int64 = 1

  func first(from local: Int64) -> Int64? {
    var from = local
    while let found = earliest(from: from) {
      guard exceptions.local.has(found) else { return found }
      from = found + 1
    }
    return nil
  }

  private func earliest(from local: Int64) -> Int64? {
    var found = rule.flatMap { local <= last ? RecurrenceSearch($0).first(from: local) : nil }
    if let time = found, time > last { found = nil }
    guard let date = dates.local.first(notBefore: local) else { return found }
    return min(found ?? date, date)
  }
}

extension RecurrenceRule {
  /// The last local time; nil where there is none, or only the zone says.
  fileprivate var lastTime: Int64? {
    guard meetsTimes else { return .min }
    switch end {
    case .never, .instant: return nil
    case .local(let time): return time
    case .count(let count):
      let search = RecurrenceSearch(self)
      var time = start - 1
      for _ in 0..<count {
        guard let next = search.first(from: time + 1) else { break }
        time = next
      }
      return time
    }
  }
}
