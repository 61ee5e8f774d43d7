import TaktTime

extension Leeway {
  fileprivate var words: String {
    switch self {
    case .duration(let duration): DurationText.format(duration)
    case .percent(let percent): "\(percent)%"
    }
  }
}

extension Timing {
  /// In the order in which they are shown.
  static let keys: [JobKey] = [
    .every, .first, .from, .align, .anchor, .phase, .cron, .calendar, .rrule, .at, .on, .after,
    .watch, .notBefore,
    .until, .limit, .except, .onlyOn, .onExcluded, .spread, .jitter, .leeway, .enabled,
  ]
}

extension JobKey {
  package static let every = JobKey("every") {
    $0.timing.schedule.every.map { DurationText.format($0.interval) }
      ?? $0.timing.schedule.localGrid.map { DurationText.format($0.grid.interval) }
  }
  package static let first = JobKey("first") {
    $0.timing.schedule.every?.delay.map(DurationText.format)
  }
  package static let from = JobKey("from") {
    $0.timing.schedule.every?.origin == .end ? "end" : nil
  }
  package static let align = JobKey("align") {
    if let (grid, zone) = $0.timing.schedule.localGrid, grid.timeOfDay == nil {
      return "local in \(zone.name)"
    }
    guard let every = $0.timing.schedule.every, every.origin == .epoch else { return nil }
    return every.first == nil ? "epoch" : nil
  }
  package static let anchor = JobKey("anchor") {
    if let (grid, zone) = $0.timing.schedule.localGrid, let time = grid.timeOfDay {
      return "\(LocalGrid.clock(time)) each day in \(zone.name)"
    }
    guard let every = $0.timing.schedule.every, every.origin == .epoch, every.first != nil else {
      return nil
    }
    return WallInstant(every.wallOrigin).rfc3339()
  }
  package static let phase = JobKey("phase") { $0.timing.schedule.every?.phase.rawValue }
  package static let cron = JobKey("cron") { list($0.timing.schedule.rules.of(.cron)) }
  package static let calendar = JobKey("calendar") { list($0.timing.schedule.rules.of(.calendar)) }
  package static let rrule = JobKey("rrule") { list($0.timing.schedule.rules.of(.rrule)) }
  package static let nth = JobKey(partOfAnother: "nth")
  package static let workingDay = JobKey(partOfAnother: "working_day")
  package static let days = JobKey(partOfAnother: "days")
  package static let dst = JobKey(partOfAnother: "dst")
  package static let timezone = JobKey(partOfAnother: "timezone")
  package static let at = JobKey("at") { list($0.timing.schedule.at.map { $0.rfc3339() }) }
  package static let on = JobKey("on") { list($0.timing.schedule.lifecycleWords) }
  package static let after = JobKey("after") {
    list(
      $0.timing.schedule.after.sorted().map { "\($0.job) on \($0.condition.rawValue)" }
        + [$0.timing.schedule.afterAll.map { "all of \($0.summary)" }])
  }
  package static let watch = JobKey("watch") {
    list(
      $0.timing.schedule.watch.sorted().map(\.words))
  }
  package static let notBefore = JobKey("not_before") { $0.timing.schedule.notBefore?.rfc3339() }
  package static let until = JobKey("until") { $0.timing.schedule.until?.rfc3339() }
  package static let limit = JobKey("limit") { $0.timing.schedule.limit.map(String.init) }
  package static let except = JobKey("except") {
    list(
      $0.timing.schedule.exclusions.map(\.identifyingWords)
        + ($0.timing.schedule.calendars?.exceptWords ?? []))
  }
  package static let onlyOn = JobKey("only_on") {
    list($0.timing.schedule.calendars?.onlyOnWords ?? [])
  }
  package static let onExcluded = JobKey("on_excluded") {
    $0.timing.schedule.calendars?.direction?.rawValue
  }
  package static let spread = JobKey("spread") {
    $0.timing.spread.map {
      "over \(DurationText.format($0.over)), by \($0.seed.contains("@") ? "host" : "job")"
    }
  }
  package static let jitter = JobKey("jitter") {
    $0.timing.jitter == .zero ? nil : DurationText.format($0.timing.jitter)
  }
  package static let leeway = JobKey("leeway") { $0.timing.leeway.words }
  package static let enabled = JobKey("enabled") { String($0.timing.isEnabled) }
}

extension Schedule {
  /// The first zone of its times and days that is another one there.
  func firstZone(otherThanIn other: Schedule) -> Zone? {
    for (rule, its) in zip(rules, other.rules) where rule.zone != its.zone { return rule.zone }
    for (one, its) in zip(exclusions, other.exclusions) where one.zone != its.zone {
      return one.zone
    }
    guard let zone = calendars?.zone, let its = other.calendars?.zone, zone != its else {
      return nil
    }
    return zone
  }

  /// The grid of local times that `every` has made, and its zone.
  fileprivate var localGrid: (grid: LocalGrid, zone: Zone)? {
    for rule in rules {
      if case .grid(let grid) = rule.expression.unfiltered { return (grid.value, rule.zone) }
    }
    return nil
  }
}

extension [ClockRule] {
  fileprivate func of(_ cause: SlotCause) -> [String] {
    filter { $0.cause == cause }.map { rule in
      var words = "\(rule.text) in \(rule.zone.name)"
      if case .cron(let cron, let days) = rule.expression.unfiltered, cron.hasBothDayFields {
        words += ", days \(days.rawValue)"
      }
      if let nth = rule.expression.filter?.nthText { words += ", nth \(nth)" }
      if let day = rule.expression.filter?.workingDay { words += ", working_day \(day)" }
      if let holidays = rule.expression.filter?.holidayWords { words += ", without \(holidays)" }
      return words + ", gap \(rule.dst.gap.rawValue), overlap \(rule.dst.overlap.rawValue)"
    }
  }
}
