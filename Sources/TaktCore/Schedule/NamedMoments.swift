/// Which moments a job has named as its slots, so that none gets a second slot when the wall clock
/// is set back.
///
/// A wall clock that is set back passes the same time again. Each pass has milliseconds of its own,
/// so that only the end of each has to be remembered: within a pass, names only go forward. Nearly
/// all jobs stay in the first pass, which has seven of eight milliseconds and all whole seconds.
struct NamedMoments: Hashable, Sendable {
  /// Of each pass the last moment that was named; `min` when there was none.
  private var ends: [ScheduleInstant] = []
  /// The moment of the present that was named last; `min` when there was none.
  private(set) var last = ScheduleInstant.min

  /// The clock may be set back by less than this without its moments being named again: the slots
  /// stay in order. What is further ahead is of a clock gone wrong. A day, in milliseconds.
  private static let orderKept: Int64 = 86_400_000
  private static let passesMax = 9

  init() {}

  /// As it was kept; what of `text` cannot be read is left out.
  ///
  /// - Parameter last: what was named last, which all versions have kept; nil when there was none.
  init(text: some StringProtocol, last: ScheduleInstant?) {
    for piece in text.split(separator: " ").prefix(Self.passesMax) {
      let end = Int64(piece).map { ScheduleInstant(milliseconds: $0) } ?? .min
      ends.append(Self.isSane(end) ? end : .min)
    }
    guard let last, Self.isSane(last) else { return }
    self.last = last
    if ends.isEmpty { ends = [last] }
  }

  /// What is remembered beside the last one, to be kept: the ends of all passes, unless there is
  /// one.
  var text: String {
    if ends == [last] { return "" }
    return ends.map { $0 == .min ? "-" : String($0.milliseconds) }.joined(separator: " ")
  }

  var isEmpty: Bool { ends.isEmpty }

  /// The first moment from `instant` on that a pass has which has not come so far.
  func free(from instant: ScheduleInstant) -> ScheduleInstant {
    if let pass = ends.firstIndex(where: { $0 < instant }) {
      return Self.first(of: pass, from: instant)
    }
    if ends.count < Self.passesMax { return Self.first(of: ends.count, from: instant) }
    // Wrong so often: the name is ahead, after the end of the pass that has come least far.
    let end = ends.min() ?? instant
    return Self.first(of: ends.firstIndex(of: end) ?? 0, from: end + 1)
  }

  /// The same for a moment of the present, which comes after the last one in any case, unless that
  /// is of a clock gone wrong.
  func present(at instant: ScheduleInstant) -> ScheduleInstant {
    let isBehind = instant <= last && last - instant < Self.orderKept
    return free(from: isBehind ? last + 1 : instant)
  }

  /// The present moment is named.
  mutating func name(_ instant: ScheduleInstant) {
    insert(instant)
    last = instant
  }

  /// A moment is named that is none of the present.
  mutating func insert(_ instant: ScheduleInstant) {
    let pass = Self.pass(of: instant)
    while ends.count <= pass { ends.append(.min) }
    ends[pass] = max(ends[pass], instant)
  }

  /// The pass that a millisecond belongs to: the last one of eight is for those after the first,
  /// each of which has one of eight of these.
  private static func pass(of instant: ScheduleInstant) -> Int {
    let (place, turn) = (instant.milliseconds & 7, instant.milliseconds >> 3 & 7)
    return place == 7 ? 1 + Int(turn) : 0
  }

  private static func first(of pass: Int, from instant: ScheduleInstant) -> ScheduleInstant {
    if pass == 0 { return self.pass(of: instant) == 0 ? instant : instant + 1 }
    return instant + ((Int64(pass - 1) << 3 | 7) - instant.milliseconds) & 63
  }

  /// Whether a clock can show it; one could not go on from other numbers.
  private static func isSane(_ instant: ScheduleInstant) -> Bool {
    instant.milliseconds.magnitude < Int64.max.magnitude / 1_000_000 - orderKept.magnitude
  }
}
