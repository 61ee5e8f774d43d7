import TaktCore

/// Ten reloads between two files that differ in one job. The cost of reading the file is in `load`.
struct ReloadWorkload: Workload {
  static let name = "reload"
  static let summary = "10 reloads of 1,000 jobs, one changed: plan and new state"

  private let snapshots: [Snapshot]
  private var scheduler: GateScheduler
  private var keptCount = 0

  init() throws {
    snapshots = [
      try SampleJobs.load(SampleJobs.text(0..<1000)),
      try SampleJobs.load(SampleJobs.text(0..<1000, rearmed: [500])),
    ]
    scheduler = GateScheduler(snapshots[0], isKeeping: false)
    try run()
    keptCount = 0
  }

  mutating func run() throws {
    for round in 0..<10 {
      let plan = ReloadPlan(from: snapshots[round % 2], to: snapshots[(round + 1) % 2])
      keptCount += plan.keptCount
      scheduler.reload(plan)
    }
  }

  func check() throws {
    try expect("jobs kept", keptCount, is: 10 * 999)
  }
}
