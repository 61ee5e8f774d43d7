package import TaktTime

/// A forecast of a job's slots in a future range, as if nothing happened until then.
package struct SlotForecast: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var nominal: WallInstant
    package var due: WallInstant
    /// The most that its start may be delayed.
    package var window: Duration
    package var causes: [SlotCause]
    /// True if `except` leaves it out.
    package var isExcluded: Bool
    /// True if the job has reached its limit by then.
    package var isBeyondLimit: Bool

    package init(
      nominal: WallInstant, due: WallInstant, window: Duration, causes: [SlotCause],
      isExcluded: Bool, isBeyondLimit: Bool
    ) {
      self.nominal = nominal
      self.due = due
      self.window = window
      self.causes = causes
      self.isExcluded = isExcluded
      self.isBeyondLimit = isBeyondLimit
    }
  }

  /// The most slots foreseen.
  package static let entriesMax = 5
  /// The most slots counted to find out if a job's `limit` is reached by then.
  private static let countedMax = 100_000

  /// The first slots of the range, in order.
  package var entries: [Entry]
  /// False if the file disables the job.
  package var isEnabled: Bool
  /// Nil without a limit.
  package var limit: Int?
  package var isLimitReached: Bool
  package var overlap: Overlap
  /// The next slot from now on; nil if there is none.
  package var next: WallInstant?
  /// The first slot at or after the start of the range that is not left out; nil if there is none.
  package var later: WallInstant?
  package var scheduleWords: [String]
  /// True if slots may come that depend on an event.
  package var hasUnforeseen: Bool
  /// True if `only_if` decides at each slot.
  package var hasCondition: Bool

  package init(
    entries: [Entry], isEnabled: Bool, limit: Int?, isLimitReached: Bool, overlap: Overlap,
    next: WallInstant?, later: WallInstant?, scheduleWords: [String], hasUnforeseen: Bool,
    hasCondition: Bool
  ) {
    self.entries = entries
    self.isEnabled = isEnabled
    self.limit = limit
    self.isLimitReached = isLimitReached
    self.overlap = overlap
    self.next = next
    self.later = later
    self.scheduleWords = scheduleWords
    self.hasUnforeseen = hasUnforeseen
    self.hasCondition = hasCondition
  }
}

extension SlotForecast {
  /// Foresees the slots from `first` on and before `end`.
  ///
  /// - Parameter previous: the job's position; nil for one that takt loads for the first time.
  package init(
    of spec: JobSpec, after previous: PreviousJob?, from first: WallInstant, to end: WallInstant,
    at now: Now
  ) {
    let schedule = spec.timing.schedule
    func slots(isExcluding: Bool) -> [Slot] {
      var spec = spec
      // They are counted separately.
      spec.timing.schedule.limit = nil
      if !isExcluding {
        spec.timing.schedule.exclusions = []
        spec.timing.schedule.calendars = nil
      }
      let start = first - .milliseconds(1)
      let then = Now(wall: start, monotonic: now.monotonic + (start - now.wall))
      return SlotPreview.slots(
        of: spec, after: previous, startingAt: then, count: Self.entriesMax
      ).filter { $0.nominal >= first }
    }
    let left = schedule.limit.map { $0 - (previous?.checkpoint.ranCount ?? 0) }
    let found = slots(isExcluding: false).prefix { $0.nominal < end }
    let kept = slots(isExcluding: true)
    var last: WallInstant?
    if let left, (1...Self.countedMax).contains(left), !found.isEmpty {
      last =
        SlotPreview.slots(of: spec, after: previous, startingAt: now, count: left).last?.nominal
    }
    let isLimitReached = left.map { $0 <= 0 } ?? false
    let keptInstants = Set(kept.map(\.nominal))
    self.init(
      entries: found.map { slot in
        Entry(
          nominal: slot.nominal, due: slot.due, window: slot.window,
          causes: slot.causes.sorted(), isExcluded: !keptInstants.contains(slot.nominal),
          isBeyondLimit: isLimitReached || last.map { $0 < slot.nominal } ?? false)
      },
      isEnabled: spec.timing.isEnabled, limit: schedule.limit, isLimitReached: isLimitReached,
      overlap: spec.overlap,
      next: SlotPreview.slots(of: spec, after: previous, startingAt: now, count: 1).first?.nominal,
      later: kept.first?.nominal, scheduleWords: schedule.words,
      hasUnforeseen: schedule.hasUnforeseen,
      hasCondition: spec.hasCondition)
  }
}

/// The input to foresee slots of a running job, away from the scheduler.
package struct SlotForecastInput: Sendable {
  let spec: JobSpec
  let previous: PreviousJob
  let now: Now

  package func forecast(from first: WallInstant, to end: WallInstant) -> SlotForecast {
    SlotForecast(of: spec, after: previous, from: first, to: end, at: now)
  }
}
