/// The instants that a job has named as its slots for events, so that none gets a second slot when
/// the wall clock is set back.
///
/// A wall clock that is set back passes the same time again. Each pass has milliseconds of its own,
/// so that only the end of each must be remembered: within a pass, names only go forward, except
/// for slots that are due later (`CursorMemory.named`). Nearly all jobs stay in the first pass,
/// which has six of eight milliseconds and all whole seconds.
struct NamedMoments: Hashable, Sendable {
  /// Of each pass the moment up to which all count as named; `min` when none does.
  private var ends: [ScheduleInstant] = []
  /// The moment of the present that was named last; `min` when there was none.
  private(set) var last = ScheduleInstant.min

  /// After a step back by less than this, slots follow the last one. Anything further ahead is from
  /// a clock that was wrong. A day, in milliseconds.
  private static let orderKept: Int64 = 86_400_000
  private static let passesMax = 10

  init() {}

  /// From the text in the ledger, without its unreadable parts.
  ///
  /// - Parameter last: the last named instant, which all versions have kept; nil if there was none.
  init(text: some StringProtocol, last: ScheduleInstant?) {
    for piece in text.split(separator: " ").prefix(Self.passesMax) {
      let end = Int64(piece).map { ScheduleInstant(milliseconds: $0) } ?? .min
      ends.append(Self.isSane(end) ? end : .min)
    }
    guard let last, Self.isSane(last) else { return }
    self.last = last
    if ends.allSatisfy({ $0 == .min }) { ends = [last] }
  }

  /// The form in the ledger, in addition to the last one; empty if that is the only end.
  var text: String {
    if ends == [last] { return "" }
    return ends.map { $0 == .min ? "-" : String($0.milliseconds) }.joined(separator: " ")
  }

  var isEmpty: Bool { ends.isEmpty && last == .min }

  /// A moment that was not named: of the first pass that has not come as far as `instant`, the next
  /// one from there on.
  ///
  /// Where all passes have come further, it is behind the end of one, if that is near. Else all is
  /// forgotten: a slot near its time is worth more than one that surely has no other of its name.
  mutating func free(from instant: ScheduleInstant) -> ScheduleInstant {
    if let pass = ends.firstIndex(where: { $0 < instant }) {
      return Self.first(of: pass, from: instant)
    }
    if ends.count < Self.passesMax { return Self.first(of: ends.count, from: instant) }
    if let (pass, end) = ends.enumerated().min(by: { $0.element < $1.element }),
      end - instant < Self.orderKept
    {
      return Self.first(of: pass, from: end + 1)
    }
    ends = []
    return Self.first(of: 0, from: instant)
  }

  /// The same for a moment of the present, which comes after the last one, unless that is of a clock
  /// gone wrong.
  mutating func present(at instant: ScheduleInstant) -> ScheduleInstant {
    let isBehind = instant <= last && last - instant < Self.orderKept
    return free(from: isBehind ? last + 1 : instant)
  }

  mutating func name(_ instant: ScheduleInstant) {
    close(instant)
    last = instant
  }

  /// All moments of its pass up to this one count as named.
  mutating func close(_ instant: ScheduleInstant) {
    let pass = Self.pass(of: instant)
    while ends.count <= pass { ends.append(.min) }
    ends[pass] = max(ends[pass], instant)
  }

  /// The milliseconds that `close` would take from the pass of an instant.
  func loss(closing instant: ScheduleInstant) -> Int64 {
    let pass = Self.pass(of: instant)
    guard pass < ends.count, ends[pass] != .min else { return .max }
    return max(0, instant - ends[pass])
  }

  /// The pass that a millisecond belongs to, by its place among eight: the last but one is for the
  /// second pass, the last one for those after it in turn.
  private static func pass(of instant: ScheduleInstant) -> Int {
    switch instant.milliseconds & 7 {
    case 7: 2 + Int(instant.milliseconds >> 3 & 7)
    case 6: 1
    default: 0
    }
  }

  private static func first(of pass: Int, from instant: ScheduleInstant) -> ScheduleInstant {
    let milliseconds = instant.milliseconds
    return switch pass {
    case 0: self.pass(of: instant) == 0 ? instant : instant + (8 - milliseconds & 7)
    case 1: instant + (6 - milliseconds) & 7
    default: instant + ((Int64(pass - 2) << 3 | 7) - milliseconds) & 63
    }
  }

  /// True if a clock can show it; other numbers have no next instant.
  private static func isSane(_ instant: ScheduleInstant) -> Bool {
    instant.milliseconds.magnitude < Int64.max.magnitude / 1_000_000 - orderKept.magnitude
  }
}
