package import TaktTime

/// Past and future runs of all jobs in a range, in the order of time.
package struct Agenda: Hashable, Sendable {
  /// A job with more slots than this in the past, or in the future, has one entry for all of them.
  package static let slotsShown = 24
  /// The most moves listed.
  package static let movesMax = 100
  /// The most crowds listed: those with the most jobs.
  package static let crowdsMax = 50

  package struct Range: Hashable, Sendable {
    package var from: WallInstant
    package var now: WallInstant
    package var to: WallInstant
    /// The zone in which instants are shown.
    package var zone: Zone

    package init(from: WallInstant, now: WallInstant, to: WallInstant, zone: Zone) {
      self.from = from
      self.now = now
      self.to = to
      self.zone = zone
    }

    /// The start of the last night: 18:00 of yesterday.
    package static func lastNight(before now: WallInstant, in zone: Zone) -> WallInstant {
      (try? TypedPeriod("last night", at: now, in: zone, preferring: .past))?.first
        ?? now - .seconds(86_400)
    }
  }

  /// One slot, or several of one job that are alike.
  package struct Entry: Hashable, Sendable {
    package var job: JobName
    package var slots: SlotSeries
    package var due: WallInstant
    /// Nil for future slots.
    package var verdict: Verdict?
    package var run: RunID?
    package var outcome: Outcome?
    /// The expected time of a run; nil if unknown, and for the past.
    package var expected: Duration?
    /// The number of jobs expected to run at its start, itself included; zero for the past.
    package var atOnce = 0
    /// The days from which the slot was moved.
    package var movedFrom: [Int64] = []
  }

  /// A time in which several jobs are expected to run at once.
  package struct Crowd: Hashable, Sendable {
    package static let jobsMax = 20

    package var from: WallInstant
    package var to: WallInstant
    /// The most jobs at one instant.
    package var peak: Int
    package var peakAt: WallInstant
    /// Those of that instant, the first ones by name.
    package var jobs: [JobName]
  }

  /// The effect of a holiday or a clock change on slots.
  package struct Move: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
      /// A calendar or `except` leaves slots out.
      case excluded
      /// A slot comes from another day.
      case moved
      /// A clock change skips or repeats a time of the job.
      case clock
    }

    package var kind: Kind
    package var job: JobName
    package var at: WallInstant
    package var words: String
  }

  package internal(set) var range: Range
  package internal(set) var entries: [Entry] = []
  /// Entries before the first and after the last of `entries`.
  package internal(set) var earlier = 0
  package internal(set) var later = 0
  /// Those with the most jobs, in the order of time.
  package internal(set) var crowds: [Crowd] = []
  package internal(set) var moreCrowds = 0
  package internal(set) var moves: [Move] = []
  package internal(set) var moreMoves = 0
  /// The instant up to which all future slots were examined; nil for the whole range.
  package internal(set) var foreseenUntil: WallInstant?
  /// True if the oldest slots of the past are left out of the entries.
  package var isPastTruncated = false
}

package struct AgendaJob: Sendable {
  package let spec: JobSpec
  /// The average time of its last runs; nil if unknown.
  package var mean: Duration?
  private let preview: @Sendable (_ spec: JobSpec, Look) -> SlotPreview.Found

  /// The bounds of a search for slots.
  struct Look {
    let range: Agenda.Range
    /// The most slots.
    let count: Int
    /// The most slots examined, excluded ones included.
    let looks: Int
  }

  /// For a running job.
  package init(_ input: SlotPreviewInput, mean: Duration? = nil) {
    spec = input.spec
    self.mean = mean
    preview = { spec, look in
      SlotPreviewInput(spec: spec, cursor: input.cursor, ran: input.ran, now: input.now).find(
        from: look.range.from, count: look.count, before: look.range.to, looks: look.looks)
    }
  }

  /// For a job of a jobs file.
  ///
  /// - Parameter previous: its position; nil for one that takt loads for the first time.
  package init(_ spec: JobSpec, after previous: PreviousJob?, at now: Now, mean: Duration? = nil) {
    self.spec = spec
    self.mean = mean
    preview = { spec, look in
      let range = look.range
      if range.from > now.wall {
        return SlotPreviewInput(spec, after: previous, at: now).find(
          from: range.from, count: look.count, before: range.to, looks: look.looks)
      }
      return SlotPreview.find(
        of: spec, after: previous, startingAt: now, count: look.count, before: range.to,
        looks: look.looks)
    }
  }

  /// The expected time of a run, from the job, or else from its last runs.
  var expected: Duration? { spec.policies.expectedDuration ?? mean }

  func slots(_ look: Look) -> SlotPreview.Found {
    guard look.count > 0 else { return SlotPreview.Found() }
    var found = preview(spec, look)
    found.slots = Array(found.slots.prefix { $0.due < look.range.to })
    return found
  }

  /// The slots of a range that calendars and `except` leave out, among the first `count`, and the
  /// number examined.
  func excluded(in range: Agenda.Range, count: Int) -> (slots: [WallInstant], looks: Int) {
    let schedule = spec.timing.schedule
    guard schedule.excludedTimes != nil else { return ([], 0) }
    var bare = spec
    bare.timing.schedule.exclusions = []
    bare.timing.schedule.calendars = nil
    // They are counted separately.
    bare.timing.schedule.limit = nil
    let found = preview(bare, Look(range: range, count: count, looks: count))
    let slots = found.slots.lazy.map(\.nominal).filter {
      range.from <= $0 && $0 < range.to && schedule.excludes($0)
    }
    return (Array(slots), found.looks)
  }
}
