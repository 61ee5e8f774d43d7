package import TaktTime

/// Why a slot stands where it stands. A slot may have several causes.
package enum SlotCause: String, CaseIterable, Hashable, Comparable, Sendable {
  case every, cron, calendar, at, start, boot, reload, after, watch

  /// In the order in which causes are listed.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A nominal instant of a job: decided once in the job's life.
package struct Slot: Hashable, Sendable {
  /// What the schedule says, in whole milliseconds; with the job's name, the slot's identity.
  package var nominal: WallInstant
  /// The triggers that name this instant.
  package var causes: SlotCauses
  /// When it is due on the clock that timers follow: the nominal instant, and `offset` more.
  package var deadline: MonotonicInstant
  /// How far spread and jitter put it off. Default zero.
  package var offset = Duration.zero
  /// How late it may start: the leeway, cut so that it ends before the next slot.
  package var window: Duration

  init(
    nominal: WallInstant, causes: SlotCauses, deadline: MonotonicInstant,
    window: Duration = .zero
  ) {
    self.nominal = nominal
    self.causes = causes
    self.deadline = deadline
    self.window = window
  }

  /// When it is due.
  package var due: WallInstant { nominal + offset }

  var latestStart: MonotonicInstant { deadline + window }
}

/// Slots of one job that follow one another without a gap.
package struct SlotSeries: Hashable, Sendable {
  /// The earliest nominal instant.
  package var first: WallInstant
  /// The latest nominal instant.
  package var last: WallInstant
  /// How many there are; at least one.
  package var count: Int

  /// The slots from `first` to `last`.
  package init(first: WallInstant, last: WallInstant, count: Int) {
    self.first = first
    self.last = last
    self.count = count
  }

  /// One slot.
  package init(_ nominal: WallInstant) {
    self.init(first: nominal, last: nominal, count: 1)
  }
}
