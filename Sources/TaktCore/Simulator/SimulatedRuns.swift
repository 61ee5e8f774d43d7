/// The behaviour of a job's runs in a simulation.
package struct SimulatedRuns: Hashable, Sendable {
  /// The length of an attempt; nil for the job's expected duration.
  package var length: Duration?
  /// The number of attempts that exit with `status`, the first ones; `Int.max` for all.
  package var failures = 0
  /// The exit status of failing attempts. The others exit with 0.
  package var status: Int32 = 1
  /// True if no attempt ends until takt stops it.
  package var hangs = false
  /// The answer of the job's `only_if`.
  package var meetsCondition = true

  package init() {}

  /// The exit status of the next attempt.
  mutating func takeStatus() -> Int32 {
    if failures == 0 { return 0 }
    if failures < .max { failures -= 1 }
    return status
  }
}
