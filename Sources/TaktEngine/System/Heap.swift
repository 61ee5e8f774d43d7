import CTaktSystem
import Dispatch

/// The memory that the C library keeps for later when a large set of jobs has been loaded.
package enum Heap {
  /// From how many jobs on it is worth the time.
  private static let jobsMin = 10_000
  private static let queue = DispatchQueue(label: "takt.heap", qos: .background)

  /// When: at once, and when the ledger has written the jobs, which takes it longer the slower the
  /// disk is.
  private static let delays: [DispatchTimeInterval] = [.seconds(0), .seconds(1), .seconds(10)]

  /// Gives back to the system, soon, what is not used after so many jobs were loaded.
  package static func giveBack(after jobs: Int) {
    guard jobs >= jobsMin else { return }
    for delay in delays { queue.asyncAfter(deadline: .now() + delay) { csystem_heap_trim() } }
  }
}
