package import TaktTime

/// The effect of a clock change on a rule: a time of day that it skips or repeats.
package struct ClockChange: Hashable, Sendable {
  package var at: WallInstant
  /// The local time right before the change.
  package var before: CivilTime
  /// The local time right after it.
  package var after: CivilTime
  /// The first time of the rule that is skipped or repeated.
  package var time: CivilTime
  /// The instants at which the rule is due for it; none if it is left out.
  package var slots: [WallInstant]

  package var isForward: Bool { before.epochSeconds < after.epochSeconds }
}

extension ClockRule {
  /// The next clock changes that skip or repeat a time of the rule: the first forward and the first
  /// back, within two years. For a rule that recurs within the hour, which continues in any case,
  /// only those forward that drop a slot, or add one.
  package func clockChanges(after instant: WallInstant) -> [ClockChange] {
    let recurs = expression.recursWithinHour
    var found: [ClockChange] = []
    var last = instant
    let end = instant + .seconds(2 * 366 * 86_400)
    while found.count < 2, let at = zone.nextChange(after: last), at < end {
      last = at
      if let change = change(at: at), !recurs || change.isForward && makesDifference(at: at),
        !found.contains(where: { $0.isForward == change.isForward })
      {
        found.append(change)
      }
    }
    return found
  }

  /// True if the policy for skipped times decides about a slot at a change.
  private func makesDifference(at change: WallInstant) -> Bool {
    let isSlot = DSTPolicy.Gap.allCases.map { gap in
      var rule = self
      rule.dst.gap = gap
      return rule.next(after: change.justBefore) == change
    }
    return isSlot.contains(true) && isSlot.contains(false)
  }

  private func change(at instant: WallInstant) -> ClockChange? {
    let seconds = instant.milliseconds / 1000
    let before = seconds + Int64(zone.offsetSeconds(at: instant.justBefore))
    let after = seconds + Int64(zone.offsetSeconds(at: instant))
    // Asked in UTC the rule gives local times.
    let local = ClockRule(expression, zone: .utc, dst: dst)
    let first = WallInstant(milliseconds: min(before, after) * 1000)
    guard let match = local.next(after: first.justBefore),
      match.milliseconds < max(before, after) * 1000
    else {
      return nil
    }
    return ClockChange(
      at: instant, before: CivilTime(epochSeconds: before),
      after: CivilTime(epochSeconds: after),
      time: CivilTime(epochSeconds: match.milliseconds.flooredQuotient(by: 1000)),
      slots: slots(ofLocal: match.milliseconds / 1000, before: before, after: after, at: instant))
  }

  private func slots(
    ofLocal time: Int64, before: Int64, after: Int64, at instant: WallInstant
  ) -> [WallInstant] {
    let seconds = instant.milliseconds / 1000
    let wanted =
      before < after
      ? [seconds] : [seconds - (before - time), seconds + (time - after)]
    return wanted.map { WallInstant(milliseconds: $0 * 1000) }.filter { slot in
      next(after: slot.justBefore) == slot
    }
  }
}

extension ClockChange {
  /// The effect of the change on the rule, for people.
  package func words(in zone: Zone) -> String {
    let day = "\(time.year)-\(Self.two(time.month))-\(Self.two(time.day))"
    let what =
      isForward
      ? "\(Self.clock(time)) does not exist" : "\(Self.clock(time)) occurs twice"
    let then =
      slots.isEmpty
      ? "there is no slot"
      : "due at " + slots.map { $0.rfc3339(in: zone) }.joined(separator: " and ")
    return "on \(day) the clock goes from \(Self.clock(before)) to \(Self.clock(after)): \(what), "
      + then
  }

  private static func clock(_ time: CivilTime) -> String {
    "\(two(time.hour)):\(two(time.minute))"
      + (time.second == 0 ? "" : ":\(two(time.second))")
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
