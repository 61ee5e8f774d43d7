import TaktCore

/// The load of a jobs file with 1,000 jobs, from text to specs.
struct LoadWorkload: Workload {
  static let name = "load"
  static let summary = "load of 1,000 jobs: text to specs"

  private let text = SampleJobs.text(0..<1000)
  private var snapshot: Snapshot?

  init() throws {
    _ = try SampleJobs.load(SampleJobs.text(0..<100))
  }

  mutating func run() throws {
    snapshot = try SampleJobs.load(text)
  }

  func check() throws {
    try expect("jobs", snapshot?.jobs.count, is: 1000)
  }
}
