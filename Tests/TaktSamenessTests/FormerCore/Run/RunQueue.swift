import HeapModule

/// Who may run: a bound on all, a bound for each group, one at a time for jobs that want it so; the
/// more urgent class first, then the older run.
struct RunQueue: Sendable {
  /// A run that asks for a place.
  struct Ticket: Comparable, Sendable {
    var run: RunID
    var rank: Int
    var job: JobName
    /// It waits until all other runs of its job that have started are over.
    var isAlone: Bool
    /// Nobody waits for it because of its job.
    var isHook = false
    var group: String?

    static func < (left: Self, right: Self) -> Bool {
      (left.rank, left.run) < (right.rank, right.run)
    }

    static func == (left: Self, right: Self) -> Bool { left.run == right.run }
  }

  private var placesMax = 16
  private var groupMax: [String: Int] = [:]
  private var ready = Heap<Ticket>()
  /// Runs that wait for others of their job, or of their group, and for nothing else.
  private var behindJob: [JobName: Heap<Ticket>] = [:]
  private var behindGroup: [String: Heap<Ticket>] = [:]
  /// Whose ticket counts; the heaps may hold others, which are passed over.
  private var waiting: [RunID: Ticket] = [:]
  private var holding: [RunID: Ticket] = [:]
  private var groupCounts: [String: Int] = [:]
  /// Runs that have started and are not over, in back-off too, without hooks.
  private var started: Set<RunID> = []
  /// How many of them there are of each job; jobs without one have no entry.
  private var startedCounts: [JobName: Int] = [:]

  var takenCount: Int { holding.count }

  /// Sets the bounds; whoever waited behind an old one asks again.
  mutating func setBounds(_ settings: SchedulerSettings) {
    placesMax = settings.maxRunning
    groupMax = settings.concurrency
    for heap in Array(behindJob.values) + Array(behindGroup.values) {
      ready.insert(contentsOf: heap.unordered)
    }
    behindJob = [:]
    behindGroup = [:]
  }

  /// Takes a run's wish for a place, in place of an earlier one.
  mutating func add(_ ticket: Ticket) {
    waiting[ticket.run] = ticket
    ready.insert(ticket)
  }

  /// Takes a place at once for a run that nobody stands before; false when it must ask and wait.
  mutating func takeNow(_ ticket: Ticket) -> Bool {
    guard ready.isEmpty, holding.count < placesMax,
      !ticket.isAlone || (startedCounts[ticket.job] ?? 0) == 0
    else { return false }
    if let group = ticket.group, groupCounts[group, default: 0] >= groupMax[group] ?? .max {
      return false
    }
    take(ticket)
    return true
  }

  /// The next run that may start; its place is taken.
  mutating func next() -> RunID? {
    while holding.count < placesMax, let first = ready.popMin() {
      guard let ticket = waiting[first.run] else { continue }
      if ticket.isAlone, hasStarted(of: ticket.job, besides: ticket.run) {
        behindJob[ticket.job, default: Heap()].insert(ticket)
        // It may have been called for a place in its group, which another can take.
        if let group = ticket.group { callNext(group: group) }
      } else if let group = ticket.group, groupCounts[group, default: 0] >= groupMax[group] ?? .max
      {
        behindGroup[group, default: Heap()].insert(ticket)
      } else {
        take(ticket)
        return ticket.run
      }
    }
    return nil
  }

  private func hasStarted(of job: JobName, besides run: RunID) -> Bool {
    let count = startedCounts[job] ?? 0
    return count > 1 || (count == 1 && !started.contains(run))
  }

  private mutating func take(_ ticket: Ticket) {
    waiting[ticket.run] = nil
    holding[ticket.run] = ticket
    if !ticket.isHook, started.insert(ticket.run).inserted {
      startedCounts[ticket.job, default: 0] += 1
    }
    if let group = ticket.group { groupCounts[group, default: 0] += 1 }
  }

  /// A run's place is free; it may ask again.
  mutating func leave(_ run: RunID) {
    guard let ticket = holding.removeValue(forKey: run) else { return }
    guard let group = ticket.group else { return }
    let count = groupCounts[group, default: 1] - 1
    groupCounts[group] = count == 0 ? nil : count
    callNext(group: group)
  }

  /// A run is over, or will never start.
  mutating func remove(_ run: RunID, of job: JobName) {
    leave(run)
    // The one that was called in its stead may be this one: then the next is.
    if let ticket = waiting.removeValue(forKey: run), let group = ticket.group {
      callNext(group: group)
    }
    if started.remove(run) != nil {
      let count = startedCounts[job, default: 1] - 1
      startedCounts[job] = count == 0 ? nil : count
    }
    if behindJob.isEmpty { return }
    if let next = Self.popFirst(of: &behindJob[job], waiting) { ready.insert(next) }
  }

  private mutating func callNext(group: String) {
    if let next = Self.popFirst(of: &behindGroup[group], waiting) { ready.insert(next) }
  }

  private static func popFirst(
    of heap: inout Heap<Ticket>?, _ waiting: [RunID: Ticket]
  ) -> Ticket? {
    defer { if heap?.isEmpty == true { heap = nil } }
    while let ticket = heap?.popMin() {
      if let ticket = waiting[ticket.run] { return ticket }
    }
    return nil
  }
}
