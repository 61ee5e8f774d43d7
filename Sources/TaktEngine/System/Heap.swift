import CTaktSystem
import Dispatch

/// The memory that the C library keeps for later.
package enum Heap {
  /// From how many jobs on it is worth the time.
  private static let jobsMin = 10_000
  private static let queue = DispatchQueue(label: "takt.heap", qos: .background)

  /// When: at once, and when the ledger has written the jobs, which takes it longer the slower the
  /// disk is.
  private static let delays: [DispatchTimeInterval] = [.seconds(0), .seconds(1), .seconds(10)]

  /// Of how many heaps all threads have their memory.
  private static let count: Int32 = 2

  /// Keeps threads from having a heap each: what one of them has freed would serve no other, and of a
  /// dozen heaps most of the memory would be free. To be called before there are threads.
  package static func share() { csystem_heap_share(count) }

  /// Gives back to the system, soon, what is not used after so many jobs were loaded.
  package static func giveBack(after jobs: Int) {
    guard jobs >= jobsMin else { return }
    for delay in delays { queue.asyncAfter(deadline: .now() + delay) { csystem_heap_trim() } }
  }
}
