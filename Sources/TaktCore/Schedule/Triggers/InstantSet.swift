import TaktTime

/// The instants of one timeline: a grid, times of the clock, single instants, or all of
/// them.
struct InstantSet: Hashable, Sendable {
  /// `origin + k · interval`.
  struct Grid: Hashable, Sendable {
    var origin: ScheduleInstant
    var interval: Int64

    func next(after mark: ScheduleInstant) -> ScheduleInstant {
      origin + ((mark - origin).flooredQuotient(by: interval) + 1) * interval
    }

    func contains(_ instant: ScheduleInstant) -> Bool {
      (instant - origin).flooredRemainder(by: interval) == 0
    }
  }

  var grid: Grid?
  var rules: [ClockRule] = []
  /// Ascending.
  var instants: [ScheduleInstant] = []
  /// Only instants from here on count.
  var lowest = ScheduleInstant.min
  /// Only instants up to here count.
  var highest = ScheduleInstant.max

  var isEmpty: Bool { grid == nil && rules.isEmpty && instants.isEmpty }

  /// The earliest instant after `mark`; nil when there is none.
  func next(after mark: ScheduleInstant) -> ScheduleInstant? {
    let mark = mark < lowest ? lowest - 1 : mark
    var earliest = instants.first { $0 > mark }
    if let grid { earliest = Self.earlier(earliest, grid.next(after: mark)) }
    for rule in rules { earliest = Self.earlier(earliest, rule.next(after: mark)) }
    return earliest.flatMap { $0 <= highest ? $0 : nil }
  }

  private static func earlier(_ left: ScheduleInstant?, _ right: ScheduleInstant?)
    -> ScheduleInstant?
  {
    guard let left, let right else { return left ?? right }
    return min(left, right)
  }

  func has(_ instant: ScheduleInstant) -> Bool {
    lowest <= instant && instant <= highest
      && (instants.contains(instant) || grid?.contains(instant) == true
        || rules.contains { $0.has(instant) })
  }

  /// All instants after `mark` up to and with `end`: those that a grid or the clock names in one
  /// piece, however many they are; beside a grid alone each single one by itself.
  func pieces(after mark: ScheduleInstant, through end: ScheduleInstant) -> [SlotSeries] {
    let (mark, end) = clamped(mark, end)
    if !rules.isEmpty {
      // Mostly there is one, or none.
      guard let first = next(after: mark), first <= end else { return [] }
      guard let second = next(after: first), second <= end else {
        return [SlotSeries(first)]
      }
      return [series(after: mark, through: end)].compactMap(\.self)
    }
    var pieces = [gridSeries(after: mark, through: end)].compactMap(\.self)
    for instant in instants
    where instant > mark && instant <= end && grid?.contains(instant) != true {
      pieces.append(SlotSeries(instant))
    }
    return pieces
  }

  private func clamped(_ mark: ScheduleInstant, _ end: ScheduleInstant) -> (
    mark: ScheduleInstant, end: ScheduleInstant
  ) {
    (mark < lowest ? lowest - 1 : mark, min(end, highest))
  }

  private func gridSeries(after mark: ScheduleInstant, through end: ScheduleInstant) -> SlotSeries?
  {
    guard let grid, case let first = grid.next(after: mark), first <= end else { return nil }
    let steps = (end - first) / grid.interval
    return SlotSeries(
      first: first, last: first + steps * grid.interval, count: Int(steps) + 1)
  }

  /// All instants after `mark` up to and with `end` as one series; nil when there are none.
  func series(after mark: ScheduleInstant, through end: ScheduleInstant) -> SlotSeries? {
    let (mark, end) = clamped(mark, end)
    if rules.isEmpty, instants.isEmpty { return gridSeries(after: mark, through: end) }
    guard let first = next(after: mark), first <= end else { return nil }
    if grid == nil, instants.isEmpty, rules.count == 1 {
      let last = rules[0].last(after: first - 1, through: end) ?? first
      return SlotSeries(
        first: first, last: last,
        count: rules[0].count(after: first - 1, through: last))
    }
    // What several name is one slot: they are gone through one by one.
    var (last, count) = (first, 1)
    while let instant = next(after: last), instant <= end {
      (last, count) = (instant, count + 1)
    }
    return SlotSeries(first: first, last: last, count: count)
  }

  /// The cost of counting its instants, compared with visiting them one by one.
  enum CountingCost {
    /// None, however many they are: those of a grid.
    case none
    /// Little over years: of one cron expression whole days are counted, except those near a clock
    /// change.
    case ofDays
    /// As much as a visit to each instant.
    case ofEach
  }

  var countingCost: CountingCost {
    guard instants.isEmpty else { return .ofEach }
    if rules.isEmpty { return .none }
    guard grid == nil, rules.count == 1, case .cron = rules[0].expression else { return .ofEach }
    return .ofDays
  }
}

extension Schedule {
  var wallInstantSet: InstantSet {
    let every = every.flatMap { $0.origin == .epoch ? $0 : nil }
    return bounded(
      InstantSet(
        grid: every.map {
          InstantSet.Grid(origin: $0.wallOrigin, interval: $0.intervalMilliseconds)
        },
        rules: rules, instants: at.map { ScheduleInstant($0) }))
  }

  func bounded(_ instantSet: InstantSet) -> InstantSet {
    var instantSet = instantSet
    if let notBefore { instantSet.lowest = ScheduleInstant(notBefore) }
    if let until { instantSet.highest = ScheduleInstant(until) }
    return instantSet
  }
}

extension InstantSet {
  /// The slots of a series before an instant, and those from it on.
  func split(_ series: SlotSeries, before instant: ScheduleInstant) -> (
    before: SlotSeries?, after: SlotSeries?
  ) {
    let (first, last) = (ScheduleInstant(series.first), ScheduleInstant(series.last))
    if instant <= first { return (nil, series) }
    if instant > last { return (series, nil) }
    // Beside a grid alone single instants are no part of its series.
    let piece = rules.isEmpty ? gridSeries : self.series
    return (piece(first - 1, instant - 1), piece(instant - 1, last))
  }

  /// The pieces without some of their instants: cut where one is missing.
  func pieces(_ pieces: [SlotSeries], without instants: [ScheduleInstant]) -> [SlotSeries] {
    instants.reduce(pieces) { pieces, instant in
      pieces.flatMap { piece -> [SlotSeries] in
        let wall = WallInstant(instant)
        guard piece.first <= wall, wall <= piece.last, has(instant) else {
          return [piece]
        }
        guard piece.count > 1 else { return [] }
        return [
          split(piece, before: instant).before, split(piece, before: instant + 1).after,
        ]
        .compactMap(\.self)
      }
    }
  }

  /// The newest slots of a series, the newest first, and what is left of it without them.
  func splitNewest(_ wanted: Int, of series: SlotSeries) -> (
    rest: SlotSeries?, newest: [ScheduleInstant]
  ) {
    var rest: SlotSeries? = series
    var newest: [ScheduleInstant] = []
    while newest.count < wanted, let piece = rest {
      let instant = ScheduleInstant(piece.last)
      newest.append(instant)
      rest = piece.count > 1 ? split(piece, before: instant).before : nil
    }
    return (rest, newest)
  }
}
