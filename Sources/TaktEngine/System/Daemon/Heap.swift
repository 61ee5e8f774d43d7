import CTaktSystem
import Dispatch
import Synchronization
package import TaktCore
import TaktTime

/// The memory that the C library keeps for later, and that of the program itself.
package enum Heap {
  /// From how many jobs on free memory is worth the time.
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

  /// Gives back to the system, soon, what is not used after so many jobs were loaded: of the program,
  /// what nothing but a load reads, and of many jobs free memory.
  package static func giveBack(after jobs: Int) {
    for delay in delays {
      queue.asyncAfter(deadline: .now() + delay) {
        csystem_program_trim()
        if jobs >= jobsMin { csystem_heap_trim() }
      }
    }
  }
}

/// Gives back to the system, while takt works, what is free between blocks that are used: what readers
/// and the output of runs leave behind, which otherwise adds up for hours. Does so only after something
/// has happened, so that an idle takt stays idle.
///
/// Safe from any thread.
package final class HeapKeeper: Observer {
  /// Threads that need memory wait meanwhile: between two times lies so many times what the last one took.
  private static let pausesMin = 10_000

  private let pause: Duration
  private let onTrim: @Sendable () -> Void
  private let willTrim = Atomic<Bool>(false)
  private let lastCost = Mutex(Duration.zero)

  /// - Parameters:
  ///   - pause: how long after something has happened memory is given back.
  ///   - onTrim: told each time that it has been.
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

  /// Nothing is logged for its sake.
  package func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool { false }
}
