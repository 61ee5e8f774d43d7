import TaktAPI
import TaktCore
import TaktTesting

/// The plan between two files that differ in hundreds of jobs, as the API gives it.
struct PlanWorkload: Workload {
  static let name = "plan"
  static let summary = "2 plans of 1,000 jobs, 600 of them changed, and their JSON"

  private let before: Snapshot
  private let after: Snapshot
  private var steps = 0
  private var size = 0

  init() throws {
    before = try SampleJobs.load(SampleJobs.text(0..<1000))
    after = try SampleJobs.load(
      SampleJobs.text(
        100..<1100, changed: Set(200..<400), rearmed: Set(stride(from: 500, to: 900, by: 2))))
    try run()
    (steps, size) = (0, 0)
  }

  mutating func run() throws {
    for _ in 0..<2 {
      let plan = ReloadPlan(from: before, to: after)
      steps += plan.steps.count
      let report = ReloadReport(
        at: FixedTime.wall, plan: plan,
        settings: before.settings.differences(to: after.settings), diagnostics: [])
      size += API.Plan(plan, report).json.count
    }
  }

  func check() throws {
    try expect("changed jobs", steps, is: 2 * 600)
    try expect("is there JSON", size > 0, is: true)
  }
}
