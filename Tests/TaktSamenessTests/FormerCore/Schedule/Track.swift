import TaktTime

/// The instants of one axis, in milliseconds: a grid, times of the clock, single instants, or all of
/// them.
struct Track: Hashable, Sendable {
  /// `origin + k · interval`.
  struct Grid: Hashable, Sendable {
    var origin: Int64
    var interval: Int64

    func next(after mark: Int64) -> Int64 {
      origin + ((mark - origin).flooredQuotient(by: interval) + 1) * interval
    }

    func contains(_ label: Int64) -> Bool {
      (label - origin).flooredRemainder(by: interval) == 0
    }
  }

  var grid: Grid?
  var rules: [ClockRule] = []
  /// Ascending.
  var instants: [Int64] = []
  /// Only instants from here on count.
  var lowest = Int64.min
  /// Only instants up to here count.
  var highest = Int64.max

  var isEmpty: Bool { grid == nil && rules.isEmpty && instants.isEmpty }

  /// The earliest instant after `mark`; nil when there is none.
  func next(after mark: Int64) -> Int64? {
    let mark = mark < lowest ? lowest - 1 : mark
    var earliest = instants.first { $0 > mark }
    if let grid { earliest = Self.earlier(earliest, grid.next(after: mark)) }
    for rule in rules { earliest = Self.earlier(earliest, rule.next(after: mark)) }
    return earliest.flatMap { $0 <= highest ? $0 : nil }
  }

  private static func earlier(_ left: Int64?, _ right: Int64?) -> Int64? {
    guard let left, let right else { return left ?? right }
    return min(left, right)
  }

  func has(_ label: Int64) -> Bool {
    lowest <= label && label <= highest
      && (instants.contains(label) || grid?.contains(label) == true
        || rules.contains { $0.has(label) })
  }

  /// All instants after `mark` up to and with `end`: those that a grid or the clock names in one
  /// piece, however many they are; beside a grid alone each single one by itself.
  func pieces(after mark: Int64, through end: Int64) -> [SlotSeries] {
    let (mark, end) = clamped(mark, end)
    if !rules.isEmpty {
      // Mostly there is one, or none.
      guard let first = next(after: mark), first <= end else { return [] }
      guard let second = next(after: first), second <= end else {
        return [SlotSeries(WallInstant(milliseconds: first))]
      }
      return [series(after: mark, through: end)].compactMap(\.self)
    }
    var pieces = [gridSeries(after: mark, through: end)].compactMap(\.self)
    for label in instants where label > mark && label <= end && grid?.contains(label) != true {
      pieces.append(SlotSeries(WallInstant(milliseconds: label)))
    }
    return pieces
  }

  private func clamped(_ mark: Int64, _ end: Int64) -> (mark: Int64, end: Int64) {
    (mark < lowest ? lowest - 1 : mark, min(end, highest))
  }

  private func gridSeries(after mark: Int64, through end: Int64) -> SlotSeries? {
    guard let grid, case let first = grid.next(after: mark), first <= end else { return nil }
    let steps = (end - first) / grid.interval
    return SlotSeries(
      first: WallInstant(milliseconds: first),
      last: WallInstant(milliseconds: first + steps * grid.interval), count: Int(steps) + 1)
  }

  /// All instants after `mark` up to and with `end` as one series; nil when there are none.
  func series(after mark: Int64, through end: Int64) -> SlotSeries? {
    let (mark, end) = clamped(mark, end)
    if rules.isEmpty, instants.isEmpty { return gridSeries(after: mark, through: end) }
    guard let first = next(after: mark), first <= end else { return nil }
    if grid == nil, instants.isEmpty, rules.count == 1 {
      let last = rules[0].last(after: first - 1, through: end) ?? first
      return SlotSeries(
        first: WallInstant(milliseconds: first), last: WallInstant(milliseconds: last),
        count: rules[0].count(after: first - 1, through: last))
    }
    // What several name is one slot: they are gone through one by one.
    var (last, count) = (first, 1)
    while let label = next(after: last), label <= end { (last, count) = (label, count + 1) }
    return SlotSeries(
      first: WallInstant(milliseconds: first), last: WallInstant(milliseconds: last), count: count)
  }

  /// What it costs to count its instants, compared with going through them one by one.
  enum CountingCost {
    /// Nothing, however many they are: those of a grid.
    case none
    /// Little over years: of one cron expression whole days are counted, but for those near a change
    /// of the clocks.
    case ofDays
    /// As much as going through them.
    case ofEach
  }

  var countingCost: CountingCost {
    guard instants.isEmpty else { return .ofEach }
    if rules.isEmpty { return .none }
    guard grid == nil, rules.count == 1, case .cron = rules[0].expression else { return .ofEach }
    return .ofDays
  }

  /// The last instant before `label` and after `mark`; nil when there is none.
  private func last(after mark: Int64, before label: Int64) -> Int64? {
    series(after: mark, through: label - 1)?.last.milliseconds
  }
}

extension Schedule {
  var wallTrack: Track {
    let every = every.flatMap { $0.origin == .epoch ? $0 : nil }
    return bounded(
      Track(
        grid: every.map { Track.Grid(origin: 0, interval: $0.intervalMilliseconds) },
        rules: rules, instants: at.map(\.milliseconds)))
  }

  func bounded(_ track: Track) -> Track {
    var track = track
    if let notBefore { track.lowest = notBefore.milliseconds }
    if let until { track.highest = until.milliseconds }
    return track
  }
}

// MARK: - Pieces

extension Track {
  /// The slots of a series before an instant, and those from it on.
  func split(_ series: SlotSeries, before label: Int64) -> (before: SlotSeries?, after: SlotSeries?)
  {
    let (first, last) = (series.first.milliseconds, series.last.milliseconds)
    if label <= first { return (nil, series) }
    if label > last { return (series, nil) }
    // Beside a grid alone single instants are no part of its series.
    let piece = rules.isEmpty ? gridSeries : self.series
    return (piece(first - 1, label - 1), piece(label - 1, last))
  }

  /// The pieces without some of their instants: cut where one is missing.
  func pieces(_ pieces: [SlotSeries], without labels: [Int64]) -> [SlotSeries] {
    labels.reduce(pieces) { pieces, label in
      pieces.flatMap { piece -> [SlotSeries] in
        let instant = WallInstant(milliseconds: label)
        guard piece.first <= instant, instant <= piece.last, has(label) else { return [piece] }
        guard piece.count > 1 else { return [] }
        return [split(piece, before: label).before, split(piece, before: label + 1).after]
          .compactMap(\.self)
      }
    }
  }

  /// The newest slots of a series, the newest first, and what is left of it without them.
  func takeNewest(_ wanted: Int, of series: SlotSeries) -> (rest: SlotSeries?, newest: [Int64]) {
    var rest: SlotSeries? = series
    var newest: [Int64] = []
    while newest.count < wanted, let piece = rest {
      let label = piece.last.milliseconds
      newest.append(label)
      rest = piece.count > 1 ? split(piece, before: label).before : nil
    }
    return (rest, newest)
  }
}
