/// Why a slot stands where it stands. A slot may have several causes.
public enum SlotCause: String, CaseIterable, Hashable, Comparable, Sendable {
  case every, cron, calendar, at, start, boot, reload, after, watch

  /// In the order in which causes are listed.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A nominal instant of a job: decided once in the job's life.
public struct Slot: Hashable, Sendable {
  /// What the schedule says, in whole milliseconds; with the job's name, the slot's identity.
  public var nominal: WallInstant
  /// The triggers that name this instant.
  public var causes: SlotCauses
  /// When it is due on the clock that timers follow: the nominal instant, and `offset` more.
  public var deadline: MonotonicInstant
  /// How far spread and jitter put it off. Default zero.
  public var offset = Duration.zero
  /// How late it may start: the leeway, cut so that it ends before the next slot.
  public var window: Duration

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
  public var due: WallInstant { nominal + offset }

  var latestStart: MonotonicInstant { deadline + window }
}

/// Slots of one job that follow one another without a gap.
public struct SlotSeries: Hashable, Sendable {
  /// The earliest nominal instant.
  public var first: WallInstant
  /// The latest nominal instant.
  public var last: WallInstant
  /// How many there are; at least one.
  public var count: Int

  /// The slots from `first` to `last`.
  public init(first: WallInstant, last: WallInstant, count: Int) {
    self.first = first
    self.last = last
    self.count = count
  }

  /// One slot.
  public init(_ nominal: WallInstant) {
    self.init(first: nominal, last: nominal, count: 1)
  }
}
