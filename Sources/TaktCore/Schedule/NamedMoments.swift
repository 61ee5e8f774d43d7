/// Which moments a job has named as its slots, so that none gets a second slot when the wall clock
/// is set back.
///
/// They are kept as runs, which is one for most jobs. When there are more than `runsMax`, the two
/// that are nearest to each other become one: nothing is forgotten, but what lies between them counts
/// as named.
struct NamedMoments: Hashable, Sendable {
  /// From a moment that was named through another one, with all between them.
  private struct Run: Hashable, Sendable {
    var first: ScheduleInstant
    var last: ScheduleInstant
  }

  /// In order, and apart from one another.
  private var runs: [Run] = []
  /// The one that was named last; `min` when there was none.
  private(set) var last = ScheduleInstant.min

  /// The clock may be set back by less than this without its moments coming again: the slots stay
  /// in order. What is further ahead is of a clock gone wrong. A day, in milliseconds.
  private static let orderKept: Int64 = 86_400_000
  /// A run ends where nothing has been named for longer. An hour, in milliseconds.
  private static let gapMax: Int64 = 3_600_000
  private static let runsMax = 8

  init() {}

  /// As it was kept; what of `text` cannot be read is left out.
  ///
  /// - Parameter last: what was named last, which all versions have kept; nil when there was none.
  init(text: some StringProtocol, last: ScheduleInstant?) {
    for piece in text.split(separator: " ") {
      let ends = piece.split(separator: "+").compactMap { Int64($0) }
        .map { ScheduleInstant(milliseconds: $0) }
      guard ends.count == 2, ends.allSatisfy(Self.isSane), ends[1] >= 0 else { continue }
      let run = Run(first: ends[0], last: ends[0] + ends[1].milliseconds)
      if runs.count == Self.runsMax { break }
      if run.first > runs.last?.last ?? .min { runs.append(run) }
    }
    guard let last, Self.isSane(last) else { return }
    self.last = last
    // Earlier versions have kept no runs.
    if runs.isEmpty { runs = [Run(first: last - Self.orderKept, last: last)] }
  }

  /// What is remembered, to be kept: of each run its first moment and its length.
  var text: String {
    runs.map { "\($0.first.milliseconds)+\($0.last - $0.first)" }.joined(separator: " ")
  }

  var isEmpty: Bool { runs.isEmpty }

  /// The first moment from `instant` on that was surely not named.
  func free(from instant: ScheduleInstant) -> ScheduleInstant {
    var free = instant
    for run in runs where run.first <= free && free <= run.last { free = run.last + 1 }
    return free
  }

  /// The same for a moment of the present, which comes after the last one in any case, unless that
  /// is of a clock gone wrong.
  func present(at instant: ScheduleInstant) -> ScheduleInstant {
    let isBehind = instant <= last && last - instant < Self.orderKept
    return free(from: isBehind ? last + 1 : instant)
  }

  /// The present moment is named.
  mutating func name(_ instant: ScheduleInstant) {
    last = instant
    if let index = runs.lastIndex(where: { $0.last < instant }),
      instant - runs[index].last <= Self.gapMax, free(from: instant) == instant
    {
      runs[index].last = instant
    } else {
      insert(instant)
    }
  }

  /// A moment is named that is none of the present.
  mutating func insert(_ instant: ScheduleInstant) {
    guard free(from: instant) == instant else { return }
    let index = runs.firstIndex { $0.first > instant } ?? runs.endIndex
    runs.insert(Run(first: instant, last: instant), at: index)
    if runs.count > Self.runsMax { joinNearest() }
  }

  private mutating func joinNearest() {
    let gaps = zip(runs, runs.dropFirst()).map { $1.first - $0.last }
    guard let least = gaps.min(), let index = gaps.firstIndex(of: least) else { return }
    runs[index].last = runs.remove(at: index + 1).last
  }

  /// Whether a clock can show it; other numbers could not be added.
  private static func isSane(_ instant: ScheduleInstant) -> Bool {
    instant.milliseconds.magnitude < 1 << 52
  }
}
