/// Jobs that need attention: those that fail, that are stale, and whose alarms have failed.
package struct NamesInNeed: Sendable {
  package var failing: [JobName] = []
  package var stale: [JobName] = []
  package var alarmFailed: [JobName] = []
  /// Those that no machine of the cluster may run.
  package var unplaced: [JobName] = []
}

/// The jobs by small numbers, which are translated to names at the scheduler's borders.
///
/// A name keeps its number while its job exists, while a run of it has not ended, and while another
/// job follows it; a job that is removed and comes back meanwhile is the same row.
struct JobTable: Sendable {
  private struct Row: Sendable {
    var name: JobName
    var isPresent = false
    /// The jobs that wait for the ends of this one's runs, by name.
    var followers: [JobID] = []
    var state: JobState
  }

  /// A function that needed a job which does not exist: a mistake in the scheduler itself.
  struct Bug: Hashable, Sendable {
    /// The job's name, or its number.
    var job: String
    var function: String
  }

  /// The first row is no job's: changes to a missing job are made to it.
  private var rows = [Row(name: .placeholder, state: .placeholder)]
  private var ids: [JobName: JobID] = [:]
  private var free: [JobID] = []
  /// Numbers that are given up in the present event, whose effects still use them for their jobs.
  private var released: [JobID] = []
  private(set) var count = 0
  /// Failed searches since this was emptied last.
  var bugs: [Bug] = []

  /// The state of a job that exists. This is the one way to it: a missing job is recorded as a bug,
  /// and changes to it have no effect. Lent, not copied: the gate's `slots`.
  ///
  /// The debug compiler's code for a call to a large part of a lent value, such as the cursor,
  /// releases the part by its address after the frame that it is in is freed. Such a part is taken
  /// into a constant first.
  subscript(id: JobID, caller: StaticString = #function) -> JobState {
    @inline(__always) mutating _read { yield rows[row(id, caller)].state }
    @inline(__always) _modify { yield &rows[row(id, caller)].state }
  }

  @inline(__always)
  private mutating func row(_ id: JobID, _ caller: StaticString) -> Int {
    isPresent(id) ? Int(id.index) : reportMissing(id, caller)
  }

  @inline(never)
  private mutating func reportMissing(_ id: JobID, _ caller: StaticString) -> Int {
    bugs.append(Bug(job: String(id.index), function: "\(caller)"))
    rows[0].state = .placeholder
    return 0
  }

  func isPresent(_ id: JobID) -> Bool {
    Int(id.index) < rows.count && rows[Int(id.index)].isPresent
  }

  /// The job of a name that must exist; nil, and a bug, if it does not.
  mutating func find(_ name: JobName, caller: String = #function) -> JobID? {
    let id = id(of: name)
    if id == nil { bugs.append(Bug(job: name.text, function: caller)) }
    return id
  }

  /// A copy for readers; nil if there is none.
  func state(of id: JobID) -> JobState? {
    isPresent(id) ? rows[Int(id.index)].state : nil
  }

  func state(of name: JobName) -> JobState? { ids[name].flatMap { state(of: $0) } }

  /// The number of a job that exists or whose runs have not ended.
  func id(ofKnown name: JobName) -> JobID? { ids[name] }

  /// The number of a job that exists.
  func id(of name: JobName) -> JobID? { ids[name].flatMap { isPresent($0) ? $0 : nil } }

  /// The name of a number, also of a job that has been removed in the present event.
  func name(of id: JobID) -> JobName {
    Int(id.index) < rows.count ? rows[Int(id.index)].name : .placeholder
  }

  /// In no order.
  var present: some Sequence<JobID> {
    rows.indices.lazy.filter { rows[$0].isPresent }.map { JobID(index: UInt32($0)) }
  }

  /// The jobs that need attention, each once, in no order.
  var inNeed: NamesInNeed {
    var found = NamesInNeed()
    for index in rows.indices where rows[index].isPresent {
      if rows[index].state.failureStreak > 0 {
        found.failing.append(rows[index].name)
      } else if rows[index].state.isStale {
        found.stale.append(rows[index].name)
      } else if rows[index].state.hasFailedAlarms {
        found.alarmFailed.append(rows[index].name)
      }
    }
    return found
  }

  /// True if slots of the job are to run, and it is not stale; read in its place, like `tally`.
  func isServedInTime(_ id: JobID, hasRuns: Bool) -> Bool {
    let index = Int(id.index)
    return !rows[index].state.isStale && !rows[index].state.isSuspended
      && (hasRuns || !rows[index].state.isHeld)
  }

  /// Counts of jobs: held, waiting for a slot, failing, and stale.
  struct Tally {
    var waiting = 0
    var suspended = 0
    var disabled = 0
    var failing = 0
    var stale = 0
    var alarmFailed = 0
  }

  /// Reads each state in its place: to copy it costs many times as much.
  var tally: Tally {
    var tally = Tally()
    for index in rows.indices where rows[index].isPresent {
      if rows[index].state.isWaiting { tally.waiting += 1 }
      if rows[index].state.isSuspended { tally.suspended += 1 }
      if !rows[index].state.spec.timing.isEnabled { tally.disabled += 1 }
      if rows[index].state.failureStreak > 0 { tally.failing += 1 }
      if rows[index].state.isStale { tally.stale += 1 }
      if rows[index].state.hasFailedAlarms { tally.alarmFailed += 1 }
    }
    return tally
  }

  /// The jobs by name: an order that does not depend on chance.
  var sorted: [JobID] { sortedByName(present) }

  func sortedByName(_ ids: some Sequence<JobID>) -> [JobID] {
    ids.map { (id: $0, order: name(of: $0).order) }.sorted { left, right in
      left.order == right.order
        ? name(of: left.id) < name(of: right.id) : left.order < right.order
    }.map(\.id)
  }

  mutating func reserve(_ count: Int) {
    rows.reserveCapacity(count + 1)
    ids.reserveCapacity(count)
  }

  mutating func intern(_ name: JobName) -> JobID {
    let (id, isNew) = number(of: name)
    if isNew { put(Row(name: name, state: .placeholder), at: id) }
    return id
  }

  /// Adds a job, in place of one of its name.
  mutating func insert(_ state: JobState) -> JobID {
    let name = state.spec.name
    let (id, isNew) = number(of: name)
    if isNew {
      put(Row(name: name, isPresent: true, state: state), at: id)
      count += 1
      return id
    }
    if !rows[Int(id.index)].isPresent { count += 1 }
    rows[Int(id.index)].isPresent = true
    rows[Int(id.index)].state = state
    return id
  }

  /// The number of a name; a new one, whose row the caller puts, if it has none.
  private mutating func number(of name: JobName) -> (id: JobID, isNew: Bool) {
    let next = free.last ?? JobID(index: UInt32(rows.count))
    let id = Self.number(&ids[name], else: next)
    guard id == next else { return (id, false) }
    _ = free.popLast()
    return (id, true)
  }

  /// The value of `known`, or `next`, which is stored there: one search for both.
  private static func number(_ known: inout JobID?, else next: JobID) -> JobID {
    if let known { return known }
    known = next
    return next
  }

  private mutating func put(_ row: Row, at id: JobID) {
    if Int(id.index) == rows.count { rows.append(row) } else { rows[Int(id.index)] = row }
  }

  /// Removes a job; its number is kept until `release`.
  mutating func remove(_ id: JobID) {
    guard isPresent(id) else { return }
    rows[Int(id.index)].isPresent = false
    rows[Int(id.index)].state = .placeholder
    count -= 1
  }

  /// Gives up the number of a removed job, unless another follows it. It is free from the next
  /// event on.
  mutating func release(_ id: JobID) {
    let row = rows[Int(id.index)]
    guard !row.isPresent, row.followers.isEmpty, ids[row.name] == id else { return }
    ids[row.name] = nil
    released.append(id)
  }

  /// Called at the end of an event.
  mutating func freeReleased() {
    if released.isEmpty { return }
    free += released
    released = []
  }

  /// By name.
  func followers(of id: JobID) -> [JobID] { rows[Int(id.index)].followers }

  mutating func follow(_ parent: JobName, _ follower: JobID) {
    let id = intern(parent)
    rows[Int(id.index)].followers = sortedByName(rows[Int(id.index)].followers + [follower])
  }

  mutating func unfollow(_ parent: JobName, _ follower: JobID) -> JobID? {
    guard let id = ids[parent] else { return nil }
    rows[Int(id.index)].followers.removeAll { $0 == follower }
    return id
  }
}
