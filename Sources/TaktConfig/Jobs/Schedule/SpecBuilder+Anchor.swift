import TaktCore
import TaktTime

/// `every` on the wall clock.
extension SpecBuilder {
  private enum Anchor {
    /// A time of day, repeated each day.
    case timeOfDay(Duration)
    case instant(WallInstant)
  }

  /// The grid of local times of `align: local`, or of a time of day under `anchor`. Mistakes are
  /// reported where `every` is read.
  func localGrid(of raw: RawJob, _ settled: JobDefaults, _ zone: Zone) -> ClockRule? {
    guard let interval = raw.fields[.every]?.value?.duration else { return nil }
    let grid: LocalGrid
    if let text = raw.fields[.anchor]?.value?.text {
      guard let time = Self.timeOfDay(text), interval < .seconds(86_400) else { return nil }
      grid = LocalGrid(every: interval, from: time)
    } else if raw.fields[.align]?.value?.text == "local" {
      grid = LocalGrid(every: interval)
    } else {
      return nil
    }
    let dst = DSTChoice(gap: settled.dstGap, overlap: settled.dstOverlap)
    return ClockRule(.grid(Shared(grid)), zone: zone, dst: dst.policy(own: grid.ownDST))
  }

  /// `every` with `anchor`: a grid from one instant; nil for a daily grid, which is a rule of the
  /// clock.
  func anchored(_ every: KeyFields.Field, of raw: RawJob, in zone: Zone) -> Every? {
    let fields = raw.fields
    guard let field = fields[.anchor], let text = field.value?.text else { return nil }
    for other in [fields[.first], fields[.from], fields[.align], fields[.phase]].compactMap(\.self)
    {
      reporter.report(
        .conflictingKeys, at: max(field.keyMark, other.keyMark),
        "'\(JobKey.anchor)' and '\(other.name)' cannot be combined", hint: "remove one of them",
        owner: raw.owner)
    }
    guard let interval = every.value?.duration, let anchor = anchor(text, at: field.mark, zone, raw)
    else { return nil }
    switch anchor {
    case .instant(let instant):
      return Every(interval, from: .epoch, first: .milliseconds(instant.milliseconds))
    case .timeOfDay:
      if interval >= .seconds(86_400) {
        reporter.report(
          .outOfRange, at: every.mark,
          "an interval of \(DurationText.format(interval)) is too long to begin each day again",
          hint: "write an \(JobKey.anchor) with a date, or '\(JobKey.cron)' with '\(JobKey.nth)'",
          owner: raw.owner)
      }
      return nil
    }
  }

  private func anchor(_ text: String, at mark: YAMLMark, _ zone: Zone, _ raw: RawJob) -> Anchor? {
    if let time = Self.timeOfDay(text) { return .timeOfDay(time) }
    guard let read = try? InstantText(text) else {
      reporter.report(
        .badValue, at: mark,
        "'\(JobKey.anchor)' must be a time of day such as 08:00 or a date with a time of day such as "
          + "2026-01-05T08:00, not '\(text.shortened)'", owner: raw.owner)
      return nil
    }
    return instant(KeyValue.Located(value: .instant(read), mark: mark), in: zone).map(
      Anchor.instant)
  }

  /// Parses `08:00` or `08:00:30`; nil for anything else.
  private static func timeOfDay(_ text: String) -> Duration? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.count == 2 && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    guard numbers.count == parts.count, (2...3).contains(numbers.count), numbers[0] < 24,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    return .seconds(numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0))
  }
}
