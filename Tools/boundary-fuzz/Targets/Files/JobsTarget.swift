import TaktConfig
import TaktCore
import TaktEngine
import TaktTesting

/// A jobs file. One that loads once loads again, to the same jobs.
struct JobsTarget: FuzzTarget {
  static let name = "jobs"
  static let summary = "a jobs file, from YAML to specs"

  private let loader = JobsLoader(
    catalogue: BuiltinRegistry.standard, zones: FixedZones(), accounts: FixedAccounts(),
    time: FixedTime(), userID: 1000, refusesWritableByOthers: false)

  mutating func read(_ bytes: [UInt8]) {
    let loaded = loader.load(path: "/nowhere/jobs.yaml", text: bytes)
    for diagnostic in loaded.diagnostics { _ = diagnostic.text }
    guard let snapshot = loaded.snapshot else { return }
    let again = loader.load(path: "/nowhere/jobs.yaml", text: bytes)
    guard let second = again.snapshot else { preconditionFailure("it loads only once") }
    let plan = ReloadPlan(from: snapshot, to: second)
    precondition(plan.steps.isEmpty, "the same text has changed")
  }
}
