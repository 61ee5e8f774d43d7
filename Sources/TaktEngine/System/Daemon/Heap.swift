import CTaktSystem
import Dispatch
import Synchronization
package import TaktCore
import TaktTime

/// The memory that the C library keeps for reuse, and that of the program itself.
package enum Heap {
  /// The number of jobs from which on trimming free memory is worth its time.
  private static let jobsMin = 10_000
  fileprivate static let queue = DispatchQueue(label: "takt.heap", qos: .background)

  /// At once, and when the ledger has written the jobs, which takes longer on a slow disk.
  private static let delays: [DispatchTimeInterval] = [.seconds(0), .seconds(1), .seconds(10)]

  /// The number of heaps for all threads.
  private static let count: Int32 = 2
  /// The size from which on a block is not part of a heap.
  private static let largeMin: Int32 = 128 << 10
  /// The bytes at the end of a heap that may be unused.
  private static let unusedMax: Int32 = 1 << 20

  /// Keeps threads from having a heap each: memory freed by one thread would serve no other, and
  /// most of the memory of a dozen heaps would be free. Keeps glibc from raising both limits to
  /// several times the largest freed block: after one large answer, heaps would keep megabytes. To
  /// be called before there are threads.
  package static func configure() { csystem_heap_options(count, largeMin, unusedMax) }

  /// Gives back to the system, soon, the memory that is unused after so many jobs were loaded:
  /// pages of the program that only a load reads, and, with many jobs, free memory.
  package static func giveBack(after jobs: Int) {
    for delay in delays {
      queue.asyncAfter(deadline: .now() + delay) {
        csystem_program_trim()
        if jobs >= jobsMin { csystem_heap_trim() }
      }
    }
  }
}

/// Gives back to the system, while takt works, the free memory between used blocks: leftovers of
/// readers and of runs' output, which otherwise add up for hours. Does so only after some event, so
/// that an idle takt stays idle.
///
/// Safe from any thread.
package final class HeapKeeper: Observer {
  /// The minimum pause as a multiple of the last trim's time, because threads that need memory wait
  /// during one.
  private static let pausesMin = 10_000

  private let pause: Duration
  private let onTrim: @Sendable () -> Void
  private let willTrim = Atomic<Bool>(false)
  private let lastCost = Mutex(Duration.zero)

  /// - Parameters:
  ///   - pause: the time from an event until memory is given back.
  ///   - onTrim: called after each trim.
  package init(pause: Duration = .seconds(30), onTrim: @escaping @Sendable () -> Void = {}) {
    self.pause = pause
    self.onTrim = onTrim
  }

  package func observe(_ records: [LogRecord]) {
    guard !willTrim.load(ordering: .relaxed), !willTrim.exchange(true, ordering: .relaxed) else {
      return
    }
    let delay = lastCost.withLock { max(pause, $0 * Self.pausesMin) }
    Heap.queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay.milliseconds))) { [self] in
      willTrim.store(false, ordering: .relaxed)
      let cost = ContinuousClock().measure { csystem_heap_trim() }
      lastCost.withLock { $0 = cost }
      onTrim()
    }
  }

  /// Needs no log records of its own.
  package func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool { false }
}
