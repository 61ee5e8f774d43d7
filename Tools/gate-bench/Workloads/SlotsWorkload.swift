import TaktCore

/// One slot of each of 1,000 jobs, with a run that succeeds, verdicts, marks and log records.
struct SlotsWorkload: Workload {
  static let name = "slots"
  static let summary = "1,000 slots in the scheduler core, from timer to end of run"

  private var scheduler: GateScheduler
  private let jobs: [JobID]

  init() throws {
    scheduler = GateScheduler(try SampleJobs.load(SampleJobs.text(0..<1000)), isKeeping: false)
    let due = scheduler.dueJobs
    scheduler.serve(Array(due.prefix(100)))
    jobs = scheduler.dueJobs
  }

  mutating func run() throws {
    scheduler.serve(jobs)
  }

  func check() throws {
    try expect("slots", scheduler.slotCount, is: 1100)
  }
}
