import TaktCore
import TaktTime

/// An oracle of the ledger that does not know how the core computes slots: it enumerates instants
/// one by one and checks every record against them.
struct SlotOracle {
  private struct Job {
    /// The wall at the first load, whole milliseconds, and the monotonic clock then.
    var milliseconds: Int64
    var loadedAt: Int64
    var anchor: Int64
    var firstInstant: Int64
    var spec: JobSpec?
    var appliedFrom: Int64
    /// True if each spec so far had one grid on the job's own clock, which stays, and no other
    /// trigger.
    var isGridAlone = true
    /// True if a new interval restarts its grid.
    var restartsGrid = false
    /// The grid's instants that must be decided once their time has passed.
    var expected: Set<Int64> = []
    var decided: Set<Int64> = []
    /// The due times of slots that delayed events have made.
    var delayed: [Int64] = []
  }

  private var jobs: [JobName: Job] = [:]
  /// The problems; empty if every slot is accounted for.
  private(set) var problems: [String] = []

  /// Puts a spec of a job in force; nil removes it.
  mutating func apply(_ spec: JobSpec?, to name: JobName, at now: Now) {
    if let job = jobs[name] {
      close(name, at: now)
      let from = max(job.appliedFrom, reading(job, now))
      jobs[name]?.appliedFrom = from
      jobs[name]?.spec = spec
    } else if let spec {
      let milliseconds = now.wall.milliseconds
      let first = spec.timing.schedule.every?.first?.milliseconds
      jobs[name] = Job(
        milliseconds: milliseconds,
        loadedAt: now.monotonic.nanoseconds - (now.wall.nanoseconds - milliseconds * 1_000_000),
        anchor: milliseconds + (first ?? 0), firstInstant: milliseconds + (first ?? 1), spec: spec,
        appliedFrom: milliseconds - 1)
    }
    guard let schedule = spec?.timing.schedule else { return }
    jobs[name]?.restartsGrid = schedule.every?.phase == .restart
    if !Self.isGridAlone(schedule) { jobs[name]?.isGridAlone = false }
  }

  private static func isGridAlone(_ schedule: Schedule) -> Bool {
    guard let every = schedule.every, every.origin == .start, every.phase == .keep else {
      return false
    }
    return schedule.rules.isEmpty && schedule.at.isEmpty && schedule.on.isEmpty
      && schedule.after.isEmpty && schedule.afterAll == nil && schedule.watch.isEmpty
  }

  /// Notes events that may make the job due some time later.
  mutating func occurred(_ events: [LifecycleEvent], of spec: JobSpec, at now: Now) {
    let schedule = spec.timing.schedule
    let delays = Set(events.filter(schedule.on.contains).compactMap { schedule.delays[$0] })
    for delay in delays where schedule.isWithinBounds(now.wall + delay) {
      jobs[spec.name]?.delayed.append((now.wall + delay).milliseconds)
    }
  }

  /// Checks that each delayed slot of an event has a verdict, or waits for one.
  private mutating func checkDelayed(_ name: JobName, waiting: Set<Int64>) {
    guard let job = jobs[name] else { return }
    var known = job.decided.union(waiting)
    for due in job.delayed.sorted() {
      // Its name is the next free one.
      guard let slot = (due..<(due + 100)).first(where: known.contains) else {
        problems.append("\(name): the slot of an event, due at \(due), has no verdict")
        continue
      }
      known.remove(slot)
    }
  }

  /// Counts the grid's instants since the spec came into force as expected.
  private mutating func close(_ name: JobName, at now: Now) {
    guard let job = jobs[name], let spec = job.spec, job.isGridAlone,
      let every = spec.timing.schedule.every
    else { return }
    let interval = max(1, every.interval.milliseconds)
    var milliseconds = job.anchor
    let end = reading(job, now)
    while milliseconds <= end {
      if milliseconds > job.appliedFrom, milliseconds >= job.firstInstant,
        spec.timing.schedule.isWithinBounds(WallInstant(milliseconds: milliseconds))
      {
        jobs[name]?.expected.insert(milliseconds)
      }
      milliseconds += interval
    }
    jobs[name]?.appliedFrom = max(job.appliedFrom, end)
  }

  private func reading(_ job: Job, _ now: Now) -> Int64 {
    let nanoseconds = now.monotonic.nanoseconds - job.loadedAt
    return job.milliseconds
      + (nanoseconds >= 0 ? nanoseconds / 1_000_000 : (nanoseconds - 999_999) / 1_000_000)
  }

  mutating func check(_ record: VerdictRecord) {
    guard let job = jobs[record.job] else {
      problems.append("\(record.job): a verdict for an unknown job")
      return
    }
    for milliseconds in instants(of: record, job)
    where jobs[record.job]?.decided.insert(milliseconds).inserted == false {
      problems.append("\(record.job): \(milliseconds) decided twice, last as \(record.verdict)")
    }
  }

  /// The instants that a record covers: one, or an unbroken piece of the grid in force.
  private mutating func instants(of record: VerdictRecord, _ job: Job) -> [Int64] {
    let (first, last) = (record.slots.first.milliseconds, record.slots.last.milliseconds)
    if record.slots.count == 1, first == last { return [first] }
    // Its grid differs with each interval: the audit checks that.
    if job.restartsGrid { return [first, last] }
    if let rules = job.spec?.timing.schedule.rules, !rules.isEmpty {
      return clockInstants(of: record, rules, job.spec?.timing.schedule.at ?? [])
    }
    guard let every = job.spec?.timing.schedule.every, every.origin != .end else {
      problems.append("\(record.job): \(record.verdict) covers several slots without a grid")
      return [first, last]
    }
    let origin = every.origin == .epoch ? every.wallOrigin.milliseconds : job.anchor
    let covered = (first...last).filter { ($0 - origin) % max(1, every.interval.milliseconds) == 0 }
    if covered.count != record.slots.count || covered.first != first || covered.last != last {
      problems.append(
        "\(record.job): \(record.verdict) says \(record.slots.count) slots, the grid has \(covered.count)"
      )
    }
    return covered
  }

  /// The instants of clock rules, and single instants, that a series covers, millisecond by
  /// millisecond.
  private mutating func clockInstants(
    of record: VerdictRecord, _ rules: [ClockRule], _ instants: [WallInstant]
  ) -> [Int64] {
    let (first, last) = (record.slots.first, record.slots.last)
    var covered: Set<Int64> = []
    for rule in rules {
      var instant = rule.next(after: WallInstant(nanoseconds: first.nanoseconds - 1))
      while let found = instant, found.milliseconds <= last.milliseconds {
        covered.insert(found.milliseconds)
        instant = rule.next(after: found)
      }
    }
    for instant in instants where first <= instant && instant <= last {
      covered.insert(instant.milliseconds)
    }
    if covered.count != record.slots.count {
      problems.append(
        "\(record.job): \(record.verdict) says \(record.slots.count) slots, the clock \(covered.count)"
      )
    }
    return covered.sorted()
  }

  /// Ends the check: all expected slots must have been decided, and nothing else on a grid.
  mutating func finish(at now: Now, pending: [JobName: Set<WallInstant>]) {
    for name in jobs.keys.sorted() {
      close(name, at: now)
      checkDelayed(name, waiting: Set((pending[name] ?? []).map(\.milliseconds)))
      guard let job = jobs[name], job.isGridAlone else { continue }
      let waiting = Set((pending[name] ?? []).map(\.milliseconds))
      for milliseconds in job.expected.subtracting(job.decided).subtracting(waiting).sorted() {
        problems.append("\(name): \(milliseconds) has no verdict")
      }
      for milliseconds in job.decided.subtracting(job.expected).sorted() {
        problems.append("\(name): \(milliseconds) was decided but never due")
      }
    }
  }
}
