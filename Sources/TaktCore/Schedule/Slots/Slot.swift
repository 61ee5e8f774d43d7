package import TaktTime

/// The trigger that names a slot. A slot may have several.
package enum SlotCause: String, CaseIterable, Hashable, Comparable, Sendable {
  case every, cron, calendar, at, start, boot, reload, after, watch, rrule

  /// In the order in which causes are listed.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A nominal instant of a job: decided once in the job's life.
package struct Slot: Hashable, Sendable {
  /// The schedule's instant, in whole milliseconds; with the job's name, the slot's identity.
  package var nominal: WallInstant
  package var causes: SlotCauses
  /// The due time on the clock that timers follow: the nominal instant, plus `offset`.
  package var deadline: MonotonicInstant
  /// The delay by spread and jitter. Default zero.
  package var offset = Duration.zero
  /// The longest delay of the start: the leeway, cut so that it ends before the next slot.
  package var window = Duration.zero

  package var due: WallInstant { nominal + offset }

  var latestStart: MonotonicInstant { deadline + window }
}

/// Slots of one job that follow one another without a gap.
package struct SlotSeries: Hashable, Sendable {
  package var first: WallInstant
  package var last: WallInstant
  /// At least one.
  package var count: Int

  package init(first: WallInstant, last: WallInstant, count: Int) {
    self.first = first
    self.last = last
    self.count = count
  }

  package init(_ nominal: WallInstant) {
    self.init(first: nominal, last: nominal, count: 1)
  }
}

/// The triggers that name one slot: a set in one number, since each slot has one.
package struct SlotCauses: Hashable, Sendable, ExpressibleByArrayLiteral {
  private var bits: UInt16 = 0

  init() {}

  package init(arrayLiteral causes: SlotCause...) {
    for cause in causes { insert(cause) }
  }

  init(_ cause: SlotCause) { bits = Self.bit(of: cause) }

  package var isEmpty: Bool { bits == 0 }

  package mutating func insert(_ cause: SlotCause) { bits |= Self.bit(of: cause) }

  /// In the order in which causes are listed.
  package func sorted() -> [SlotCause] {
    SlotCause.allCases.filter { bits & Self.bit(of: $0) != 0 }.sorted()
  }

  /// `cron,every`
  var text: String { sorted().map(\.rawValue).joined(separator: ",") }

  private static func bit(of cause: SlotCause) -> UInt16 {
    let place: UInt16 =
      switch cause {
      case .every: 0
      case .cron: 1
      case .calendar: 2
      case .at: 3
      case .start: 4
      case .boot: 5
      case .reload: 6
      case .after: 7
      case .watch: 8
      case .rrule: 9
      }
    return 1 << place
  }
}

extension SlotSeries {
  /// Series in their order, cut where a single slot is between the slots of another, so that none
  /// reaches over another's slots.
  ///
  /// - Parameters:
  ///   - slot: one more slot that none may reach over.
  ///   - instantSet: the set that a series is a part of.
  static func disjoint(
    _ all: [SlotSeries], from slot: WallInstant? = nil, on instantSet: (SlotSeries) -> InstantSet
  ) -> [SlotSeries] {
    let singles = all.filter { $0.count == 1 }.map(\.first) + [slot].compactMap(\.self)
    guard all.contains(where: { $0.count > 1 }), !singles.isEmpty else {
      return all.sorted { $0.first < $1.first }
    }
    let cuts = singles.sorted()
    return all.flatMap { series -> [SlotSeries] in
      guard series.count > 1 else { return [series] }
      let instantSet = instantSet(series)
      var pieces: [SlotSeries] = []
      var rest: SlotSeries? = series
      for cut in cuts {
        guard let piece = rest else { break }
        let (before, after) = instantSet.split(piece, before: ScheduleInstant(cut))
        pieces += [before].compactMap(\.self)
        rest = after
      }
      return pieces + [rest].compactMap(\.self)
    }.sorted { $0.first < $1.first }
  }
}
