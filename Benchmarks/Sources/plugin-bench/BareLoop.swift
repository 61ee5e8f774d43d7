import CEcho
import Foundation

/// The bare loop in C, on a thread of its own.
///
/// `@unchecked Sendable`: what changes is written by that thread alone, and read by another only after
/// it has waited for `ended`, which the thread signals last; the semaphore orders the two.
final class BareLoop: @unchecked Sendable {
  private var nanoseconds: [Int64]
  private var status: Int32 = -1
  private let ended = DispatchSemaphore(value: 0)

  /// Starts it, when takt's jobs have begun.
  init(_ program: String, count: Int) {
    nanoseconds = Array(repeating: 0, count: count)
    Thread { [self] in
      Thread.sleep(forTimeInterval: 2)
      status = cecho_measure(program, Int32(count), &nanoseconds)
      ended.signal()
    }.start()
  }

  /// How long each run took; waits for the end.
  func milliseconds() throws -> [Double] {
    ended.wait()
    guard status == 0 else { throw BenchError("the bare loop failed") }
    return nanoseconds.map { Double($0) / 1e6 }
  }
}
