import HeapModule

/// Places for runs: a bound on all, a bound for each group, one at a time for jobs that require it;
/// the more urgent class first, then the older run.
extension RunTable {
  /// A run's request for a place.
  struct Ticket: Hashable, Sendable {
    var rank: Int
    /// It waits until all other runs of its job that have started are over.
    var isAlone: Bool
    var group: String?
    /// It has no process and takes no place: a monitor that does not answer delays no run.
    var isFree: Bool
  }

  /// The group of all conditions in progress; no group of a jobs file has such a name.
  static let checksGroup = "conditions (only_if)"

  enum PlaceState: Sendable {
    case none
    case waiting(Ticket)
    case holding(Ticket)
  }

  /// A run in a line; its ticket may have changed since, or be gone.
  struct Entry: Comparable, Sendable {
    var rank: Int
    var run: RunID

    static func < (left: Self, right: Self) -> Bool {
      (left.rank, left.run) < (right.rank, right.run)
    }

    static func == (left: Self, right: Self) -> Bool { left.run == right.run }
  }

  struct Places: Sendable {
    fileprivate(set) var takenCount = 0
    /// The number of runs at work, those that take no place included.
    fileprivate(set) var heldCount = 0
    fileprivate(set) var max = 16
    /// True if those are fewer than the file's limit, for lack of descriptors.
    fileprivate var areFew = false
    fileprivate var groupMax: [String: Int] = [:]
    fileprivate var groupCounts: [String: Int] = [:]
    fileprivate var ready = Heap<Entry>()
    /// Runs that wait for others of their job, or of their group, and for nothing else.
    fileprivate var behindJob: [JobID: Heap<Entry>] = [:]
    fileprivate var behindGroup: [String: Heap<Entry>] = [:]

    func isFull(_ group: String) -> Bool {
      groupCounts[group, default: 0] >= groupMax[group] ?? .max
    }
  }

  /// Sets the bounds; runs that waited behind an old one ask again.
  mutating func setBounds(_ settings: SchedulerSettings) {
    places.max = min(settings.maxRunning, settings.runsMax)
    places.areFew = settings.runsMax < settings.maxRunning
    places.groupMax = settings.concurrency
    places.groupMax[Self.checksGroup] = settings.conditionsMax
    for heap in Array(places.behindJob.values) + Array(places.behindGroup.values) {
      places.ready.insert(contentsOf: heap.unordered)
    }
    places.behindJob = [:]
    places.behindGroup = [:]
  }

  /// True if the runs of a group that hold or await a place have reached its limit.
  func isTaken(_ group: String) -> Bool {
    guard let max = places.groupMax[group] else { return false }
    let count = all.count { id in
      switch placeState(of: id) {
      case .holding(let ticket)?: ticket.group == group
      case .waiting(let ticket)?: ticket.group == group
      case RunTable.PlaceState.none?, nil: false
      }
    }
    return count >= max
  }

  /// In words for people; nil for a run that does not wait.
  func wait(of id: RunID) -> (words: String, isForGroup: Bool)? {
    guard let run = run(id), case .waiting(let ticket) = run.placeState else { return nil }
    if ticket.isAlone,
      let other = active(of: run.job).all.first(where: {
        $0 != id && self.run($0)?.hasHadPlace == true
      })
    {
      return ("run \(other) of the job", false)
    }
    if let group = ticket.group, places.isFull(group) {
      let holders = all.compactMap { self.run($0) }.filter {
        if case .holding(let held) = $0.placeState { held.group == group } else { false }
      }
      let names = holders.prefix(Self.namedMax).map { "run \($0.id) of \($0.spec.name)" }
      let more = holders.count - names.count
      let words = names.joined(separator: ", ") + (more > 0 ? ", \(more) more" : "")
      let max = places.groupMax[group] ?? 0
      return ("a place in the group '\(group)', which has \(max): \(words)", true)
    }
    return places.takenCount >= places.max
      ? ("one of the \(places.max) places (\(places.areFew ? "ulimit -n" : "max_running"))", false)
      : nil
  }

  private static let namedMax = 5

  /// Takes a run's request for a place, in place of an earlier one.
  mutating func askForPlace(_ id: RunID) {
    let ticket = self[id].isHook ? self[id].hookTicket : self[id].ticket
    self[id].placeState = .waiting(ticket)
    places.ready.insert(Entry(rank: ticket.rank, run: id))
  }

  /// Takes a place at once for a run when no other waits; false when it must ask and wait.
  mutating func claimPlace(_ row: Row) -> Bool {
    self[row].isHook ? claimPlace(ofHook: row) : claim(self[row].ticket, row)
  }

  /// A separate function, since few runs are hooks and a run is large to hand over.
  @inline(never)
  private mutating func claimPlace(ofHook row: Row) -> Bool {
    let ticket = self[row].hookTicket
    guard ticket.isFree else { return claim(ticket, row) }
    if let group = ticket.group, places.isFull(group) { return false }
    assignPlace(ticket, row)
    return true
  }

  @inline(__always)
  private mutating func claim(_ ticket: Ticket, _ row: Row) -> Bool {
    guard places.ready.isEmpty, places.takenCount < places.max else { return false }
    if ticket.isAlone, startedCount(of: self[row].job) > 0 { return false }
    if let group = ticket.group, places.isFull(group) { return false }
    assignPlace(ticket, row)
    return true
  }

  /// True if a run waits that may be able to start.
  var hasWaiting: Bool { !places.ready.isEmpty }

  /// The next run that may start; its place is taken.
  ///
  /// - Parameter ofHooksAlone: true if all other runs continue to wait.
  mutating func nextWithPlace(ofHooksAlone: Bool = false) -> RunID? {
    var others: [Entry] = []
    defer { if !others.isEmpty { places.ready.insert(contentsOf: others) } }
    while places.takenCount < places.max, let first = places.ready.popMin() {
      let id = first.run
      guard let row = row(of: id), case .waiting(let ticket) = self[row].placeState else {
        continue
      }
      let entry = Entry(rank: ticket.rank, run: id)
      if ofHooksAlone, !self[row].isHook {
        others.append(entry)
        continue
      }
      if ticket.isAlone, mustWaitForOthers(id) {
        places.behindJob[self[id].job, default: Heap()].insert(entry)
        // It may have been called for a place in its group, which another can take.
        if let group = ticket.group { callNext(group: group) }
      } else if let group = ticket.group, places.isFull(group) {
        places.behindGroup[group, default: Heap()].insert(entry)
      } else {
        assignPlace(ticket, row)
        return id
      }
    }
    return nil
  }

  /// True if another run of its job has started.
  private mutating func mustWaitForOthers(_ id: RunID) -> Bool {
    let count = startedCount(of: self[id].job)
    return count > 1 || (count == 1 && !self[id].hasHadPlace)
  }

  private mutating func assignPlace(_ ticket: Ticket, _ row: Row) {
    let isFirst = self[row].occupyPlace(ticket)
    places.heldCount += 1
    if !ticket.isFree { places.takenCount += 1 }
    if isFirst { changeJob(self[row].job) { $0.startedCount += 1 } }
    if let group = ticket.group { places.groupCounts[group, default: 0] += 1 }
  }

  /// Frees a run's place; it may ask again.
  mutating func releasePlace(_ row: Row) {
    guard case .holding(let ticket) = self[row].placeState else { return }
    self[row].placeState = .none
    places.heldCount -= 1
    if !ticket.isFree { places.takenCount -= 1 }
    guard let group = ticket.group else { return }
    let count = places.groupCounts[group, default: 1] - 1
    places.groupCounts[group] = count == 0 ? nil : count
    callNext(group: group)
  }

  /// A run is over, or will never start.
  mutating func giveUpPlace(_ row: Row) {
    releasePlace(row)
    // The one that was called in its place may be this one: then the next is.
    if case .waiting(let ticket) = self[row].placeState {
      self[row].placeState = .none
      if let group = ticket.group { callNext(group: group) }
    }
    let job = self[row].job
    if self[row].hasHadPlace {
      self[row].hasHadPlace = false
      changeJob(job) { $0.startedCount -= 1 }
    }
    if places.behindJob.isEmpty { return }
    guard var line = places.behindJob.removeValue(forKey: job) else { return }
    if let next = popFirst(of: &line) { places.ready.insert(next) }
    if !line.isEmpty { places.behindJob[job] = line }
  }

  private mutating func callNext(group: String) {
    guard var line = places.behindGroup.removeValue(forKey: group) else { return }
    if let next = popFirst(of: &line) { places.ready.insert(next) }
    if !line.isEmpty { places.behindGroup[group] = line }
  }

  /// The first of a line that still waits, by its present ticket.
  private func popFirst(of line: inout Heap<Entry>) -> Entry? {
    while let entry = line.popMin() {
      if case .waiting(let ticket)? = placeState(of: entry.run) {
        return Entry(rank: ticket.rank, run: entry.run)
      }
    }
    return nil
  }
}

extension ActiveRun {
  /// Takes a place. Returns true if its job has one more started run by this.
  fileprivate mutating func occupyPlace(_ ticket: RunTable.Ticket) -> Bool {
    placeState = .holding(ticket)
    if isHook || hasHadPlace || isBackfill && isForced { return false }
    hasHadPlace = true
    return true
  }
}
