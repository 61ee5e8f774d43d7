import TaktTime

extension Agenda {
  /// The most future slots examined, over all jobs and per job.
  package static let slotsMax = 100_000
  private static let slotsOfJobMax = 1500
  /// Excluded slots are examined as well: this many times more, over all jobs and per job.
  private static let looksPerSlot = 10
  private static let looksLeast = 1000

  /// - Parameters:
  ///   - jobs: those that have future slots.
  ///   - past: decided slots, in any order.
  ///   - limit: the most entries of the past, the newest, and of the future, the earliest.
  ///   - slotsMax: the most future slots examined; of each job at least one.
  package init(
    _ range: Range, of jobs: [AgendaJob], past: [DecidedSlot], limit: Int,
    slotsMax: Int = Agenda.slotsMax
  ) {
    self.range = range
    let before = Self.entries(of: past)
    let share = slotsMax / 2 / max(1, jobs.count)
    var looks = slotsMax * Self.looksPerSlot
    var foreseen = Foreseen(jobs, in: range, each: max(1, min(Self.slotsOfJobMax, share)), &looks)
    foreseen.lookFurther(in: range, each: Self.slotsOfJobMax, atMost: slotsMax, &looks)
    let crowds = AgendaCrowds(foreseen)
    let after = foreseen.entries(crowds)
    entries = Array(before.suffix(limit)) + after.prefix(limit)
    earlier = max(0, before.count - limit)
    later = max(0, after.count - limit)
    foreseenUntil = foreseen.until
    (self.crowds, moreCrowds) = crowds.busiest(Self.crowdsMax)
    let moves = foreseen.moves(in: range)
    self.moves = Array(moves.prefix(Self.movesMax))
    moreMoves = moves.count - self.moves.count
  }

  /// Joins slots of a job with many of them if they went well, or are another machine's.
  private static func entries(of past: [DecidedSlot]) -> [Entry] {
    var counts: [JobName: Int] = [:]
    for slot in past where slot.isCalm {
      counts[slot.record.job, default: 0] += slot.record.slots.count
    }
    var entries: [Entry] = []
    var together: [JobName: Entry] = [:]
    for slot in past {
      let record = slot.record
      let entry = Entry(
        job: record.job, slots: record.slots, due: record.slots.first, verdict: record.verdict,
        run: record.run, outcome: slot.outcome)
      guard slot.isCalm, counts[record.job] ?? 0 > slotsShown else {
        entries.append(entry)
        continue
      }
      guard var all = together[record.job] else {
        together[record.job] = entry
        continue
      }
      // The newest is the one that can be looked up.
      if record.slots.last > all.slots.last {
        (all.verdict, all.run, all.outcome) = (entry.verdict, entry.run, entry.outcome)
      }
      all.slots = SlotSeries(
        first: min(all.slots.first, record.slots.first),
        last: max(all.slots.last, record.slots.last), count: all.slots.count + record.slots.count)
      all.due = all.slots.first
      together[record.job] = all
    }
    return (entries + together.values).sorted(by: isBefore)
  }

  static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
    left.due != right.due ? left.due < right.due : left.job < right.job
  }

  /// The future slots of all jobs.
  struct Foreseen {
    struct Job {
      let job: AgendaJob
      /// Those of the range.
      private(set) var slots: [Slot]
      /// The end of the part that was examined, if the range has more slots.
      private(set) var until: WallInstant?
      /// The number examined.
      private(set) var count: Int

      init(_ job: AgendaJob, in range: Range, count: Int, _ looks: inout Int) {
        self.job = job
        let most = min(looks, count * Agenda.looksPerSlot + Agenda.looksLeast)
        let found = job.slots(
          AgendaJob.Look(range: range, count: count, looks: max(count, most)))
        looks -= found.looks
        slots =
          found.slots.first.map { $0.due >= range.from } ?? true
          ? found.slots : found.slots.filter { $0.due >= range.from }
        let until = found.slots.count == count ? found.slots.last?.due : found.until
        self.until = until.flatMap { $0 < range.to ? max($0, range.from) : nil }
        self.count = found.slots.count
      }
    }

    /// In the order of their names.
    private(set) var jobs: [Job]

    init(_ jobs: [AgendaJob], in range: Range, each count: Int, _ looks: inout Int) {
      self.jobs = jobs.sorted { $0.spec.name < $1.spec.name }.map {
        Job($0, in: range, count: count, &looks)
      }
    }

    /// Examines more slots of the jobs that have more, as far as the limit permits.
    mutating func lookFurther(
      in range: Range, each count: Int, atMost all: Int, _ looks: inout Int
    ) {
      let cut = jobs.count { $0.until != nil }
      guard cut > 0 else { return }
      let kept = jobs.reduce(0) { $0 + ($1.until == nil ? $1.count : 0) }
      let share = min(count, (all - kept) / cut)
      for place in jobs.indices where share > jobs[place].count && looks > 0 {
        guard let known = jobs[place].until else { continue }
        let again = Job(jobs[place].job, in: range, count: share, &looks)
        // With few looks left it may end earlier.
        if again.until.map({ $0 > known }) ?? true { jobs[place] = again }
      }
    }

    /// The instant up to which the slots of all jobs are known; nil for the whole range.
    var until: WallInstant? { jobs.lazy.compactMap(\.until).min() }

    func entries(_ crowds: AgendaCrowds) -> [Entry] {
      jobs.flatMap { entries(of: $0, crowds) }.sorted(by: Agenda.isBefore)
    }

    private func entries(of foreseen: Job, _ crowds: AgendaCrowds) -> [Entry] {
      let (spec, slots) = (foreseen.job.spec, foreseen.slots)
      guard let first = slots.first, let last = slots.last else { return [] }
      func entry(_ slot: Slot, _ series: SlotSeries) -> Entry {
        Entry(
          job: spec.name, slots: series, due: slot.due, expected: foreseen.job.expected,
          atOnce: crowds.count(at: slot.due),
          movedFrom: series.count > 1 ? [] : spec.timing.schedule.daysMoved(to: slot.nominal))
      }
      if slots.count <= Agenda.slotsShown, foreseen.until == nil {
        return slots.map { entry($0, SlotSeries($0.nominal)) }
      }
      return [
        entry(
          first, SlotSeries(first: first.nominal, last: last.nominal, count: slots.count))
      ]
    }
  }
}

extension DecidedSlot {
  /// True if it needs no attention.
  fileprivate var isCalm: Bool {
    record.verdict == .skipped(.elsewhere) || record.verdict == .ran && outcome == .succeeded
  }
}
