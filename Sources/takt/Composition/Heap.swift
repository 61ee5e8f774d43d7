import Dispatch
import Glibc

/// The memory that the C library keeps for later when a large set of jobs has been loaded.
enum Heap {
  /// From how many jobs on it is worth the time.
  private static let jobsMin = 10_000
  private static let queue = DispatchQueue(label: "takt.heap", qos: .background)

  /// Gives back to the system, soon, what is not used after jobs have been taken over.
  static func giveBack(after count: Int) {
    guard count >= jobsMin else { return }
    queue.async { malloc_trim(0) }
  }
}
