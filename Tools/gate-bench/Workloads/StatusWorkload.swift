import TaktAPI
import TaktControl
import TaktCore
import TaktTime

/// The daemon's answer to `takt status`: each job's state, as JSON and as a table.
struct StatusWorkload: Workload {
  static let name = "status"
  static let summary = "status of 1,000 jobs, as JSON and as a table"

  private let scheduler: GateScheduler
  private var state = ControlState()
  private var json: [UInt8] = []
  private var table: [UInt8] = []

  init() throws {
    var scheduler = GateScheduler(try SampleJobs.load(SampleJobs.text(0..<1000)), isKeeping: true)
    scheduler.serve(scheduler.dueJobs)
    self.scheduler = scheduler
    state.apply(scheduler.records)
    for start in scheduler.starts { state.apply(start, at: scheduler.now.wall) }
    state.apply(scheduler.entries.flatMap(\.self), at: scheduler.now)
    try run()
    (json, table) = ([], [])
  }

  mutating func run() throws {
    let now = scheduler.now
    let jobs = scheduler.core.jobNames.sorted().compactMap { name in
      scheduler.core.view(of: name, at: now).map { JobEntry($0, in: state) }
    }
    json = JobList.Page(jobs: jobs, total: jobs.count).shown.json
    var table = StatusTable(width: 120, now: now.wall)
    for job in jobs { table.add(job) }
    self.table = table.text
  }

  func check() throws {
    try expect("lines of the table", table.count { $0 == UInt8(ascii: "\n") }, is: 1001)
    try expect("is there JSON of each job", json.count > 1000 * 100, is: true)
  }
}
