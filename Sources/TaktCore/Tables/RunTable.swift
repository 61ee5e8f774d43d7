/// The runs that have not ended, by their numbers and their jobs.
///
/// Their places are in `RunTable+Places`.
struct RunTable: Sendable {
  /// A function that needed a run which does not exist: a mistake in the scheduler itself.
  struct Bug: Hashable, Sendable {
    var run: RunID
    var function: String
  }

  struct JobRuns: Sendable {
    /// Those that have not ended, the oldest first. Hooks are not among them.
    var active = RunList()
    var startedCount = 0
    var hookCount = 0

    var isEmpty: Bool { active.isEmpty && hookCount == 0 }
  }

  /// The place of a run in the table, until it is removed: the handler of an event looks it up
  /// once.
  struct Row: Hashable, Sendable {
    fileprivate let index: Int
  }

  /// The first row is no run's: changes to a missing run are made to it.
  private var rows = [ActiveRun.placeholder]
  private var free: [Int] = []
  private var index = RunIndex()
  private var jobs: [JobRuns] = []
  /// The number of the last run, of this daemon or of previous ones.
  var lastRun: UInt64 = 0
  var next: RunID { RunID(lastRun + 1) }
  var places = Places()
  /// Failed searches since this was emptied last.
  var bugs: [Bug] = []

  var count: Int { index.count }
  var isEmpty: Bool { index.count == 0 }

  /// The oldest first.
  var all: [RunID] { index.runs }

  func contains(_ id: RunID) -> Bool { index[id] != nil }

  /// A copy for readers; nil if there is none.
  func run(_ id: RunID) -> ActiveRun? { index[id].map { rows[$0] } }

  /// Nil if there is no such run.
  func placeState(of id: RunID) -> PlaceState? { index[id].map { rows[$0].placeState } }

  /// Nil if it is not in the table.
  func row(of id: RunID) -> Row? { index[id].map { Row(index: $0) } }

  /// The run of a row. Lent by each subscript, not copied: the gate's `slots`.
  subscript(row: Row) -> ActiveRun {
    @inline(__always) _read { yield rows[row.index] }
    @inline(__always) _modify { yield &rows[row.index] }
  }

  /// A run that has not ended. This is the one way to it without its row: a missing run is recorded
  /// as a bug, and changes to it have no effect.
  subscript(id: RunID, caller: StaticString = #function) -> ActiveRun {
    @inline(__always) mutating _read { yield rows[index[id] ?? reportMissing(id, caller)] }
    @inline(__always) _modify { yield &rows[index[id] ?? reportMissing(id, caller)] }
  }

  @inline(never)
  private mutating func reportMissing(_ id: RunID, _ caller: StaticString) -> Int {
    bugs.append(Bug(run: id, function: "\(caller)"))
    rows[0] = .placeholder
    return 0
  }

  mutating func insert(
    of job: JobID, _ spec: JobSpec, _ origin: ActiveRun.Origin,
    facts: Shared<RunFacts>? = nil, with parameters: RunParameters? = nil, isForced: Bool = false
  ) -> Row {
    lastRun += 1
    let id = RunID(lastRun)
    if free.isEmpty {
      free.append(rows.count)
      rows.append(.placeholder)
    }
    let place = free.removeLast()
    index.append(id, at: place)
    rows[place].become(
      id: id, job: job, spec: spec, origin: origin, facts: facts, parameters: parameters,
      isForced: isForced)
    let isHook = rows[place].isHook
    changeJob(job) { if isHook { $0.hookCount += 1 } else { $0.active.append(id) } }
    return Row(index: place)
  }

  mutating func remove(_ row: Row) {
    let (id, job, isHook) = (rows[row.index].id, rows[row.index].job, rows[row.index].isHook)
    rows[row.index].clear()
    free.append(row.index)
    index.remove(id)
    changeJob(job) { if isHook { $0.hookCount -= 1 } else { $0.active.remove(id) } }
  }

  func ofJob(_ id: JobID) -> JobRuns {
    Int(id.index) < jobs.count ? jobs[Int(id.index)] : JobRuns()
  }

  /// The runs of a job that have not ended, the oldest first, without hooks.
  func active(of id: JobID) -> RunList { ofJob(id).active }

  /// Without hooks.
  func startedCount(of id: JobID) -> Int {
    Int(id.index) < jobs.count ? jobs[Int(id.index)].startedCount : 0
  }

  func hasActive(_ id: JobID) -> Bool {
    Int(id.index) < jobs.count && !jobs[Int(id.index)].active.isEmpty
  }

  mutating func changeJob(_ id: JobID, _ change: (inout JobRuns) -> Void) {
    while jobs.count <= Int(id.index) { jobs.append(JobRuns()) }
    change(&jobs[Int(id.index)])
  }
}
