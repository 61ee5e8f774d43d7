import CTaktSystem
package import Dispatch
import Glibc
import Synchronization
package import TaktCore

/// The memory that the C library keeps for later.
package enum Heap {
  /// From how many jobs on it is worth the time.
  private static let jobsMin = 10_000
  fileprivate static let queue = DispatchQueue(label: "takt.heap", qos: .background)

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

/// Gives back to the system, while takt works, what is free between blocks that are used: what readers
/// and the output of runs leave behind, which otherwise adds up for hours. Checks only after something has
/// happened, so that an idle takt stays idle.
///
/// Safe from any thread.
package final class HeapKeeper: Observer {
  /// How far memory must have grown since the last time to be worth it: by an eighth, and by this.
  private static let growthMin = 2 << 20

  private let pause: DispatchTimeInterval
  private let onCheck: @Sendable () -> Void
  private let willCheck = Atomic<Bool>(false)
  /// The least memory since it was last given back, in bytes.
  private let level = Mutex(0)

  /// - Parameters:
  ///   - pause: how long after something has happened it checks.
  ///   - onCheck: told each time that it has checked.
  package init(
    pause: DispatchTimeInterval = .seconds(30), onCheck: @escaping @Sendable () -> Void = {}
  ) {
    self.pause = pause
    self.onCheck = onCheck
  }

  package func observe(_ records: [LogRecord]) {
    guard !willCheck.load(ordering: .relaxed), !willCheck.exchange(true, ordering: .relaxed) else {
      return
    }
    Heap.queue.asyncAfter(deadline: .now() + pause) { [self] in
      willCheck.store(false, ordering: .relaxed)
      check()
      onCheck()
    }
  }

  /// Nothing is logged for its sake.
  package func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool { false }

  private func check() {
    guard let now = Self.anonymousBytes() else { return }
    level.withLock { level in
      if now < level + level / 8 + Self.growthMin {
        level = min(level, now)
      } else {
        csystem_heap_trim()
        level = Self.anonymousBytes() ?? now
      }
    }
  }

  /// The memory that is no page of a file; nil where there is no /proc.
  static func anonymousBytes() -> Int? {
    guard let bytes = try? SmallFile.read("/proc/self/statm", bytesMax: 256) else { return nil }
    let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { Int($0) }
    guard pages.count > 2, let resident = pages[1], let shared = pages[2] else { return nil }
    return max(0, resident - shared) * Int(getpagesize())
  }
}
