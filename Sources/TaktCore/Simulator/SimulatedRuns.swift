/// What the runs of a job do in a simulation.
package struct SimulatedRuns: Hashable, Sendable {
  /// How long an attempt lasts; nil for as long as the job expects.
  package var length: Duration?
  /// How many attempts exit with `status`, the first ones; `Int.max` for all.
  package var failures = 0
  /// What those exit with. The others exit with 0.
  package var status: Int32 = 1
  /// Whether no attempt ends until takt stops it.
  package var hangs = false
  /// Whether the job's `only_if` answers yes.
  package var meetsCondition = true

  package init() {}

  /// The exit status of the next attempt.
  mutating func takeStatus() -> Int32 {
    if failures == 0 { return 0 }
    if failures < .max { failures -= 1 }
    return status
  }
}
