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
  /// From how many bytes on a block is not part of a heap.
  private static let largeMin: Int32 = 128 << 10
  /// How many bytes at the end of a heap may be unused.
  private static let unusedMax: Int32 = 1 << 20

  /// Keeps threads from having a heap each: what one of them has freed would serve no other, and of a
  /// dozen heaps most of the memory would be free. Keeps glibc from raising both limits to several times
  /// the largest block that it has seen freed: after one large answer, heaps would keep megabytes.
  /// To be called before there are threads.
  package static func configure() { csystem_heap_options(count, largeMin, unusedMax) }

  /// Gives back to the system, soon, what is not used after so many jobs were loaded.
  package static func giveBack(after jobs: Int) {
    guard jobs >= jobsMin else { return }
    for delay in delays { queue.asyncAfter(deadline: .now() + delay) { csystem_heap_trim() } }
  }
}
